"""Lookup of MindSpore's generated operators (`ops.auto_generate`) by the spelling of their names.

`AddExt` is the class of `add_ext`, `add_ext_op` an object of it, and `InplaceExp` the class of `Tensor.exp_`. Classes
that `ops.operations` and its `generated.gradients` name are those; tables say which function another class calls,
where it has the parameters of MindSpore's class. The classes are made when they are asked for.
"""

import dataclasses
import functools
import inspect
import re
from collections.abc import Callable
from typing import Any

from msjax import ops
from msjax.core.tensor.tensor import Tensor
from msjax.ops import operations
from msjax.ops.common.name_table import Row, Table, make_class, parameters
from msjax.ops.generated import classes, gradients
from msjax.public_api.placeholders import Missing

# Classes, the functions and methods of Tensor that they call, and the parameters where they differ from those.
TABLE = Table(
    __name__,
    """
ops.auto_generate: AcosExt=acos_ext AcoshExt=acosh_ext AdaptiveAvgPool2DExt=adaptive_avg_pool2d_ext
    AdaptiveAvgPool3DExt=adaptive_avg_pool3d_ext AddExt=add_ext AddScalar=add_ext AddcmulExt=addcmul_ext
    ArgMaxExt=argmax_ext ArgMinExt=argmin_ext AsStrided=as_strided AsinExt=asin_ext AsinhExt=asinh_ext Atan2Ext=atan2_ext
    AtanExt=atan_ext AvgPool3DExt=avg_pool3d_ext BincountExt=bincount_ext BitwiseAndScalar=bitwise_and_ext
    BitwiseAndTensor=bitwise_and_ext BitwiseOrScalar=bitwise_or_ext BitwiseOrTensor=bitwise_or_ext
    BitwiseXorScalar=bitwise_xor_ext BitwiseXorTensor=bitwise_xor_ext BroadcastToView=broadcast_to_view ChunkView=chunk_view
    Conv2DExt=conv2d_ext CumminExt=cummin_ext CumsumExt=cumsum_ext DiagExt=diag_ext EinsumExt=einsum_ext
    ExpandDimsView=expand_dims_view FlattenExt=flatten_ext HistcExt=histc_ext L1LossExt=l1_loss_ext
    LeakyReLUExt=leaky_relu_ext LinSpaceExt=linspace_ext MSELossExt=mse_loss_ext MatMulExt=matmul_ext
    MatrixInverseExt=matrix_inverse_ext MaxUnpool2DExt=max_unpool2d_ext MeanExt=mean_ext MishExt=mish_ext
    NarrowView=narrow_view OnesLikeExt=ones_like_ext ProdExt=prod_ext RepeatInterleaveTensor=repeat_interleave_ext
    ScatterAddExt=scatter_add_ext SeLUExt=selu_ext SelectExtView=select_ext_view SoftplusExt=softplus_ext SortExt=sort_ext
    SubExt=sub_ext SubScalar=sub_ext SumExt=sum_ext TExt=t_ext TopkExt=topk_ext TraceExt=trace_ext TrilExt=tril_ext
    ZerosLikeExt=zeros_like_ext
mint.nn.functional: AdaptiveAvgPool1D=adaptive_avg_pool1d AvgPool1D=avg_pool1d AvgPool2D=avg_pool2d Conv1DExt=conv1d
    Conv3DExt=conv3d ConvTranspose2D=conv_transpose2d CosineEmbeddingLoss=cosine_embedding_loss Embedding=embedding
    GeluExt=gelu GroupNorm=group_norm Hardtanh=hardtanh KLDiv=kl_div LayerNormExt=layer_norm LogSigmoid=logsigmoid
    PixelShuffle=pixel_shuffle Threshold=threshold
ops: AddRmsNorm=add_rms_norm BoolNot=bool_not DiagonalView=diagonal ExpandAs=expand_as FFT2=fft2 FFT=fft FFTFreq=fftfreq
    FFTN=fftn FFTShift=fftshift FloorDivScalar=floordiv HFFT2=hfft2 HFFT=hfft HFFTN=hfftn IFFT2=ifft2 IFFT=ifft IFFTN=ifftn
    IFFTShift=ifftshift IHFFT2=ihfft2 IHFFT=ihfft IHFFTN=ihfftn IRFFT2=irfft2 IRFFT=irfft IRFFTN=irfftn
    MoeTokenPermute=moe_token_permute MoeTokenUnpermute=moe_token_unpermute RFFT2=rfft2 RFFT=rfft RFFTFreq=rfftfreq
    RFFTN=rfftn RandpermExt=randperm RotaryPositionEmbedding=rotary_position_embedding RotatedIou=rotated_iou
    ScalarAdd=scalar_add ScalarDiv=scalar_div ScalarEq=scalar_eq ScalarFloorDiv=scalar_floordiv ScalarGe=scalar_ge
    ScalarGt=scalar_gt ScalarLe=scalar_le ScalarLog=scalar_log ScalarLt=scalar_lt ScalarMax=scalar_max ScalarMin=scalar_min
    ScalarMod=scalar_mod ScalarMul=scalar_mul ScalarPow=scalar_pow ScalarSub=scalar_sub ScalarUadd=scalar_uadd
    ScalarUsub=scalar_usub SiLU=silu Swiglu=swiglu TypeAs=type_as ViewAs=view_as
mint: Addbmm=addbmm AddcdivExt=addcdiv Addmm=addmm Addmv=addmv AnyExt=any Arange=arange ArgSort=argsort Baddbmm=baddbmm
    BatchNormElemt=batch_norm_elemt BatchNormGatherStatsWithCounts=batch_norm_gather_stats_with_counts
    BatchNormStats=batch_norm_stats BitwiseNot=bitwise_not Chunk=chunk ClampScalar=clamp ClampTensor=clamp Clone=clone
    ConvTbc=conv_tbc Dot=dot Empty=empty EmptyLike=empty_like EqScalar=eq EqualExt=equal Exp2=exp2 FmodScalar=fmod
    FmodTensor=fmod Frac=frac FullLike=full_like GreaterEqualScalar=greater_equal ImagView=imag IndexAddExt=index_add
    IndexSelect=index_select IsNegInf=isneginf Kthvalue=kthvalue LessScalar=less Log10=log10 Log2=log2 LogAddExp2=logaddexp2
    LogAddExp=logaddexp LogSumExp=logsumexp Mm=mm Mv=mv Nansum=nansum Narrow=narrow Norm=norm NpuGelu=npu_gelu Outer=outer
    RepeatInterleaveInt=repeat_interleave SplitTensor=split SplitWithSize=split RealView=real Std=std StdMean=std_mean
    Take=take TriangularSolve=triangular_solve Var=var VarMean=var_mean Vdot=vdot
Tensor: InplaceAddExt=add_ InplaceAddsExt=add_ InplaceMul=mul_ InplaceMuls=mul_ InplaceDivMod=div_ InplaceDivMods=div_
    InplaceFloorDivide=floor_divide_ InplaceFloorDivides=floor_divide_ InplaceAddmm=addmm_ InplaceClampScalar=clamp_
    InplaceClampTensor=clamp_ InplaceCopy=copy_ InplaceErfinv=erfinv_ InplaceExp=exp_ InplaceFloor=floor_ InplaceLog=log_
    InplaceSigmoid=sigmoid_ InplaceSign=sign_ InplaceTanh=tanh_ InplaceZero=zero_ InplaceFillDiagonal=fill_diagonal_
    InplaceFillScalar=fill_ InplaceFillTensor=fill_ InplaceMaskedScatter=masked_scatter_ InplacePut=put_
    InplaceIndexPut=index_put_ InplaceIndexCopy=index_copy_
InplaceSubExt(input, other, alpha=1) -> Tensor.sub_
InplaceSubScalar(input, other, alpha=1) -> Tensor.sub_
InplaceDiv(input, other) -> Tensor.div_
InplaceDivs(input, other) -> Tensor.div_
InplaceRemainderTensorScalar(input, other) -> Tensor.remainder_
InplaceRemainderTensorTensor(input, other) -> Tensor.remainder_
InplaceMaskedFillScalar(input, mask, value) -> Tensor.masked_fill_
InplaceMaskedFillTensor(input, mask, value) -> Tensor.masked_fill_
InplaceScatterSrc(input, dim, index, src) -> Tensor.scatter_
InplaceIndexFillScalar(input, dim, index, value) -> Tensor.index_fill_
InplaceIndexFillTensor(input, dim, index, value) -> Tensor.index_fill_
""",
    root="msjax",
    Tensor=Tensor,
)


