"""Module paths: where the contents of MindSpore's modules are that have no file at the same path here."""

import functools
from pathlib import Path

# A module of msjax (below `msjax.`): the modules of MindSpore 1.5 to 2.10 whose public names it has.
# Where msjax has a file at MindSpore's own path, it is that file, whatever is said here.
PATHS: dict[str, str] = {
    "config.context": "context",
    "core.dtype": "common.dtype",
    "config.compile_config": "_extends.parse _extends.parse.compile_config",
    "core.tensor.tensor": "common.tensor",
    "core.tensor.parameter": "common.parameter",
    "core.jit.jit": "common.api common.jit_config graph.api graph.jit_config",
    "core.tensor.scalar_inputs": "common.mutable graph.mutable",
    "core.jit.pijit": "common._pijit_context graph._pijit_context",
    "common._seed": "common.seed",
    "core.tensor.generator": "common.generator",
    "core.tensor.symbol": "common.symbol graph.symbol",
    "ops.auto_generate": """
        ops.auto_generate.gen_extend_func ops.auto_generate.gen_ops_def ops.auto_generate.gen_ops_prim
        ops.auto_generate.pyboost_inner_prim
    """,
    "utils.yaml_files": "ops_generate ops_generate.gen_utils ops_generate.common ops_generate.common.gen_utils",
    "ops.communication": "ops.function.comm_func",
    "ops._utils": "ops._utils.utils",
    "ops.generated.gradients": "ops.operations._grad_ops",
    "ops.generated.inner": "ops.operations._inner_ops",
    "ops.gradient_clipping": "ops.function.clip_func",
    "config.compiler_hints": """
        common.dynamic_shape common.dynamic_shape.enable_dynamic common.dump common.lazy_inline common.no_inline
        graph.lazy_inline graph.no_inline
    """,
    "core.autodiff.jvp_vjp_jacobian": "common.recompute",
    "ops": """
        ops.composite.base ops.composite.math_ops
        ops.op_info_register ops.primitive
        ops.operations ops.operations.array_ops ops.operations.comm_ops ops.operations.control_ops
        ops.operations.custom_ops ops.operations.debug_ops ops.operations.image_ops ops.operations.inner_ops
        ops.operations.linalg_ops ops.operations.math_ops ops.operations.nn_ops ops.operations.other_ops
        ops.operations.random_ops ops.operations.sparse_ops ops.operations.spectral_ops
        ops.function ops.function.array_func ops.function.debug_func ops.function.fft_func
        ops.function.grad ops.function.grad.grad_func ops.function.image_func ops.function.linalg_func
        ops.function.math_func ops.function.nn_func ops.function.other_func ops.function.parameter_func
        ops.function.random_func ops.function.sparse_func ops.function.sparse_unary_func ops.function.spectral_func
        ops.function.vmap_func
        ops.composite.multitype_ops ops.composite.multitype_ops.add_impl ops.composite.multitype_ops.bitwise_and_impl
        ops.composite.multitype_ops.bitwise_or_impl ops.composite.multitype_ops.bitwise_xor_impl
        ops.composite.multitype_ops.div_impl ops.composite.multitype_ops.equal_impl
        ops.composite.multitype_ops.floordiv_impl ops.composite.multitype_ops.getitem_impl
        ops.composite.multitype_ops.greater_equal_impl ops.composite.multitype_ops.greater_impl
        ops.composite.multitype_ops.in_impl ops.composite.multitype_ops.invert_impl
        ops.composite.multitype_ops.left_shift_impl ops.composite.multitype_ops.less_equal_impl
        ops.composite.multitype_ops.less_impl ops.composite.multitype_ops.logical_and_impl
        ops.composite.multitype_ops.logical_not_impl ops.composite.multitype_ops.logical_or_impl
        ops.composite.multitype_ops.mod_impl ops.composite.multitype_ops.mul_impl
        ops.composite.multitype_ops.negative_impl ops.composite.multitype_ops.not_equal_impl
        ops.composite.multitype_ops.ones_like_impl ops.composite.multitype_ops.pow_impl
        ops.composite.multitype_ops.right_shift_impl ops.composite.multitype_ops.sub_impl
        ops.composite.multitype_ops.uadd_impl ops.composite.multitype_ops.zeros_like_impl ops.deprecated
        ops.vm_impl_registry ops.composite.env_ops ops.operations._csr_ops ops.operations._infer_ops
        ops.operations._map_tensor_ops ops.operations._ocr_ops ops.operations._quant_ops ops.operations._rl_inner_ops
        ops.operations._scalar_ops ops.operations._thor_ops ops.operations.manually_defined
        ops.operations.manually_defined.ops_def ops.operations.reshard_ops
    """,
    "nn": """
        nn.layer nn.layer.activation nn.layer.basic nn.layer.channel_shuffle nn.layer.combined nn.layer.container
        nn.layer.conv nn.layer.dense nn.layer.embedding nn.layer.image nn.layer.math nn.layer.normalization
        nn.layer.padding nn.layer.pooling nn.layer.rnn_cells nn.layer.rnns nn.layer.thor_layer nn.layer.timedistributed
        nn.layer.transformer nn.loss.loss nn.wrap.cell_wrapper nn.wrap.grad_reducer nn.wrap.loss_scale
        nn.grad nn.grad.cell_grad nn.sparse nn.sparse.sparse
    """,
    "scipy.optimize": "scipy.optimize.line_search scipy.optimize.linear_sum_assignment scipy.optimize.minimize",
    "nn.probability.bijector.maps": """
        nn.probability.bijector.exp nn.probability.bijector.gumbel_cdf nn.probability.bijector.invert
        nn.probability.bijector.power_transform nn.probability.bijector.scalar_affine nn.probability.bijector.softplus
    """,
    "nn.probability.distribution.continuous": """
        nn.probability.distribution.beta nn.probability.distribution.cauchy nn.probability.distribution.exponential
        nn.probability.distribution.gamma nn.probability.distribution.half_normal nn.probability.distribution.laplace
        nn.probability.distribution.logistic nn.probability.distribution.normal nn.probability.distribution.student_t
        nn.probability.distribution.uniform
    """,
    "nn.probability.distribution.derived": "nn.probability.distribution.gumbel nn.probability.distribution.log_normal",
    "nn.probability.distribution.discrete": """
        nn.probability.distribution.bernoulli nn.probability.distribution.categorical
        nn.probability.distribution.geometric nn.probability.distribution.poisson
    """,
    "nn.probability.distribution.transformed": "nn.probability.distribution.transformed_distribution",
    "nn.optim": """
        nn.optim.adadelta nn.optim.adafactor nn.optim.adamax nn.optim.adasum nn.optim.asgd nn.optim.ftrl nn.optim.lamb
        nn.optim.lars nn.optim.lazyadam nn.optim.proximal_ada_grad nn.optim.rprop nn.optim.thor
    """,
    "core.tensor.interchange": "utils.dlpack",
    "device_context.ascend": "device_context.ascend.device",
    "device_context.cpu": "device_context.cpu.device",
    "device_context.gpu": "device_context.gpu.device",
    "hal.stream": "hal.event runtime.event runtime.stream",
    "runtime.memory_use": "runtime.memory",
    "runtime.limits": "runtime.device_limit runtime.executor runtime.stream_limit runtime.thread_bind_core",
    "train.callback": """
        train.callback._checkpoint train.callback._loss_monitor train.callback._time_monitor
        train.callback._lambda_callback train.callback._early_stop train.callback._summary_collector
        train.callback._history train.callback._reduce_lr_on_plateau train.callback._lr_scheduler_callback
        train.callback._on_request_exit train.callback._backup_and_restore train.callback._flops_collector
        train.callback._landscape
    """,
    "train": "train.train_thor",
    "train.obfuscation": "safeguard safeguard.rewrite_obfuscation",
    "boost.steps": "boost.boost_cell_wrapper",
    "parallel.layout": "parallel.shard",
    "ops.tensor_methods.storage": "common.storage",
    "parallel.function": "parallel.function.reshard_func ops.function.reshard_func",
    "parallel.nn": "parallel.nn.parallel_cell_wrapper parallel.nn.parallel_grad_reducer",
    "parallel": "parallel.checkpoint_convert parallel.checkpoint_transform parallel.transform_safetensors",
    "train.dataset_helper": "train.data_sink train.train_thor.dataset_helper",
    "config.parallel_context": "parallel.algo_parameter_config",
    "numpy": "numpy.array_creations numpy.array_ops numpy.logic_ops numpy.math_ops",
    "experimental.optim": """
        experimental.optim.adadelta experimental.optim.adagrad experimental.optim.adam experimental.optim.adamax
        experimental.optim.adamw experimental.optim.asgd experimental.optim.nadam experimental.optim.radam
        experimental.optim.rmsprop experimental.optim.rprop experimental.optim.sgd
    """,
    "mint.distributed": "mint.distributed.distributed",
    "mint.nn": """
        mint.nn.layer mint.nn.layer.activation mint.nn.layer.basic mint.nn.layer.conv mint.nn.layer.normalization
        mint.nn.layer.padding mint.nn.layer.pooling
    """,
    "mint.optim": "mint.optim.adam mint.optim.adamw mint.optim.fused_adamw mint.optim.sgd",
    "train.metrics": """
        train.metrics.accuracy train.metrics.auc train.metrics.bleu_score train.metrics.confusion_matrix
        train.metrics.cosine_similarity train.metrics.dice train.metrics.error train.metrics.fbeta
        train.metrics.hausdorff_distance train.metrics.loss train.metrics.mean_surface_distance
        train.metrics.metric train.metrics.occlusion_sensitivity train.metrics.perplexity train.metrics.precision
        train.metrics.recall train.metrics.roc train.metrics.root_mean_square_surface_distance
        train.metrics.topk nn.metrics
        nn.metrics.accuracy nn.metrics.auc nn.metrics.bleu_score nn.metrics.confusion_matrix
        nn.metrics.cosine_similarity nn.metrics.dice nn.metrics.error nn.metrics.fbeta nn.metrics.hausdorff_distance
        nn.metrics.loss nn.metrics.mean_surface_distance nn.metrics.metric nn.metrics.occlusion_sensitivity
        nn.metrics.perplexity nn.metrics.precision nn.metrics.recall nn.metrics.roc
        nn.metrics.root_mean_square_surface_distance nn.metrics.topk
    """,
    "dataset": """
        dataset.engine dataset.engine.datasets dataset.engine.iterators dataset.engine.datasets_user_defined
        dataset.engine.datasets_vision dataset.engine.datasets_standard_format dataset.engine.datasets_text
        dataset.engine.datasets_audio
    """,
    "dataset.pipeline.callbacks": "dataset.callback dataset.callback.ds_callback",
    "dataset.config": "dataset.core dataset.core.config",
    "dataset.random.samplers": "dataset.engine.samplers",
    "dataset.transforms": "dataset.transforms.py_transforms_util",
    "mindrecord.exceptions": "mindrecord.common.exceptions",
    "mindrecord.constants": "mindrecord.common.enums mindrecord.common.constant",
    "mindrecord": """
        mindrecord.common mindrecord.core mindrecord.filereader mindrecord.filewriter mindrecord.mindpage
        mindrecord.tools mindrecord.tools.cifar10_to_mr
        mindrecord.tools.cifar100_to_mr mindrecord.tools.csv_to_mr mindrecord.tools.imagenet_to_mr
        mindrecord.tools.mnist_to_mr mindrecord.tools.tfrecord_to_mr mindrecord.core.shardutils
    """,
    "dataset.vision": "dataset.vision.py_transforms_util dataset.transforms.vision",
    "ops.primitive_impl.python_sequences": "ops.operations._sequence_ops",
    "dataset.vision.c_transforms": "dataset.transforms.vision.c_transforms",
    "dataset.vision.py_transforms": "dataset.transforms.vision.py_transforms",
}

