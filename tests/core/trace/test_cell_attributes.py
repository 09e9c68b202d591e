"""Compiled functions assign to attributes, print and return, at each call."""

import jax
import numpy as np
import pytest

import msjax as ms
from msjax import Tensor, nn
from tests.trace_notes import TraceNotes


@pytest.fixture(autouse=True, params=["graph mode", "jit"])
def compiled(request):
    """Makes the compiled form of a Cell."""
    if request.param == "graph mode":
        ms.set_context(mode=ms.GRAPH_MODE)
    yield (lambda net: net) if request.param == "graph mode" else (lambda net: ms.jit(lambda x: net(x)))
    ms.set_context(mode=ms.PYNATIVE_MODE)


class Net(nn.Cell):
    def __init__(self, body, **attributes):
        super().__init__()
        self.traces = TraceNotes()
        self.body = body
        for name, value in attributes.items():
            setattr(self, name, value)

    def construct(self, x):
        self.traces.append(1)
        return self.body(self, x)


def count(net, x):
    net.count = net.count + 1
    return x + net.count


def swap(net, x):
    old = net.a
    net.a, net.b = net.b, net.a + x
    return old


def first(net, x):
    if net.first:
        net.first = False
        return x * 10
    return x


def cache(net, x):
    net.cache = x if net.cache is None else net.cache + x
    return net.cache


def branch(net, x):
    if x.sum() > 2:
        net.last = x * 2
    else:
        net.last = x
    return net.last


def several(net, x):
    net.last = [x, net.last[0]]
    return net.last[1]


# The function, its attributes, what four calls with 1, 2, 3, 4 return, an attribute afterwards, and how often it is traced.
CASES = {
    "count": (count, {"count": 0}, [2, 4, 6, 8], ("count", 4), 4),  # the third time as it is, then converted
    "swap": (swap, {"a": Tensor([1.0]), "b": Tensor([5.0])}, [1, 5, 2, 7], ("b", 11), 2),
    "first": (first, {"first": True}, [10, 2, 3, 4], ("first", False), 2),
    "cache": (cache, {"cache": None}, [1, 3, 6, 10], ("cache", 10), 2),
    "branch": (branch, {"last": Tensor([0.0])}, [1, 2, 6, 8], ("last", 8), 3),
    "several": (several, {"last": [Tensor([7.0]), Tensor([0.0])]}, [7, 1, 2, 3], ("last", None), 2),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_assigned_takes_effect_at_each_call(name, compiled):
    body, attributes, expected, (attribute, last), traces = CASES[name]
    net = Net(body, **attributes)
    given, before = jax.tree.leaves(attributes), [np.array(x) for x in jax.tree.leaves(attributes)]
    call = compiled(net)
    assert [call(Tensor([x])).item() for x in (1.0, 2.0, 3.0, 4.0)] == expected
    np.testing.assert_equal([np.array(x) for x in given], before)
    assert last is None or getattr(net, attribute) == last
    assert len(net.traces) == traces


def test_an_error_leaves_attributes_as_they_were(compiled):
    def body(net, x):
        net.last = x
        raise ValueError("too late")

    net = Net(body, last=None)
    with pytest.raises(ValueError, match="too late"):
        compiled(net)(Tensor([1.0]))
    assert net.last is None


def test_read_and_written_outside(compiled):
    def body(net, x):
        net.last = net.last + x
        return x

    net = Net(body, last=Tensor([1.0]))
    call = compiled(net)
    seen = []
    for _ in range(3):
        call(Tensor([1.0]))
        seen.append(net.last)
    net.last = zero = Tensor([0.0])
    call(Tensor([1.0]))
    assert [x.item() for x in (*seen, net.last, zero)] == [2, 3, 4, 1, 0]
    assert len(net.traces) == 2
    net.last = Tensor([1.0, 2.0])
    call(Tensor([1.0]))
    assert net.last.tolist() == [2, 3]
    del net.last
    assert not hasattr(net, "last")


def test_gradients_and_attributes(compiled):
    def body(net, x):
        net.last = x * 3
        return x * x

    net = Net(body, last=Tensor([0.0]))
    assert ms.grad(compiled(net))(Tensor([2.0])).tolist() == [4.0]
    assert net.last.asnumpy() == [6.0]


def test_print_prints_when_the_program_runs(compiled, capfd):
    def body(net, x):
        print(x, [x, {"k": x}], x.shape)
        return x

    call = compiled(Net(body))
    for value in (1.0, 2.0):
        call(Tensor([value])).asnumpy()
    jax.effects_barrier()
    printed = capfd.readouterr().out
    assert "1.0000" in printed
    assert "2.0000" in printed
    assert "traced" not in printed


def test_iterators_and_views_are_listed(compiled):
    def body(net, x):
        d = {"b": x, "a": 2}
        return map(abs, [x, 1]), zip((1, 2), (x, x), strict=True), range(2), d.keys(), d.items()

    mapped, zipped, numbers, keys, items = compiled(Net(body))(Tensor([1.0]))
    assert type(mapped) is list
    np.testing.assert_array_equal(mapped[0].asnumpy(), [1.0])
    assert mapped[1] == 1
    assert zipped[1][0] == 2
    assert (numbers, keys) == ((0, 1), ("b", "a"))
    assert items[1] == ("a", 2)


def test_numbers_of_numpy_are_pythons(compiled):
    def body(net, x):
        return np.sqrt(4), [np.int64(3), x], np.bool_(True)

    root, (three, x), yes = compiled(Net(body))(Tensor([1.0]))
    assert (type(root), type(three), type(yes)) == (float, int, bool)
    assert (root, three, yes, x.tolist()) == (2.0, 3, True, [1.0])