def key(name: str) -> str:
    """Return a name without its underscores and capitals: "AddExt" and "add_ext" are one."""
    return name.replace("_", "").lower()


@functools.cache
def lookup(name: str) -> Any:
    """Return the object behind a name of `ops.auto_generate` that its stub does not list.

    Raises:
        AttributeError: if it stands for nothing here.

    Examples:
        >>> import msjax as ms
        >>> from msjax.ops.generated.functions import lookup
        >>> print(lookup("AddExt")()(ms.Tensor(1.0), ms.Tensor(2.0), 3), lookup("relu_op")(ms.Tensor(-1.0)))
        7.0 0.0
    """
    for stem, find in (
        (name, _exact),
        (name.removesuffix("_op"), _instance if name.endswith("_op") else _find_nothing),
        (name, _method if name.endswith("_") else _function),
        (name, _instance if name[:1].islower() else _find_nothing),
        (name, _function_of_class if name[:1].islower() else _find_nothing),
    ):
        found = find(stem)
        if found is not None:
            return found
    raise AttributeError(f"module 'msjax.ops.auto_generate' has no attribute {name!r}.")


def has(name: str) -> bool:
    """Return True if `lookup` finds the name."""
    try:
        lookup(name)
    except AttributeError:
        return False
    return True


def _find_nothing(name: str) -> None:
    """Finds nothing."""


