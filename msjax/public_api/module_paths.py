"""Module paths: where the contents of MindSpore's modules are that have no file at the same path here."""

import functools
import itertools
import re
from collections.abc import Iterator
from pathlib import Path


def _rows(table: str) -> Iterator[tuple[str, str]]:
    """Read rows "name: words", whose indented lines continue them."""
    for row in table.replace("\n    ", " ").strip().splitlines():
        name, _, words = row.partition(": ")
        yield name, words


def _expand_braces(words: str) -> Iterator[str]:
    """Return words in which {a b} stands for each of these: "x.{a b}" is x.a and x.b."""
    for word in _WORD.findall(words):
        parts = word.replace("}", "{").split("{")  # every other one stood in braces
        yield from map(
            "".join, itertools.product(*(p.split() if i % 2 else [p] for i, p in enumerate(parts)))
        )


_WORD = re.compile(r"(?:[^\s{]+|\{[^}]*\})+")

# A module of msjax (below `msjax.`): the modules of MindSpore 1.5 to 2.10 whose public names it has.
# Where msjax has a file at MindSpore's own path, it is that file, whatever is said here.
PATHS: dict[str, list[str]] = {
    own: list(_expand_braces(paths))
    for own, paths in _rows("""
config.context: context
core.dtype: common.dtype
config.compile_config: _extends.parse _extends.parse.compile_config
core.tensor.tensor: common.tensor
core.tensor.parameter: common.parameter
core.jit.jit: common.jit_config graph.jit_config
common.api: graph.api
core.tensor.scalar_inputs: common.mutable graph.mutable
core.jit.pijit: common._pijit_context graph._pijit_context
common._seed: common.seed
core.tensor.generator: common.generator
core.tensor.symbol: common.symbol graph.symbol
ops.auto_generate: ops.auto_generate.{gen_extend_func gen_ops_def gen_ops_prim pyboost_inner_prim}
utils.yaml_files: ops_generate ops_generate.{gen_utils common} ops_generate.common.gen_utils
ops.communication: ops.function.comm_func
ops._utils: ops._utils.utils
ops.generated.gradients: ops.operations._grad_ops
ops.generated.inner: ops.operations._inner_ops
ops.gradient_clipping: ops.function.clip_func
config.compiler_hints: common.{dynamic_shape dump lazy_inline no_inline} common.dynamic_shape.enable_dynamic
    graph.{lazy_inline no_inline}
core.autodiff.jvp_vjp_jacobian: common.recompute
ops: ops.composite.{base math_ops multitype_ops env_ops} ops.{op_info_register primitive operations function deprecated
    vm_impl_registry} ops.operations.{array_ops comm_ops control_ops custom_ops debug_ops image_ops inner_ops linalg_ops
    math_ops nn_ops other_ops random_ops sparse_ops spectral_ops _csr_ops _infer_ops _map_tensor_ops _ocr_ops _quant_ops
    _rl_inner_ops _scalar_ops _thor_ops manually_defined reshard_ops} ops.function.{array_func debug_func fft_func grad
    image_func linalg_func math_func nn_func other_func parameter_func random_func sparse_func sparse_unary_func
    spectral_func vmap_func} ops.function.grad.grad_func ops.composite.multitype_ops.{add_impl bitwise_and_impl
    bitwise_or_impl bitwise_xor_impl div_impl equal_impl floordiv_impl getitem_impl greater_equal_impl greater_impl in_impl
    invert_impl left_shift_impl less_equal_impl less_impl logical_and_impl logical_not_impl logical_or_impl mod_impl
    mul_impl negative_impl not_equal_impl ones_like_impl pow_impl right_shift_impl sub_impl uadd_impl zeros_like_impl}
    ops.operations.manually_defined.ops_def
nn: nn.{layer grad sparse} nn.layer.{activation basic channel_shuffle combined container conv dense embedding image math
    normalization padding pooling rnn_cells rnns thor_layer timedistributed transformer} nn.loss.loss nn.wrap.{cell_wrapper
    grad_reducer loss_scale} nn.grad.cell_grad nn.sparse.sparse
nn.transformer: {nn.transformer parallel._transformer}.{transformer layers loss moe op_parallel_config} parallel._transformer
scipy.optimize: scipy.optimize.{line_search linear_sum_assignment minimize}
nn.probability.bijector.maps: nn.probability.bijector.{exp gumbel_cdf invert power_transform scalar_affine softplus}
nn.probability.distribution.continuous: nn.probability.distribution.{beta cauchy exponential gamma half_normal laplace
    logistic normal student_t uniform}
nn.probability.distribution.derived: nn.probability.distribution.{gumbel log_normal}
nn.probability.distribution.discrete: nn.probability.distribution.{bernoulli categorical geometric poisson}
nn.probability.distribution.transformed: nn.probability.distribution.transformed_distribution
nn.optim: nn.optim.{adadelta adafactor adamax adasum asgd ftrl lamb lars lazyadam proximal_ada_grad rprop thor}
core.tensor.interchange: utils.dlpack
device_context.ascend: device_context.ascend.device
device_context.cpu: device_context.cpu.device
device_context.gpu: device_context.gpu.device
hal.stream: hal.event runtime.{event stream}
runtime.memory_use: runtime.memory
runtime.limits: runtime.{device_limit executor stream_limit thread_bind_core}
train.callback: train.callback.{_checkpoint _loss_monitor _time_monitor _lambda_callback _early_stop _summary_collector
    _history _reduce_lr_on_plateau _lr_scheduler_callback _on_request_exit _backup_and_restore _flops_collector _landscape}
train: train.train_thor
train.obfuscation: safeguard safeguard.rewrite_obfuscation
boost.steps: boost.boost_cell_wrapper
parallel.layout: parallel.shard
ops.tensor_methods.storage: common.storage
parallel.function: parallel.function.reshard_func ops.function.reshard_func
parallel.nn: parallel.nn.{parallel_cell_wrapper parallel_grad_reducer}
parallel: parallel.{checkpoint_convert checkpoint_transform transform_safetensors}
train.dataset_helper: train.data_sink train.train_thor.dataset_helper
config.parallel_context: parallel.algo_parameter_config
numpy: numpy.{array_creations array_ops logic_ops math_ops}
experimental.optim: experimental.optim.{adadelta adagrad adam adamax adamw asgd nadam radam rmsprop rprop sgd}
mint.distributed: mint.distributed.distributed
mint.nn: mint.nn.layer mint.nn.layer.{activation basic conv normalization padding pooling}
mint.optim: mint.optim.{adam adamw fused_adamw sgd}
train.metrics: nn.metrics {nn train}.metrics.{accuracy auc bleu_score confusion_matrix cosine_similarity dice error fbeta
    hausdorff_distance loss mean_surface_distance metric occlusion_sensitivity perplexity precision recall roc
    root_mean_square_surface_distance topk}
dataset: dataset.engine dataset.engine.{datasets iterators datasets_user_defined datasets_vision datasets_standard_format
    datasets_text datasets_audio}
dataset.pipeline.callbacks: dataset.callback dataset.callback.ds_callback
dataset.config: dataset.core dataset.core.config
dataset.random.samplers: dataset.engine.samplers
dataset.serialization: dataset.engine.serializer_deserializer
dataset.utils: dataset.utils.{browse_dataset line_reader}
dataset.transforms: dataset.transforms.py_transforms_util
mindrecord.exceptions: mindrecord.common.exceptions
mindrecord.constants: mindrecord.common.{enums constant}
mindrecord: mindrecord.{common core filereader filewriter mindpage tools} mindrecord.tools.{cifar10_to_mr cifar100_to_mr
    csv_to_mr imagenet_to_mr mnist_to_mr tfrecord_to_mr} mindrecord.core.shardutils
dataset.vision: dataset.vision.py_transforms_util dataset.transforms.vision
ops.primitive_impl.python_sequences: ops.operations._sequence_ops
dataset.vision.c_transforms: dataset.transforms.vision.c_transforms
dataset.vision.py_transforms: dataset.transforms.vision.py_transforms
""")
}

