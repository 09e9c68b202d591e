"""Features that libraries on top of PyTorch use: operators by name, state dicts, trees, comparisons; as PyTorch 2.13."""

from collections import OrderedDict
from types import SimpleNamespace

import pytest

from msjax import torch
from msjax.torch.nn import functional
from msjax.torch.utils import _pytree

MAP = torch.arange(32.0).reshape(1, 2, 4, 4)
REGIONS = torch.tensor([[0.0, 0.5, 0.0, 3.0, 2.5], [0, 1, 1, 1.2, 3]])
HALF = [0.375, 2.125, 16.375, 18.125, 1.05, 3.05, 17.05, 19.05]
WHOLE = [2.125, 4.625, 18.125, 20.625, 4.0, 6.0, 20.0, 22.0]


@pytest.fixture(scope="module")
def vision():
    torch.ops.load_library("torchvision/_C.so")
    return torch.ops.torchvision


@pytest.mark.parametrize(
    ("aligned", "ratio", "expected", "slope"),
    [
        (True, 2, HALF, 28.2934),
        (True, -1, HALF, 28.2934),
        (False, 2, WHOLE, 23.0657),
        (False, -1, WHOLE, 31.6785),
    ],
)
def test_roi_align(vision, aligned, ratio, expected, slope):
    x = MAP.clone().requires_grad_()
    found = vision.roi_align(x, REGIONS, 0.5, 2, 1, ratio, aligned)
    torch.testing.assert_close(found.detach().flatten(), torch.tensor(expected))
    (found * torch.tensor([1.0, 2.0]).reshape(1, 2, 1, 1)).sum().backward()
    assert round(x.grad.pow(2).sum().item(), 4) == pytest.approx(slope, abs=2e-4)


def test_nms(vision):
    boxes = torch.tensor([[0.0, 0, 4, 4], [0, 0, 4, 3], [5, 5, 6, 6], [1, 1, 4, 4]])
    scores = torch.tensor([0.5, 0.9, 0.1, 0.6])
    assert vision.nms(boxes, scores, 0.5).tolist() == [1, 3, 2]
    assert vision.nms(boxes, scores, 0.8).tolist() == [1, 3, 0, 2]
    with pytest.raises(RuntimeError, match="4 elements"):
        vision.nms(boxes[:, :3], scores, 0.5)
    with pytest.raises(NotImplementedError, match="torchvision::deform_conv2d"):
        vision.deform_conv2d()
    with pytest.raises(OSError, match="compiled for PyTorch"):
        torch.ops.load_library("other.so")


@pytest.mark.parametrize(
    ("mode", "expected", "slope"),
    [
        ("bilinear", [21.408, 28.28, 36.101, 83.35, 95.115, 107.381], 743.27),
        ("bicubic", [16.307, 23.371, 31.665, 86.514, 99.767, 113.598], 742.45),
    ],
)
def test_antialias(mode, expected, slope):
    x = torch.arange(30.0).reshape(1, 1, 5, 6).pow(1.5).requires_grad_()
    y = functional.interpolate(x, size=(2, 3), mode=mode, antialias=True)
    torch.testing.assert_close(y.detach().flatten(), torch.tensor(expected), rtol=0, atol=1e-3)
    y.pow(2).sum().backward()
    assert x.grad.sum().item() == pytest.approx(slope, abs=1e-2)


def test_custom_operators_have_their_gradient():
    @torch.library.custom_op("tests::triple", mutates_args=())
    def triple(x: torch.Tensor) -> torch.Tensor:
        return x * 3

    triple.register_autograd(lambda ctx, g: g * ctx.factor, setup_context=_remember)
    x = torch.ones(2, requires_grad=True)
    torch.ops.tests.triple(x).sum().backward()
    assert x.grad.tolist() == [7, 7]


def _remember(ctx, inputs, output):
    ctx.factor = 7


class Inner(torch.nn.Linear):
    def __init__(self):
        super().__init__(2, 2)
        self.seen = []

    def _load_from_state_dict(self, state_dict, prefix, *rest):
        self.seen.append(prefix)
        old = state_dict.pop(f"{prefix}kernel", None)
        if old is not None:
            state_dict[f"{prefix}weight"] = old.t()
        super()._load_from_state_dict(state_dict, prefix, *rest)

    def get_extra_state(self):
        return {"k": 1}

    def set_extra_state(self, state):
        self.extra = state


class Outer(torch.nn.Module):
    _version = 2

    def __init__(self):
        super().__init__()
        self.a = Inner()
        self.b = self.a


