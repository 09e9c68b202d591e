"""Contents of checkpoint files and ways to load them, recorded and tested."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

KEY = b"0123456789abcdef"
MODES = ("AES-GCM", "AES-CBC", "SM4-CBC")
DTYPES = (
    "bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64".split()
)  # those that MindSpore loads again
APPENDED = {"epoch": 3, "loss": 0.25, "done": True, "note": "naïve 漢字", "empty": ""}


def make_net(ms: Any) -> Any:
    """A small network with fixed weights."""
    nn = ms.nn

    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.conv = nn.Conv2d(1, 2, 3, has_bias=True)
            self.bn = nn.BatchNorm2d(2)
            self.body = nn.SequentialCell(nn.Dense(2, 3), nn.LayerNorm((3,)))
            self.emb = nn.Embedding(4, 2)
            self.scale = ms.Parameter(ms.Tensor(np.float32(2.0)))
            self.own = ms.Parameter(ms.Tensor(np.float32([1.0])), name="renamed")

    net = Net()
    for i, parameter in enumerate(net.get_parameters()):
        values = (
            np.linspace(-1, 1, int(np.prod(parameter.shape)), dtype=np.float32).reshape(parameter.shape) + i
        )
        parameter.set_data(ms.Tensor(values.astype(np.float32)))
    return net


def entries(ms: Any) -> list[dict]:
    """A list for `save_checkpoint` with every dtype and several shapes."""
    found = [
        {
            "name": f"t.{dtype}",
            "data": ms.Tensor(np.array([[0, 1, 2], [100, 1, 0]])).astype(getattr(ms, dtype)),
        }
        for dtype in DTYPES
    ]
    found.append({"name": "scalar", "data": ms.Tensor(np.float32(1.5))})
    found.append({"name": "one", "data": ms.Tensor(np.float32([2.5]))})
    found.append({"name": "a long name/with: signs é", "data": ms.Tensor(np.arange(3, dtype=np.int32))})
    return found


def same(found: dict, expected: dict) -> bool:
    """Whether two descriptions of a checkpoint agree; an optimizer's sums may differ in the last place."""

    def alike(a: Any, b: Any) -> bool:
        if isinstance(a, str) or isinstance(b, str):
            return a == b
        return a[:2] == b[:2] and np.allclose(a[2], b[2], rtol=1e-5, atol=0)

    return list(found) == list(expected) and all(alike(found[name], expected[name]) for name in found)


def parameters(ms: Any) -> list:
    """Parameters of an optimizer to save."""
    shapes = {"fc.weight": (2, 3), "fc.bias": (3,)}
    return [ms.Parameter(ms.Tensor(np.full(s, 0.5, np.float32)), name=n) for n, s in shapes.items()]


# ------------------------------------------------------------------------------------------ what load_checkpoint takes

LOADS: dict[str, dict] = {
    "plain": {},
    "filter str": {"filter_prefix": "conv"},
    "filter list": {"filter_prefix": ["conv", "bn.m"]},
    "filter tuple": {"filter_prefix": ("conv",)},
    "specify str": {"specify_prefix": "conv"},
    "specify list": {"specify_prefix": ["conv", "bn.g"]},
    "both": {"specify_prefix": "conv", "filter_prefix": "conv.b"},
    "choice": {"choice_func": lambda name: "gamma" in name},
    "choice and filter": {"choice_func": lambda name: "gamma" in name, "filter_prefix": "bn"},
    "crc": {"crc_check": True},
    "strict": {"strict_load": True},
    "redundancy": {"remove_redundancy": True},
    "nothing left": {"specify_prefix": "zz"},
    "choice of nothing": {"choice_func": lambda name: False},
    "all filtered": {"filter_prefix": ["conv", "bn", "body", "emb", "scale", "renamed"]},
    "empty filter": {"filter_prefix": ""},
    "empty specify": {"specify_prefix": ""},
    "no filters": {"filter_prefix": []},
    "filter int": {"filter_prefix": 1},
    "specify ints": {"specify_prefix": [1]},
    "choice int": {"choice_func": 1},
    "net int": {"net": 1},
    "dec_key int": {"dec_key": 1},
    "dec_mode int": {"dec_mode": 1},
    "crc int": {"crc_check": 1},
    "redundancy int": {"remove_redundancy": 1},
    "format": {"format": "foo"},
    "unknown": {"foo": 1},
}


