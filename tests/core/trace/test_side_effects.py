"""Lists, dicts and objects outside that compiled functions return or change: at each call, as without compilation."""

from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np
import pytest

import msjax as ms
from msjax import Tensor, nn


def plain(x):
    """Tensors as what they hold."""
    if isinstance(x, Tensor):
        return x.tolist()
    if isinstance(x, dict):
        return {key: plain(value) for key, value in x.items()}
    return type(x)(map(plain, x)) if isinstance(x, list | tuple | set | deque) else x


class Box:
    """An object of a user's."""

    def __init__(self):
        self.v = 1
        self.items = []


def both(make, *calls):
    """Return the traces that calls of a function leave, eagerly and compiled; `make` gives it and what it changes."""
    found = []
    for way in (lambda fn: fn, ms.jit):
        fn, things = make()
        call = way(fn)
        returned = [plain(call(Tensor(x))) for x in calls]
        found.append((returned, [plain(vars(t) if isinstance(t, Box) else t) for t in things]))
    assert found[0] == found[1]
    return found[1]


def growing():
    kept = []
    return (lambda x: kept.append(x + 1) or x), [kept]


def reversing():
    kept, inner = [1, 2, 3], [[1, 2], [3]]

    def fn(x):
        kept.reverse()
        inner[0].reverse()
        inner[1].extend([4])
        return x

    return fn, [kept, inner]


def counting():
    kept = {"n": 0, "last": None}

    def fn(x):
        kept["n"] = kept["n"] + 1
        kept["last"] = x * 2
        return x + kept["n"]

    return fn, [kept]


def objects():
    box = Box()

    def fn(x):
        box.v = box.v + 1
        box.items.append(x * box.v)
        setattr(box, "more", x)  # noqa: B010
        return x

    return fn, [box]


def branches():
    kept, table = [1], {}

    def fn(x):
        if x > 0:
            kept.append(2)
            table["y"] = x
        else:
            kept.append(3)
            table["y"] = -x
        return x

    return fn, [kept, table]


def emptying():
    kept = [1, [2], 3, 4]
    return (lambda x: (kept.pop(0), x)), [kept]


def other_dicts():
    lists, table = defaultdict(list), OrderedDict(w=defaultdict(dict))

    def fn(x):
        lists["seen"].append(x * 2)
        inner = table["w"]["state"]
        if "first" not in inner:
            inner["first"] = x + 1
        return x + inner["first"]

    return fn, [lists, table]


def other_collections():
    number, seen, last = Counter(a=2), {0}, deque(maxlen=2)

    def fn(x):
        number.update("ab")
        seen.add(len(seen))
        last.append(x * 2)
        last.rotate()
        return x * number["a"] + len(seen) + sum(last)

    return fn, [number, seen, last]


@pytest.mark.parametrize(
    "make", [growing, reversing, counting, objects, branches, emptying, other_dicts, other_collections]
)
def test_as_without_compilation(make):
    both(make, 2, -3, 2)


def test_what_was_there_is_returned_itself():
    kept, table = [1, [2, None], np.arange(2)], {"a": [3]}

    @ms.jit
    def fn(given, x):
        return kept, kept[1], table, given, given["l"], [x, table["a"]]

    given = {"l": [Tensor(1.0)]}
    found = fn(given, Tensor(2.0))
    for a, b in zip(found, (kept, kept[1], table, given, given["l"]), strict=False):
        assert a is b
    assert found[5][1] is table["a"]
    other = {"l": [Tensor(5.0)]}
    assert fn(other, Tensor(2.0))[3] is other
    assert fn.programs == 1


def test_arguments_are_changed_in_place():
    @ms.jit
    def fn(items, table, x):
        items.append(x)
        items[0] = items[0] * 2
        table["n"] = {"x": x}
        return items

    for value in (1.0, 3.0):
        items, table = [Tensor(value)], {"a": 1}
        assert fn(items, table, Tensor(4.0)) is items
        assert plain(items) == [2 * value, 4.0]
        assert plain(table) == {"a": 1, "n": {"x": 4.0}}
    assert fn.programs == 1


def test_a_list_that_grows_needs_no_new_programs():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.seen, self.last = [], {}

        def construct(self, x):
            self.seen.append(x + 1)
            self.last["x"] = x * 2
            return x

    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        net = Net()
        for value in range(5):
            net(Tensor(float(value)))
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert plain(net.seen) == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert plain(net.last) == {"x": 8.0}
    assert net._compiled.programs == 2


def test_gradients_and_calls_inside():
    kept = []

    @ms.jit
    def inner(x, table):
        kept.append(7)
        table["y"] = x * x
        return x

    @ms.jit
    def fn(x):
        table = {}
        return inner(x, table) + table["y"].sum()

    np.testing.assert_array_equal(ms.grad(fn)(Tensor([1.0, 2.0])).asnumpy(), [5.0, 9.0])
    assert kept == [7]
    fn(Tensor([1.0, 2.0]))
    assert kept == [7, 7]


def test_a_function_that_fails_changes_nothing():
    kept = []

    @ms.jit
    def fn(x):
        kept.append(1)
        if x > 0:
            raise ValueError("positive")
        return x

    with pytest.raises(ValueError, match="positive"):
        fn(Tensor(1.0))
    assert kept == []


def test_marked_numbers_come_back_as_numbers():
    @ms.jit
    def fn(given):
        given.reverse()
        inner = ms.mutable([4, 5])
        return given, inner

    marked = ms.mutable([1, 2])
    given, inner = fn(marked)
    assert given == [2, 1]
    assert marked == [1, 2]
    assert [type(x) for x in (*given, *inner)] == [int] * 4


def test_a_counter_that_is_returned_is_a_number():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.count = 0

        def construct(self, x):
            self.count = self.count + 1
            return self.count, x * self.count

    net = Net()
    call = ms.jit(lambda x: net(x))
    found = [call(Tensor([1.0], ms.float16)) for _ in range(4)]
    assert [count for count, _ in found] == [1, 2, 3, 4]
    assert {type(count) for count, _ in found} == {int}
    assert {x.dtype for _, x in found} == {ms.float16}
    assert net.count == 4
    assert type(net.count) is int


def test_variables_outside_that_get_tensors():
    made = total = None

    def keep(x):
        nonlocal total
        total = x if total is None else total + x

    @ms.jit
    def f(x):
        nonlocal made
        made = [x * 2]
        keep(x)
        return x + 1

    for n in range(1, 4):
        assert f(ms.Tensor(n)) == n + 1
        assert made[0] == 2 * n
        assert total == n * (n + 1) // 2


def test_global_variables_that_get_tensors():
    global _left

    @ms.jit
    def f(x):
        global _left
        _left = x * 2
        return x

    f(ms.Tensor([1.0]))
    assert _left.tolist() == [2.0]
    f(ms.Tensor([3.0]))
    assert _left.tolist() == [6.0]
    f(ms.Tensor([4.0]))
    assert f.programs == 2
    del _left


def test_dicts_keep_their_order_beside_side_effects():
    seen = []

    @ms.jit
    def f(x):
        seen.append({"b": x, "a": x * 2})
        return {"d": x, 1: x, "c": x * 3}

    for n in range(1, 3):
        out = f(Tensor(n))
        assert [(key, value.item()) for key, value in out.items()] == [("d", n), (1, n), ("c", 3 * n)]
        assert [(key, value.item()) for key, value in seen[-1].items()] == [("b", n), ("a", 2 * n)]