# Single names of MindSpore's inner modules that published networks use, and what they are here:
# "MindSpore's module (module of msjax): names", with MindSpore's name first where there are two.
INNER: dict[str, tuple[str, str]] = {
    f"mindspore.{module}.{name}": (f"msjax.{own.rstrip(')')}", original or name)
    for place, names in _rows("""
nn.layer.rnn_cells (nn.inner.inner_layers): RNNCellBase _lstm_cell=lstm_cell _gru_cell=gru_cell _rnn_tanh_cell=rnn_tanh_cell
    _rnn_relu_cell=rnn_relu_cell
nn.layer.conv (nn.convolution.conv): _Conv=Convolution
nn.layer.conv (nn.inner.inner_layers): _deconv_output_length=deconv_output_length
nn.layer.normalization (nn.layers.norm): _BatchNorm=BatchNorm
nn.layer.normalization (nn.layers.instance_norm): _InstanceNorm
nn.layer.pooling (nn.convolution.pooling): _PoolNd=_Pool
nn.layer.rnns (nn.layers.recurrent): _RNNBase=_Recurrent
mint.nn.layer.normalization (mint.nn._norm): _NormBase=_BatchNorm
mint.nn.layer.conv (mint.nn._conv): _Conv=_Convolution
nn.layer.container (nn.inner.inner_layers): _valid_index=valid_index _valid_cell=valid_cell
    _get_prefix_and_index=prefix_and_index
nn.loss.loss (nn.inner.inner_layers): _Loss=Loss
nn.layer.activation (nn.layers.activation_piecewise): _activation=_BY_NAME
common.initializer (common.initializer_draws): _register
rewrite.common.namespace (rewrite.node): _subtree_black_list=WHOLE is_subtree
train.model (train._common): _transfer_tensor_to_tuple=as_tuple
ops.function.nn_func (ops.nn.multi_head_attention): multi_head_attention_forward linear _in_projection=in_projection
    _inner_pad=inner_pad _in_projection_packed=in_projection_packed _inner_dropout=inner_dropout
    _check_qkv_shape=check_qkv_shape _check_kpm_shape=check_kpm_shape _check_attn_mask_shape=check_attn_mask_shape
    _scaled_dot_product_attention=attention_and_weights
ops.function.nn_func (ops.image.interpolate_sizes): _interploate_ext_make_tuple=for_each_axis
    _interpolate_ext_scale_factor_convert_size=scaled_sizes
train.model (config.parallel_context): ParallelMode
train.amp (train.amp): _auto_black_list=convert_by_black_list _auto_mixed_precision_rewrite=convert_by_white_list
    _OutputTo16 _OutputTo32 _config_level=LEVEL_SETTINGS _do_keep_batchnorm_fp32=keep_normalizations_in_float32
    _add_loss_network=add_loss
nn.wrap.cell_wrapper (nn.wrap.data_wrappers): _MicroBatch _VirtualDatasetCell=VirtualDatasetCell
train.serialization (train._load): _update_param=update_parameter _load_dismatch_prefix_params=load_by_prefix
log (log): _get_logger=logger
context (config.context): _get_mode=mode
context (config.compiler_hints): STRICT COMPATIBLE LAX
common.dtype (_c_expression.typing): String type_size_in_bytes
train.callback._callback (train.callback.base): _handle_loss=loss_for_callbacks
train.callback._callback (train.callback.files): set_cur_net=set_current_net
train.callback._checkpoint (train.callback.files): CheckpointManager
common.dtype (_c_expression): typing
ops.operations.array_ops (ops.generated.array_ops_classes): ConcatOffsetV1 ArgminV2
ops.operations.math_ops (ops.generated.array_ops_classes): AddV2 Lu
ops.operations.linalg_ops (ops.generated.array_ops_classes): Eigh
ops.operations.nn_ops (ops.generated.gradients_by_vjp): Conv3DBackpropInput CTCLossV2Grad
ops.operations.image_ops (ops.generated.array_ops_classes): AdjustContrastv2 CropAndResizeGradBoxes CropAndResizeGradImage
ops.operations._embedding_cache_ops (ops.generated.array_ops_classes): UpdateCache DynamicAssign PadAndShift
ops.operations._embedding_cache_ops (ops.primitives.array): SubAndFilter MapUniform
ops.operations (ops.generated.array_ops_classes): UpdateCache DynamicAssign PadAndShift
ops.operations.nn_ops (ops.generated.array_ops_classes): PSROIPooling ReLUV3
ops.operations.image_ops (ops.generated.array_ops_classes): ResizeV2
ops.function.math_func (ops): F=functional
ops.function.grad.grad_func (ops.primitive_impl.custom): custom_vjp
ops.operations._csr_ops (ops.generated.array_ops_classes): CSR2COO COO2CSR CSRReduceSum CSRMV CSRMM CSRMul CSRDiv CSRGather
ops.operations.sparse_ops (ops.sparse.segments): SparseSegmentSum SparseSegmentSqrtN SparseSegmentSumWithNumSegments
    SparseSegmentMeanWithNumSegments SparseSegmentSqrtNWithNumSegments
ops.operations.math_ops (ops.sparse.segments): SparseSegmentMean
ops.operations.sparse_ops (ops.sparse.coo_classes): SparseDenseCwiseAdd SparseDenseCwiseMul SparseDenseCwiseDiv
    SparseToDenseV2 SparseAddmm SparseReorder SparseReshape SparseConcat SparseSplit SparseFillEmptyRows SparseSoftmax
    SparseSparseMaximum SparseSparseMinimum SparseAdd Sspaddmm
ops.operations.sparse_ops (ops.sparse.sets): DenseToDenseSetOperation DenseToSparseSetOperation SetSize
    SparseCountSparseOutput RaggedTensorToSparse RaggedTensorToTensor
ops.operations.sparse_ops (ops.sparse.compressed_rows): CSRSparseMatrixToDense CSRSparseMatrixToSparseTensor
    DenseToCSRSparseMatrix SparseTensorToCSRSparseMatrix SparseMatrixNNZ SparseMatrixTranspose SparseMatrixSoftmax
    SparseMatrixAdd SparseMatrixMatMul SparseMatrixSparseMatMul
ops.operations.math_ops (ops.primitive_impl.inner_forms): TridiagonalSolve SelfAdjointEig
ops.operations.nn_ops (ops.primitive_impl.inner_forms): InstanceNormV2 AllFinite SparseSoftmaxCrossEntropyWithLogitsV2
ops.operations.random_ops (ops.primitive_impl.inner_forms): Uniform
common.sparse_tensor (ops.sparse.tensors): RowTensorInner=RowTensor
common.tensor (core.tensor.interchange): swap_tensors
ops.operations._inner_ops (ops.primitive_impl.inner_forms): DynamicStitch MatrixDiag MatrixDiagPart MatrixSetDiag
    SequenceMask
ops.operations.array_ops (ops.primitive_impl.inner_forms): RangeV2
ops.operations.nn_ops (ops.optim.sparse_steps_with_rates): SparseApplyMomentum SparseApplyProximalGradientDescent
    SparseApplyCenteredRMSProp SparseApplyAdagradDA
ops.operations._sequence_ops (ops.primitive_impl.python_sequences): SequenceAdd SequenceAddN SequenceCount SequenceIndex
    SequenceMul SequenceMax SequenceMin SequenceSlice SequenceSliceSetItem SequenceStack SequenceUnstack SequenceZerosLike
    InSequence ListAppend ListInsert TupleToTensor ListToTensor TensorToList TensorToScalar make_range sequence_len
    shape_mul tuple_equal list_equal tuple_lt list_lt tuple_le list_le tuple_greater_than list_greater_than
    tuple_greater_equal list_greater_equal
dataset.transforms.transforms (dataset.transforms.operations): Implementation TensorOperation PyTensorOperation
dataset.transforms.py_transforms_util (dataset.transforms.operations): Implementation
dataset.engine.datasets (dataset.transforms.operations): Implementation
dataset.callback (dataset.waited_callback): WaitedDSCallback
dataset.callback.ds_callback (dataset.waited_callback): WaitedDSCallback
dataset.transforms.py_transforms (dataset.transforms.operations): PyTensorOperation
dataset.transforms.c_transforms (dataset.transforms.operations): TensorOperation
dataset.vision.c_transforms (dataset.transforms.operations): ImageTensorOperation
dataset.text.transforms (dataset.transforms.operations): Implementation TensorOperation TextTensorOperation
dataset.vision.transforms (dataset.transforms.operations): Implementation TensorOperation PyTensorOperation
    ImageTensorOperation
dataset.audio.transforms (dataset.transforms.operations): Implementation TensorOperation AudioTensorOperation
common.api (config.compiler_hints): _function_forbid_reuse=forbid_reuse
graph.api (config.compiler_hints): _function_forbid_reuse=forbid_reuse
ops (core.autodiff.linearize): linearize
ops.functional (core.autodiff.linearize): linearize
train.serialization (parallel.strategies): build_searched_strategy get_ckpt_path_with_strategy
    restore_group_info_list
train.serialization (parallel.transform): load_distributed_checkpoint
communication.comm_func (mint.distributed): all_to_all_v_c
common.api (core.autodiff.saved_tensors_hooks): _disable_saved_tensors_hooks=saved_tensors_hooks_disabled
graph.api (core.autodiff.saved_tensors_hooks): _disable_saved_tensors_hooks=saved_tensors_hooks_disabled
""")
    for module, _, own in (place.partition(" ("),)
    for name, _, original in (entry.partition("=") for entry in names.split())
}


@functools.cache
def homes() -> dict[str, str]:
    """Modules of MindSpore's that have no file here, by the path that it would have, and those that hold their names."""
    return {
        f"msjax.{path}": f"msjax.{own}"
        for own, paths in PATHS.items()
        for path in paths
        if not has_file(path)
    }


def has_file(path: str) -> bool:
    """Return True if there is a module of msjax at a path below it."""
    place = Path(__file__).parents[1].joinpath(*path.split("."))
    return place.with_suffix(".py").exists() or place.is_dir()
