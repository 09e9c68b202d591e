"""Names of MindSpore's that msjax has not: importing one is harmless, using it says what to do."""

import importlib

import pytest

import msjax
from msjax import nn
from msjax.public_api import import_hook, recorded_api
from msjax.public_api.placeholders import Missing, missing


@pytest.fixture
def absent(monkeypatch):
    """A module of which MindSpore has a name that is not here."""
    monkeypatch.setattr(
        recorded_api, "names", lambda module: {"Densest": "c()"} if module.endswith("nn") else {}
    )
    return missing("msjax.nn")("Densest")


def test_using_it_names_the_nearest_and_where_more_is_said(absent):
    with pytest.raises(
        NotImplementedError,
        match=r"`mindspore.nn.Densest` .* nearest that exist: Dense.* msjax explain mindspore.nn.Densest",
    ):
        absent(3, 4)
    with pytest.raises(NotImplementedError):
        absent.attribute  # noqa: B018


def test_it_can_be_looked_at(absent):
    assert repr(absent) == "<missing mindspore.nn.Densest>"
    assert not hasattr(absent, "__wrapped__")
    assert not isinstance(3, absent)


def test_a_class_may_be_derived_from_it(absent):
    class Denser(absent):
        pass

    with pytest.raises(NotImplementedError, match="Densest"):
        Denser()


def test_names_that_mindspore_has_not_are_errors():
    with pytest.raises(AttributeError, match=r"Did you mean .*Dense"):
        nn.Dens  # noqa: B018
    with pytest.raises(ImportError):
        importlib.import_module("msjax.nn.nothing")
    with pytest.raises(AttributeError):
        msjax._nothing  # noqa: B018


def test_every_public_name_can_be_imported():
    for module in (
        "mindspore",
        "mindspore.nn",
        "mindspore.ops",
        "mindspore.numpy",
        "mindspore.train",
        "mindspore.hal",
    ):
        place = importlib.import_module("msjax" + module.removeprefix("mindspore"))
        assert not [name for name in recorded_api.names(module) if not hasattr(place, name)], module


def test_modules_that_are_not_here_import_and_their_names_raise():
    with import_hook.install_as("mindspore"):
        absent = importlib.import_module("mindspore.profiler.profile")
        assert isinstance(absent.AicoreMetrics, Missing)
        assert "AicoreMetrics" in dir(absent)
        with pytest.raises(NotImplementedError, match=r"mindspore\.profiler\.profile\.AicoreMetrics"):
            absent.AicoreMetrics()
        with pytest.raises(AttributeError):
            absent.nothing  # noqa: B018
        with pytest.raises(ModuleNotFoundError, match="nothing"):
            importlib.import_module("mindspore.nothing")
    assert "profile" not in vars(msjax.profiler)


INNER = """
from mindspore.nn.layer.conv import _Conv
from mindspore.ops.auto_generate import GroupedMatmulV4
from mindspore.parallel._cost_model_context import _set_rp_matmul_mem_coef
from mindspore.profiler.common.constant import ProfilerLevel
from mindspore.common.dtype import _issubclass_
"""


def test_inner_names_can_be_imported_and_raise_when_they_are_used():
    met = {}
    before = vars(msjax.core.dtype).get("__getattr__")
    with import_hook.install_as("mindspore"):
        exec(INNER, met)
        with pytest.raises(NotImplementedError, match=r"`mindspore\.parallel\..*_coef` of MindSpore"):
            met["_set_rp_matmul_mem_coef"](1)
        with pytest.raises(NotImplementedError, match=r"`mindspore\.ops\..*\.GroupedMatmulV4` of MindSpore"):
            met["GroupedMatmulV4"](split_item=3)(msjax.Tensor([1.0]))
        with pytest.raises(ImportError):
            exec("from mindspore.nn.layer.conv import _NoSuchLayer")
        with pytest.raises(ImportError):
            exec("from mindspore.common.dtype import no_such_type")
    with pytest.raises(AttributeError):
        msjax.ops.GroupedMatmulV4  # noqa: B018
    assert vars(msjax.core.dtype).get("__getattr__") is before