@dataclass(frozen=True)
class Into:
    """Return the argument of `load_param_into_net`: (name, shape, dtype, value) of Parameters, or something else."""

    entries: tuple[tuple[str, tuple, str, float], ...] = ()
    other: Callable[[Any], Any] | None = None
    strict: Any = False
    redundancy: Any = False
    net: Any = None

    def given(self, ms: Any) -> Any:
        if self.other is not None:
            return self.other(ms)
        return {
            name: ms.Parameter(ms.Tensor(np.full(shape, value)).astype(getattr(ms, dtype)), name=name)
            for name, shape, dtype, value in self.entries
        }


ROOT = {"fc.weight": (3, 2), "fc.bias": (3,), "out.weight": (1, 3), "out.bias": (1,), "scale": ()}


def target(ms: Any) -> Any:
    """The network that values are put into: five float32 Parameters and an int32 one, all zero."""

    class Part(ms.nn.Cell):
        def __init__(self, weight: tuple, bias: tuple) -> None:
            super().__init__()
            self.weight = ms.Parameter(ms.Tensor(np.zeros(weight, np.float32)))
            self.bias = ms.Parameter(ms.Tensor(np.zeros(bias, np.float32)))

    class Net(ms.nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.fc = Part((3, 2), (3,))
            self.out = Part((1, 3), (1,))
            self.scale = ms.Parameter(ms.Tensor(np.float32(0)))
            self.step = ms.Parameter(ms.Tensor(np.zeros(1, np.int32)))

    return Net()


def _all(prefix: str = "", value: float = 1.0, dtype: str = "float32", skip: tuple = ()) -> tuple:
    found = [(prefix + n, s, dtype, value) for n, s in ROOT.items() if n not in skip]
    return (*found, (prefix + "step", (1,), "int32", value)) if "step" not in skip else tuple(found)


INTO: dict[str, Into] = {
    "all": Into(_all()),
    "nothing": Into(),
    "one missing": Into(_all(skip=("fc.bias",))),
    "one more": Into((*_all(), ("more", (2,), "float32", 1.0))),
    "prefix": Into(_all("net.")),
    "prefix, strict": Into(_all("net."), strict=True),
    "prefix without dot": Into(_all("net")),
    "prefix, one missing": Into(_all("net.", skip=("fc.bias",))),
    "two prefixes": Into((*_all("a."), *_all("b.", 2.0))),
    "two prefixes, one missing": Into((*_all("a.", skip=("fc.bias",)), *_all("b.", 2.0))),
    "prefix for what is missing": Into((*_all(skip=("fc.bias", "out.weight")), *_all("m.", 3.0))),
    "float16": Into(_all(dtype="float16")),
    "float64": Into(_all(dtype="float64")),
    "bfloat16": Into(_all(dtype="bfloat16")),
    "float16, strict": Into(_all(dtype="float16"), strict=True),
    "float64, strict": Into(_all(dtype="float64"), strict=True),
    "int32 for float32": Into(_all(dtype="int32")),
    "bool for float32": Into(_all(dtype="bool_")),
    "int64 for int32": Into((("step", (1,), "int64", 5),)),
    "float32 for int32": Into((("step", (1,), "float32", 5),)),
    "uint8 for int32": Into((("step", (1,), "uint8", 5),)),
    "other shape": Into((("fc.bias", (4,), "float32", 1),)),
    "other rank": Into((("fc.bias", (1, 3), "float32", 1),)),
    "scalar for one": Into((("step", (), "int32", 1),)),
    "one for scalar": Into((("scale", (1,), "float32", 4),)),
    "other shape by suffix": Into((("net.fc.bias", (4,), "float32", 1),)),
    "text": Into(other=lambda ms: {"note": "text"}),
    "text for a parameter": Into(other=lambda ms: {"fc.bias": "text"}),
    "tensor": Into(other=lambda ms: {"fc.bias": ms.Tensor(np.ones(3, np.float32))}),
    "array": Into(other=lambda ms: {"fc.bias": np.ones(3, np.float32)}),
    "int key": Into(other=lambda ms: {1: ms.Parameter(ms.Tensor(1.0), name="a")}),
    "list": Into(other=lambda ms: [1]),
    "strict int": Into(_all(), strict=1),
    "redundancy int": Into(_all(), redundancy=1),
    "net int": Into(_all(), net=1),
}

# ------------------------------------------------------------------------------------------ what save_checkpoint takes

SAVES: dict[str, Callable[[Any], tuple[Any, dict]]] = {
    "None": lambda ms: (None, {}),
    "int": lambda ms: (1, {}),
    "str": lambda ms: ("x", {}),
    "tuple": lambda ms: ((1,), {}),
    "Tensor": lambda ms: (ms.Tensor(1.0), {}),
    "array": lambda ms: (np.ones(2), {}),
    "list of ints": lambda ms: ([1], {}),
    "list of Tensors": lambda ms: ([ms.Tensor(1.0)], {}),
    "list of pairs": lambda ms: ([("a", ms.Tensor(1.0))], {}),
    "dicts without data": lambda ms: ([{"name": "a"}], {}),
    "dicts without name": lambda ms: ([{"data": ms.Tensor(1.0)}], {}),
    "name int": lambda ms: ([{"name": 1, "data": ms.Tensor(1.0)}], {}),
    "data int": lambda ms: ([{"name": "a", "data": 1}], {}),
    "data array": lambda ms: ([{"name": "a", "data": np.ones(2)}], {}),
    "dict of int keys": lambda ms: ({1: ms.Tensor(1.0)}, {}),
    "dict of arrays": lambda ms: ({"a": np.ones(2)}, {}),
    "dict of str": lambda ms: ({"a": "text"}, {}),
    "list of Parameters": lambda ms: ([ms.Parameter(ms.Tensor(1.0), name="p")], {}),
    "integrated_save": lambda ms: (parameters(ms), {"integrated_save": 1}),
    "async_save int": lambda ms: (parameters(ms), {"async_save": 1}),
    "async_save str": lambda ms: (parameters(ms), {"async_save": "foo"}),
    "append_dict int": lambda ms: (parameters(ms), {"append_dict": 1}),
    "append None": lambda ms: (parameters(ms), {"append_dict": {"a": None}}),
    "append list": lambda ms: (parameters(ms), {"append_dict": {"a": [1]}}),
    "append array": lambda ms: (parameters(ms), {"append_dict": {"a": np.ones(2)}}),
    "append bytes": lambda ms: (parameters(ms), {"append_dict": {"a": b"x"}}),
    "append complex": lambda ms: (parameters(ms), {"append_dict": {"a": 1j}}),
    "append int key": lambda ms: (parameters(ms), {"append_dict": {1: 2}}),
    "append Tensor": lambda ms: (parameters(ms), {"append_dict": {"a": ms.Tensor([1, 2])}}),
    "append Parameter": lambda ms: (
        parameters(ms),
        {"append_dict": {"a": ms.Parameter(ms.Tensor(1.0), name="q")}},
    ),
    "append over": lambda ms: (parameters(ms), {"append_dict": {"fc.bias": 3}}),
    "enc_key int": lambda ms: (parameters(ms), {"enc_key": 1}),
    "enc_key short": lambda ms: (parameters(ms), {"enc_key": b"123"}),
    "enc_mode": lambda ms: (parameters(ms), {"enc_key": KEY, "enc_mode": "foo"}),
    "enc safetensors": lambda ms: (parameters(ms), {"enc_key": KEY, "format": "safetensors"}),
    "SM4 long key": lambda ms: (parameters(ms), {"enc_key": KEY * 2, "enc_mode": "SM4-CBC"}),
    "choice_func int": lambda ms: (parameters(ms), {"choice_func": 1}),
    "choice": lambda ms: (parameters(ms), {"choice_func": lambda name: "bias" in name}),
    "crc int": lambda ms: (parameters(ms), {"crc_check": 1}),
    "format": lambda ms: (parameters(ms), {"format": "foo"}),
}

PATHS: dict[str, Any] = {"int": 1, "empty": "", "folder": ".", "no folder": "missing/a.ckpt"}


# ------------------------------------------------------------------------------------------ damaged files


def damaged(good: bytes, checked: bytes) -> dict[str, tuple[bytes, dict]]:
    """Files that cannot be read, and how they are read: made of a good one and of one with a checksum."""
    flipped = bytearray(checked)
    flipped[len(checked) // 2] ^= 1
    return {
        "garbage": (b"this is no checkpoint", {}),
        "empty": (b"", {}),
        "cut at the end": (good[:-5], {}),
        "cut in the middle": (good[: len(good) // 2], {}),
        "cut in a header": (good[:3], {}),
        "one bit": (bytes(flipped), {"crc_check": True}),
        "zeros": (bytes(64), {}),
        "not encrypted": (good, {"dec_key": KEY}),
    }