# Single names of MindSpore's inner modules that published networks use, and what they are here.
INNER: dict[str, tuple[str, str]] = {
    f"mindspore.{module}.{name}": (f"msjax.{own}", original or name)
    for own, module, names in (
        (
            "nn.inner.inner_layers",
            "nn.layer.rnn_cells",
            """RNNCellBase _lstm_cell=lstm_cell _gru_cell=gru_cell _rnn_tanh_cell=rnn_tanh_cell
            _rnn_relu_cell=rnn_relu_cell""",
        ),
        (
            "nn.inner.inner_layers",
            "nn.layer.conv",
            "_Conv=Convolution _deconv_output_length=deconv_output_length",
        ),
        (
            "nn.inner.inner_layers",
            "nn.layer.container",
            "_valid_index=valid_index _valid_cell=valid_cell _get_prefix_and_index=prefix_and_index",
        ),
        ("nn.inner.inner_layers", "nn.loss.loss", "_Loss=Loss"),
        ("nn.layers.activation_piecewise", "nn.layer.activation", "_activation=_BY_NAME"),
        ("common.initializer_draws", "common.initializer", "_register"),
        ("train._common", "train.model", "_transfer_tensor_to_tuple=as_tuple"),
        (
            "ops.nn.multi_head_attention",
            "ops.function.nn_func",
            """multi_head_attention_forward linear _in_projection=in_projection _inner_pad=inner_pad
            _in_projection_packed=in_projection_packed _inner_dropout=inner_dropout
            _check_qkv_shape=check_qkv_shape _check_kpm_shape=check_kpm_shape
            _check_attn_mask_shape=check_attn_mask_shape _scaled_dot_product_attention=attention_and_weights""",
        ),
        (
            "ops.image.interpolate_sizes",
            "ops.function.nn_func",
            """_interploate_ext_make_tuple=for_each_axis
            _interpolate_ext_scale_factor_convert_size=scaled_sizes""",
        ),
        ("config.parallel_context", "train.model", "ParallelMode"),
        (
            "train.amp",
            "train.amp",
            "_auto_black_list=lowered_but _auto_mixed_precision_rewrite=rewritten _OutputTo16 _OutputTo32",
        ),
        (
            "train._load",
            "train.serialization",
            "_update_param=update_parameter _load_dismatch_prefix_params=load_by_prefix",
        ),
        ("log", "log", "_get_logger=logger"),
        ("config.context", "context", "_get_mode=mode"),
        ("config.compiler_hints", "context", "STRICT COMPATIBLE LAX"),
        ("_c_expression.typing", "common.dtype", "String type_size_in_bytes"),
        (
            "train.callback.base",
            "train.callback._callback",
            "_handle_loss=loss_of_outputs",
        ),
        ("train.callback.files", "train.callback._callback", "set_cur_net=set_current_net"),
        ("train.callback.files", "train.callback._checkpoint", "CheckpointManager"),
        ("_c_expression", "common.dtype", "typing"),
        ("ops.generated.array_ops_classes", "ops.operations.array_ops", "ConcatOffsetV1 ArgminV2"),
        ("ops.generated.array_ops_classes", "ops.operations.math_ops", "AddV2 Lu"),
        ("ops.generated.array_ops_classes", "ops.operations.linalg_ops", "Eigh"),
        ("ops.generated.gradients_by_vjp", "ops.operations.nn_ops", "Conv3DBackpropInput CTCLossV2Grad"),
        (
            "ops.generated.array_ops_classes",
            "ops.operations.image_ops",
            "AdjustContrastv2 CropAndResizeGradBoxes CropAndResizeGradImage",
        ),
        (
            "ops.generated.array_ops_classes",
            "ops.operations._embedding_cache_ops",
            "UpdateCache DynamicAssign",
        ),
        ("ops.generated.array_ops_classes", "ops.operations", "UpdateCache"),
        (
            "ops.generated.array_ops_classes",
            "ops.operations._csr_ops",
            "CSR2COO COO2CSR CSRReduceSum CSRMV CSRMM CSRMul CSRDiv CSRGather",
        ),
        (
            "ops.sparse.segments",
            "ops.operations.sparse_ops",
            """SparseSegmentSum SparseSegmentSqrtN SparseSegmentSumWithNumSegments
            SparseSegmentMeanWithNumSegments SparseSegmentSqrtNWithNumSegments""",
        ),
        ("ops.sparse.segments", "ops.operations.math_ops", "SparseSegmentMean"),
        (
            "ops.sparse.coo_classes",
            "ops.operations.sparse_ops",
            """SparseDenseCwiseAdd SparseDenseCwiseMul SparseDenseCwiseDiv
            SparseToDenseV2 SparseAddmm SparseReorder SparseReshape SparseConcat
            SparseSplit SparseFillEmptyRows SparseSoftmax SparseSparseMaximum
            SparseSparseMinimum SparseAdd""",
        ),
        (
            "ops.sparse.sets",
            "ops.operations.sparse_ops",
            """DenseToDenseSetOperation DenseToSparseSetOperation SetSize
            SparseCountSparseOutput RaggedTensorToSparse RaggedTensorToTensor""",
        ),
        (
            "ops.sparse.compressed_rows",
            "ops.operations.sparse_ops",
            """CSRSparseMatrixToDense CSRSparseMatrixToSparseTensor
            DenseToCSRSparseMatrix SparseTensorToCSRSparseMatrix SparseMatrixNNZ
            SparseMatrixTranspose SparseMatrixSoftmax SparseMatrixAdd SparseMatrixMatMul
            SparseMatrixSparseMatMul""",
        ),
        ("ops.primitive_impl.inner_forms", "ops.operations.math_ops", "TridiagonalSolve SelfAdjointEig"),
        ("ops.primitive_impl.inner_forms", "ops.operations.nn_ops", "InstanceNormV2 AllFinite"),
        (
            "ops.primitive_impl.inner_forms",
            "ops.operations._inner_ops",
            """DynamicStitch MatrixDiag MatrixDiagPart MatrixSetDiag SequenceMask""",
        ),
        ("ops.primitive_impl.inner_forms", "ops.operations.array_ops", "RangeV2"),
        (
            "ops.optim.sparse_steps_with_rates",
            "ops.operations.nn_ops",
            """SparseApplyMomentum SparseApplyProximalGradientDescent
            SparseApplyCenteredRMSProp SparseApplyAdagradDA""",
        ),
        (
            "ops.primitive_impl.python_sequences",
            "ops.operations._sequence_ops",
            """SequenceAdd SequenceAddN SequenceCount SequenceIndex SequenceMul
            SequenceMax SequenceMin SequenceSlice SequenceSliceSetItem SequenceStack
            SequenceUnstack SequenceZerosLike InSequence ListAppend ListInsert
            TupleToTensor ListToTensor TensorToList TensorToScalar make_range
            sequence_len shape_mul tuple_equal list_equal tuple_lt list_lt tuple_le
            list_le tuple_greater_than list_greater_than tuple_greater_equal
            list_greater_equal""",
        ),
        (
            "dataset.transforms.operations",
            "dataset.transforms.transforms",
            "Implementation TensorOperation PyTensorOperation",
        ),
        ("dataset.transforms.operations", "dataset.transforms.py_transforms_util", "Implementation"),
        ("dataset.transforms.operations", "dataset.engine.datasets", "Implementation"),
        ("dataset.transforms.operations", "dataset.transforms.py_transforms", "PyTensorOperation"),
        ("dataset.transforms.operations", "dataset.transforms.c_transforms", "TensorOperation"),
        ("dataset.transforms.operations", "dataset.vision.c_transforms", "ImageTensorOperation"),
        (
            "dataset.transforms.operations",
            "dataset.text.transforms",
            "Implementation TensorOperation TextTensorOperation",
        ),
        (
            "dataset.transforms.operations",
            "dataset.vision.transforms",
            "Implementation TensorOperation PyTensorOperation ImageTensorOperation",
        ),
        (
            "dataset.transforms.operations",
            "dataset.audio.transforms",
            "Implementation TensorOperation AudioTensorOperation",
        ),
        ("config.compiler_hints", "common.api", "_function_forbid_reuse=forbid_reuse"),
        ("config.compiler_hints", "graph.api", "_function_forbid_reuse=forbid_reuse"),
        ("core.autodiff.linearize", "ops.functional", "linearize"),
        (
            "parallel.strategies",
            "train.serialization",
            """build_searched_strategy get_ckpt_path_with_strategy
            load_distributed_checkpoint restore_group_info_list""",
        ),
        (
            "core.autodiff.saved_tensors_hooks",
            "common.api",
            "_disable_saved_tensors_hooks=saved_tensors_hooks_disabled",
        ),
        (
            "core.autodiff.saved_tensors_hooks",
            "graph.api",
            "_disable_saved_tensors_hooks=saved_tensors_hooks_disabled",
        ),
    )
    for name, _, original in (entry.partition("=") for entry in names.split())
}


@functools.cache
def homes() -> dict[str, str]:
    """Modules of MindSpore's that have no file here, by the path that it would have, and those that hold their names."""
    return {
        f"msjax.{path}": f"msjax.{own}"
        for own, paths in PATHS.items()
        for path in paths.split()
        if not has_file(path)
    }


def has_file(path: str) -> bool:
    """Return True if there is a module of msjax at a path below it."""
    place = Path(__file__).parents[1].joinpath(*path.split("."))
    return place.with_suffix(".py").exists() or place.is_dir()