def _exact(name: str) -> type | None:
    """Return the class of this name."""
    return _class(name) if name in _class_names() else None


def _instance(name: str) -> Any:
    """Return an object of the class of this name, if it is made of nothing."""
    made = _class(_classes().get(key(name), ""))
    if made is None:
        return None
    needed = [p for p in inspect.signature(made).parameters.values() if p.default is p.empty]
    return None if needed else made()


def _function_of_class(name: str) -> Callable | None:
    """Return a function of the arguments of a class and then of what it is made with: `reverse_v2(x, axis)`."""
    made = _class(_classes().get(key(name), ""))
    if made is None:
        return None
    settings = list(inspect.signature(made).parameters.values())
    arguments = list(inspect.signature(made.__call__).parameters.values())[1:]
    if any(p.default is not p.empty for p in arguments):
        return None
    signature = inspect.Signature([*arguments, *settings])

    def applied(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs).arguments
        own = {p.name: given.pop(p.name) for p in settings if p.name in given}
        return made(**own)(*given.values())

    applied.__name__ = applied.__qualname__ = name
    applied.__signature__ = signature  # type: ignore[attr-defined]
    return applied


def _method(name: str) -> Callable | None:
    """Return the in-place method of Tensor with this name, as a function."""
    return getattr(Tensor, name, None)


def _function(name: str) -> Callable | None:
    """Return the function of `ops` with this name; names with an underscore before them are none of its."""
    found = getattr(ops, name, None) if name.islower() and not name.startswith("_") else None
    return None if isinstance(found, Missing) else found


@functools.cache
def _class_names() -> dict[str, None]:
    """Return the classes that there are, in the order in which they are looked for."""
    names = [n for n in (*dir(gradients), *dir(operations)) if n[:1].isupper()]
    return dict.fromkeys([*names, *TABLE.rows, *classes.TABLE.rows])


@functools.cache
def _classes() -> dict[str, str]:
    """Return the same by their keys. Two may have one: `GeLU` and `Gelu`."""
    return {key(n): n for n in _class_names()}


@functools.cache
def _class(name: str) -> type | None:
    """Return a class: as `ops.operations` or `generated.gradients` has it, or made of a function or method."""
    if not name:
        return None
    if name in classes.TABLE.rows:
        return classes.TABLE.make_class(name)
    if name in TABLE.rows:
        return _of(TABLE.rows[name])
    home: Any = gradients if name in dir(gradients) else operations
    return getattr(home, name)


def _of(row: Row) -> type:
    """Return a class whose objects call a function; all of its parameters may be given by position."""
    target, signature = TABLE.load(row.target), row.signature
    params = [p.replace(annotation=p.empty) for p in inspect.signature(target).parameters.values()]
    own = [
        p.replace(kind=p.POSITIONAL_OR_KEYWORD)
        for p in sorted(params, key=lambda p: p.default is not p.empty)
    ]
    if not signature and all(type(p.default) in _WRITTEN for p in own):
        signature = str(inspect.Signature(own)).replace("(self", "(input", 1)
    given = [p.name for p in parameters(signature)] if signature else []
    for here, there in zip(given, params, strict=False):
        if here != there.name and (here != "input" or here is given[0]):
            signature = re.sub(rf"(?<=[( ]){here}\b", f"{here}: {there.name}", signature, count=1)
    row = dataclasses.replace(row, signature=signature)
    return make_class(row, target, module="msjax.ops.auto_generate")


_WRITTEN = {
    type,
    type(None),
    bool,
    int,
    float,
    str,
    tuple,
}  # defaults that can be written down, and an absent one
