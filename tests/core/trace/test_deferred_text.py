"""Texts with values of Tensors in them, and exceptions with such texts: as MindSpore 2.10 on CPU gives them."""

import pytest

import msjax as ms
from msjax import Tensor, nn, ops
from msjax.common.initializer import One, initializer


def test_texts_of_tensors():
    @ms.jit
    def f(x):
        n = int(x.sum())
        return (
            f"v {x} {x.shape} {1}",
            str(x + 1),
            "a %s b %d" % (x, n),  # noqa: UP031
            f"a {x} {2}",
            {"b": [f"{x!r}"], "a": "x" + str(x) + "."},
            (str(n), f"{n:03d}", str([n, x]), str(bool(n)), str(1), f"{1.5:.2f}"),
        )

    one, two = f(Tensor([1, 2])), f(Tensor([3, 4]))
    assert one[:4] == ("v [1 2] (2,) 1", "[2 3]", "a [1 2] b 3", "a [1 2] 2")
    assert list(one[4].items()) == [
        ("b", ["Tensor(shape=[2], dtype=Int64, value= [1, 2])"]),
        ("a", "x[1 2]."),
    ]
    assert one[5][:2] == ("3", "003")
    assert one[5][3:] == ("True", "1", "1.50")
    assert two[:4] == ("v [3 4] (2,) 1", "[4 5]", "a [3 4] b 7", "a [3 4] 2")
    assert f.programs == 1


def test_texts_that_branches_choose_and_print(capsys):
    """Both texts are in the one program."""

    def f(x):
        s = f"pos {x}" if x > 0 else f"neg {x}"
        print(f"x={x}", s, int(x))
        return x * x

    derived = ms.jit(ms.grad(f))
    assert derived(Tensor(3.0)) == 6
    assert derived(Tensor(-3.0)) == -6
    assert derived.programs == 1
    assert capsys.readouterr().out == "x=3.0 pos 3.0 3\nx=-3.0 neg -3.0 -3\n"


def test_exceptions_with_values():
    class Net(nn.Cell):
        def construct(self, x):
            y = x + 1
            assert y.sum() < 100, f"large {y.sum()}"
            if y.sum() > 4:
                raise ValueError(f"y {y} and {int(x.sum())}", x)
            return y

    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        net = Net()
        assert net(Tensor([1.0, 1.0])).tolist() == [2.0, 2.0]
        for value, text in ((2.0, r"y \[3. 3.\] and 4"), (5.0, r"y \[6. 6.\] and 10")):
            with pytest.raises(ValueError, match=text) as info:
                net(Tensor([value, value]))
            assert info.value.args[1].tolist() == [value, value]
        with pytest.raises(AssertionError, match=r"large 202\.0"):
            net(Tensor([100.0, 100.0]))
        assert net._compiled.programs == 1
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def test_an_exception_under_vmap():
    def f(x):
        if x > 1:
            raise ValueError("large")
        return x

    for mapped in (ms.vmap(f), ms.jit(ms.vmap(f))):
        assert mapped(Tensor([1, 0])).tolist() == [1, 0]
        with pytest.raises(ValueError, match="large"):
            mapped(Tensor([1, 2]))


def test_a_tensor_that_waits_for_its_initializer():
    t = Tensor(shape=(2, 3), dtype=ms.float32, init=One())
    assert str(t) == f"{t}" == "Tensor(shape=[2, 3], dtype=Float32, value=\n<uninitialized>)"
    assert (
        str(initializer("ones", (2,), ms.float32))
        == "Tensor(shape=[2], dtype=Float32, value=<uninitialized>)"
    )
    assert str(t + 1).startswith("[[2.")
    assert t.init_data() is t
    assert str(t).startswith("[[1.")


def test_print_prints_where_the_program_comes_and_once(capsys):
    @ms.jit
    def f(x):
        print("begin")
        print("x", x, end=";\n")
        if x > 0:
            print("positive")
        else:
            print("negative", 1)
        while x < 2:
            print("turn")
            x = x + 1
        return x

    for value in (1, 3, -1):
        f(Tensor(value))
        print("--")
    ms.vmap(lambda x: print("lane", x) or x)(Tensor([1, 2]))
    out = capsys.readouterr().out.split("\n")
    assert out[:5] == ["begin", "x 1;", "positive", "turn", "--"]
    assert out[5:9] == ["begin", "x 3;", "positive", "--"]
    assert out[9:17] == ["begin", "x -1;", "negative", "1", "turn", "turn", "turn", "--"]
    assert out[17:] == ["lane 1", "lane 2", ""]


def raised(f, *values):
    """Return the exceptions that a function raises for each of these."""
    found = []
    for value in values:
        try:
            found.append(f(Tensor(value)).item())
        except Exception as error:  # noqa: BLE001
            found.append((type(error), error.args[0]))
    return found


def test_exceptions_one_after_the_other():
    @ms.jit
    def f(x):
        if x > 9:
            raise ValueError("large")
        if x > 5:
            if x > 7:
                raise KeyError(f"k {x}")
            raise IndexError("i %s" % x)  # noqa: UP031
        if x < -5:
            raise TypeError([x])
        while x < 3:
            x = x + 1
            if x == 1:
                raise OSError(f"turn {x}")
        return x

    assert raised(f, 2, 0, 10, 8, 6) == [
        3,
        (OSError, "turn 1"),
        (ValueError, "large"),
        (KeyError, "k 8"),
        (IndexError, "i 6"),
    ]
    ((error, (value,)),) = raised(f, -6)
    assert error is TypeError
    assert value == -6
    assert f.programs == 1


def test_exceptions_that_are_raised_in_any_case():
    @ms.jit
    def f(x, a):
        if x > 0:
            raise ValueError(f"first {a}")
        y = [x, (x + 1, 2)]
        raise TypeError(f"then {y}")

    given = ms.mutable([1, 2])
    assert raised(lambda x: f(x, given), 1, -1) == [
        (ValueError, "first [1, 2]"),
        (TypeError, "then [-1, (0, 2)]"),
    ]


def test_formats_of_numbers():
    @ms.jit
    def f(a, b, x):
        s = "{1} {0} {1}"
        t = "{0:b} {0:x}"
        return f"{a:.2f}", f"{b:0>4}", t.format(b), s.format(x, b), format(format(x), "5")

    given = ms.mutable(3.14159), ms.mutable(25)
    assert f(*given, Tensor([1])) == ("3.14", "0025", "11001 19", "25 [1] 25", "[1]  ")


def test_in_over_tensors_of_several_elements():
    @ms.jit
    def f(x):
        things = (1, Tensor([1, 2, 3]), ["m"], "s")
        return x in things, x not in (x + 1, 2), 1 in things

    assert [bool(found) for found in f(Tensor([1, 2, 3]))] == [True, True, True]
    assert [bool(found) for found in f(Tensor([1, 1, 1]))] == [False, True, True]


def test_print_keeps_the_order_of_the_program(capsys):
    @ms.jit
    def f(x):
        print("start")
        print("y", x + 1)
        print("between")
        if x > 1:
            print("big", x)
        i = Tensor(0)
        while i < 2:
            print("i", i)
            print("still")
            i = i + 1
        ops.print_("a", x)
        ops.print_("b", 2)
        return x * 2

    told = "start\ny\n3\nbetween\nbig\n2\ni\n0\nstill\ni\n1\nstill\na\n2\nb\n2\n"
    for call in (f, f, ms.grad(f)):
        call(Tensor(2.0))
        assert capsys.readouterr().out == told