def test_state_dicts_go_through_the_modules_methods_and_hooks():
    net, calls = Outer(), []
    state = net.state_dict()
    assert [*state] == ["a.weight", "a.bias", "a._extra_state", "b.weight", "b.bias", "b._extra_state"]
    assert state._metadata == OrderedDict(
        [("", {"version": 2}), ("a", {"version": 1}), ("b", {"version": 1})]
    )
    net._register_load_state_dict_pre_hook(
        lambda state, prefix, *rest: calls.append(("before", prefix, len(rest)))
    )
    net.register_load_state_dict_post_hook(lambda module, keys: calls.append(keys.missing_keys))
    state["a.kernel"] = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    del state["a.weight"], state["b.weight"]
    keys = net.load_state_dict(state, strict=False)
    assert keys == (["b.weight"], [])
    assert net.a.weight.tolist() == [[1, 3], [2, 4]]
    assert net.a.seen == ["a.", "b."]
    assert net.a.extra == {"k": 1}
    assert calls == [("before", "", 5), ["b.weight"]]
    with pytest.raises(RuntimeError, match=r'Missing key\(s\) in state_dict: "b.weight"') as found:
        net.load_state_dict({**state, "q": torch.ones(1), "a.bias": torch.ones(3)})
    assert 'Unexpected key(s) in state_dict: "q"' in str(found.value)
    assert "size mismatch for a.bias: copying a param with shape torch.Size([3]) from checkpoint" in str(
        found.value
    )
    with pytest.raises(TypeError, match="dict-like"):
        net.load_state_dict([1])


def test_names_of_what_is_there_twice():
    net = Outer()
    assert [name for name, _ in net.named_parameters()] == ["a.weight", "a.bias"]
    assert [name for name, _ in net.named_parameters(remove_duplicate=False)] == [
        "a.weight", "a.bias", "b.weight", "b.bias",
    ]  # fmt: skip
    assert [name for name, _ in net.named_modules(remove_duplicate=False)] == ["", "a", "b"]


def test_a_modules_result_keeps_its_class():
    class Output(OrderedDict):
        """The result of Hugging Face's models."""

    class Net(torch.nn.Module):
        def forward(self, x):
            return Output(y=x)

    assert type(Net()(torch.ones(1))) is Output


def test_tensors_of_subclasses():
    class Boxes(torch.Tensor):
        def __new__(cls, data, *, form):
            made = torch.as_tensor(data).as_subclass(cls)
            made.form = form
            return made

    boxes = Boxes([[1, 2]], form="xy")
    assert (type(boxes), boxes.form, boxes.dtype) == (Boxes, "xy", torch.int64)
    assert type(boxes + 1) is Boxes


def test_shared_memory_is_refused():
    with pytest.raises(NotImplementedError, match="share no memory"):
        torch.nn.Linear(1, 1).share_memory()
    with pytest.raises(NotImplementedError, match="share no memory"):
        torch.ones(1).share_memory_()


def test_trees():
    tree = {"b": (1, [2, None]), "a": OrderedDict(x=3)}
    leaves, spec = _pytree.tree_flatten(tree)
    assert leaves == [1, 2, None, 3]
    assert _pytree.tree_unflatten(leaves, spec) == tree
    assert _pytree.tree_map(lambda x, y: (x, y), [1, (2,)], [3, (4,)]) == [(1, 3), ((2, 4),)]
    with pytest.raises(ValueError, match="but the spec refers to a pytree that holds 4"):
        _pytree.tree_unflatten([1], spec)


def test_comparisons():
    close = torch.testing.assert_close
    close([torch.ones(2)], [torch.ones(2) + 1e-7])
    with pytest.raises(
        AssertionError, match=r"Mismatched elements: 1 / 2 \(50.0%\)\nGreatest absolute difference: 1.0 at"
    ):
        close(torch.ones(2), torch.tensor([1.0, 2.0]))
    with pytest.raises(AssertionError, match=r"'dtype' do not match: torch.float32 != torch.int64"):
        close(torch.ones(2), torch.ones(2, dtype=torch.int64))
    with pytest.raises(AssertionError, match=r"item \['x'\]"):
        close({"x": torch.ones(1)}, {"x": torch.zeros(1)})


def test_foreach():
    tensors = [torch.ones(2), torch.ones(3)]
    torch._foreach_mul_(tensors, 2.0)
    torch._foreach_add_(tensors, tensors, alpha=0.5)
    assert [x.tolist() for x in tensors] == [[3, 3], [3, 3, 3]]
    assert [x.tolist() for x in torch._foreach_addcdiv(tensors, tensors, tensors, 2.0)] == [[5, 5], [5, 5, 5]]
    assert torch._foreach_norm(tensors)[0].item() == pytest.approx(18**0.5)


def test_profiles_keep_what_programs_mark():
    steps = []
    plan = torch.profiler.schedule(wait=1, warmup=1, active=1, repeat=1)
    with torch.profiler.profile(schedule=plan, on_trace_ready=lambda p: steps.append(p.step_num)) as found:
        for _ in range(5):
            with torch.profiler.record_function("part"):
                torch.ones(1)
            found.step()
    assert steps == [2]


def test_tensorboard_takes_tensors(tmp_path):
    from msjax.torch.utils.tensorboard import SummaryWriter

    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("loss", torch.tensor(1.0, requires_grad=True), 1)
        writer.add_scalars("two", {"a": torch.tensor(1.0)}, 1)
        writer.add_histogram("weights", torch.ones(3), 1)
    assert SimpleNamespace(files=[*tmp_path.rglob("events*")]).files


@pytest.mark.parametrize("name", ["uniform_", "trunc_normal_", "xavier_normal_", "kaiming_uniform_"])
def test_start_values_are_drawn_from_the_generator(name):
    fill = getattr(torch.nn.init, name)
    first, again = (fill(torch.zeros(3, 4), generator=torch.Generator().manual_seed(5)) for _ in range(2))
    assert torch.equal(first, again)
    assert not torch.equal(first, fill(torch.zeros(3, 4)))
