"""Random programs over Tensors: straight lines, branches, loops, in-place changes, names for the same Tensor, gradients.

A seed gives the source of a Cell. `shrink` makes a program smaller as long as it shows a difference.
"""

import random
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

NAMES = ("a", "b", "c")
PARAMETERS = ("self.p", "self.q")
HEAD = """class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.p = Parameter(Tensor([0.3, -0.2]), name="p")
        self.q = Parameter(Tensor([1.5, 0.7]), name="q")

    def construct(self, x, y, n):
"""

WIDE_HEAD = """def double(g):
    return g * 2


def clip(g):
    if g.sum() > 3:
        return g * 0.5
    return g


def look(g):
    return None


""" + HEAD.replace(
    "    def construct",
    """    def pick(self, v, w):
        if v.sum() > w.sum():
            return v
        return w * 0.5

    def step(self, v, w):
        v = v * 0.5
        self.p += v
        return v + w

    def put(self, v, w):
        ops.assign(self.q, w)
        return v

    def construct""",
)


class Block(NamedTuple):
    """Statement with statements below it: (header, lines) for each part."""

    parts: tuple[tuple[str, tuple], ...]


class Writer:
    """Writes one random program.

    Args:
        seed: of its random numbers.
        alike: only what eager and compiled code do alike: without `x += y`, which eager code does not do in place.
    """

    def __init__(self, seed: int, alike: bool = False) -> None:
        self.rng = random.Random(seed)
        self.alike = alike
        self.loops = 0

    def program(self) -> tuple:
        """Return the statements of a program."""
        start = [
            "a = x * 2",
            f"b = {self.rng.choice(['y - 1', 'x', 'y', 'self.p'])}",
            "c = x * y",
            "k = n * 2",
        ]
        start += ["l = [a, b]", "d = {'u': c}"]
        return (
            *start,
            *self.lines(self.rng.randint(3, 7), 0),
            "return a, b, c, k, l[0], l[1], d['u'], x, y, self.p, self.q",
        )

    def lines(self, count: int, depth: int) -> tuple:
        return tuple(line for _ in range(count) for line in self.statement(depth))

    def statement(self, depth: int) -> list:
        kinds: list[tuple[int, Callable[..., list]]] = [
            (4, self.fresh), (4, self.bind), (4, self.change), (2, self.write), (2, self.contain), (1, self.count),
        ]  # fmt: skip
        if depth < 2:
            kinds += [(4, self.branch), (2, self.choose), (2, self.loop), (1, self.repeat)]
        return self.rng.choices([kind for _, kind in kinds], [weight for weight, _ in kinds])[0](depth)

    # ------------------------------------------------------------------ expressions

    def name(self) -> str:
        return self.rng.choice(NAMES)

    def value(self) -> str:
        """Return an expression for a Tensor that has a name."""
        return self.rng.choice([*NAMES, *NAMES, *PARAMETERS, "x", "y", "l[0]", "l[1]", "d['u']"])

    def new(self) -> str:
        """Return an expression for a new Tensor."""
        one, other = self.value(), self.value()
        forms = [
            "{0} * 0.5",
            "{0} + {1} * 0.25",
            "{0} - {1}",
            "ops.tanh({0})",
            "ops.where({0} > {1}, {0} * 0.5, {1})",
        ]
        return self.rng.choice(forms).format(one, other)

    def condition(self) -> str:
        tensor = f"{self.value()}.sum() > {self.rng.choice([-1, 0, 1, 2])}"
        return self.rng.choice([tensor, tensor, f"k > {self.rng.randint(0, 7)}"])

    # ------------------------------------------------------------------ statements

    def fresh(self, depth: int) -> list:
        name = self.name()
        lines = [f"{name} = {self.new()}"]
        # In compiled functions of MindSpore it is the variable that `x[i] = y` changes, not the Tensor with other names.
        return lines + ([f"{name}[0] = 0.5"] if self.rng.random() < 0.15 else [])

    def bind(self, depth: int) -> list:
        return [f"{self.name()} = {self.value()}"]

    def change(self, depth: int) -> list:
        if self.alike:
            return self.write(depth)
        target = self.rng.choice([*NAMES, *NAMES, "l[0]", "l[1]", "d['u']", "x", "y"])
        return [
            f"{target} {self.rng.choice(['+=', '-=', '*='])} {self.rng.choice(['0.5', self.value(), self.new()])}"
        ]

    def write(self, depth: int) -> list:
        parameter = self.rng.choice(PARAMETERS)
        if self.rng.random() < 0.3:
            return [f"{parameter} += {self.new()}"]
        return [f"ops.assign({parameter}, {self.rng.choice([self.new(), self.value()])})"]

    def contain(self, depth: int) -> list:
        forms = [
            f"l = [{self.value()}, {self.value()}]", f"l[{self.rng.randint(0, 1)}] = {self.value()}",
            f"d = {{'u': {self.value()}}}", f"d['u'] = {self.value()}", f"a, b = {self.value()}, {self.value()}",
        ]  # fmt: skip
        return [self.rng.choice(forms)]

    def count(self, depth: int) -> list:
        return ["k = k + 1"]

    def choose(self, depth: int) -> list:
        other = self.rng.choice([self.value(), self.new()])
        return [f"{self.name()} = {self.value()} if {self.condition()} else {other}"]

    def branch(self, depth: int) -> list:
        parts = [(f"if {self.condition()}:", self.lines(self.rng.randint(1, 3), depth + 1))]
        if self.rng.random() < 0.5:
            parts.append(("else:", self.lines(self.rng.randint(1, 2), depth + 1)))
        return [Block(tuple(parts))]

    def loop(self, depth: int) -> list:
        self.loops += 1
        counter = f"m{self.loops}"
        body = (*self.lines(self.rng.randint(1, 3), depth + 1), f"{counter} = {counter} - 1")
        return [f"{counter} = n - {self.rng.randint(0, 3)}", Block(((f"while {counter} > 0:", body),))]

    def repeat(self, depth: int) -> list:
        return [
            Block(
                (
                    (
                        f"for _ in range({self.rng.randint(1, 2)}):",
                        self.lines(self.rng.randint(1, 2), depth + 1),
                    ),
                )
            )
        ]


class WideWriter(Writer):
    """Writes programs with more kinds of statements: hooks, in-place methods, views, integers, nested containers, jumps."""

    def program(self) -> tuple:
        """Return the statements of a program."""
        start = [
            "a = x * 2",
            f"b = {self.rng.choice(['y - 1', 'x', 'y', 'self.p'])}",
            "c = x * y",
            "k = n * 2",
            "i = (y > 0).astype(ms.int32)",
            "l = [a, b]",
            "d = {'u': c}",
            "t = (a, (b, c))",
        ]
        end = "return a, b, c, k, i, l[0], l[1], d['u'], t[0], t[1][0], t[1][1], x, y, self.p, self.q"
        return *start, *self.lines(self.rng.randint(2, 6), 0), end

    def statement(self, depth: int) -> list:
        kinds: list[tuple[int, Callable[..., list]]] = [
            (3, self.fresh), (3, self.bind), (2, self.change), (2, self.write), (2, self.contain), (1, self.count),
            (2, self.hook), (3, self.method), (2, self.view), (2, self.integer), (2, self.nest), (1, self.call),
        ]  # fmt: skip
        if depth < 3:
            kinds += [(4, self.branch), (2, self.choose), (3, self.loop), (1, self.repeat), (1, self.each)]
        return self.rng.choices([kind for _, kind in kinds], [weight for weight, _ in kinds])[0](depth)

    def value(self) -> str:
        """Return an expression for a Tensor that has a name."""
        return self.rng.choice(
            [super().value(), super().value(), super().value(), "t[0]", "t[1][0]", "t[1][1]"]
        )

    def hook(self, depth: int) -> list:
        if self.alike:
            return self.fresh(depth)
        name = self.name()
        return [
            f"{name} = {self.new()}",
            f"{name}.register_hook({self.rng.choice(['double', 'clip', 'look'])})",
        ]

    def method(self, depth: int) -> list:
        """Writes by functions and by index. MindSpore's `a.add_(b)` leaves `a` alone on CPU: nothing to compare with."""
        parameter, name = self.rng.choice(PARAMETERS), self.name()
        forms = [
            (f"ops.assign_add({parameter}, {self.new()})",),
            (f"ops.assign_sub({parameter}, {self.value()})",),
            (
                f"{name} = {self.new()}",
                f"{name}[{self.rng.choice(['0', '-1', '0:1', '...'])}] = {self.rng.choice(['0.5', 'y[0]', 'k'])}",
            ),
            (f"{name} = {self.new()}", f"{name}[i > 0] = 0.25"),
        ]
        return list(self.rng.choice(forms))

    def view(self, depth: int) -> list:
        name, of = self.name(), self.value()
        forms = [
            "{0}[0:1] + {1}",
            "{0}.view(2) + 1",
            "{0}.reshape((1, 2))[0] * {1}",
            "{0}[1] * {1}",
            "{0}.flip((0,)) + {1}",
        ]
        return [f"{name} = {self.rng.choice(forms).format(of, self.value())}"]

    def integer(self, depth: int) -> list:
        forms = [
            "i = i + k", "i = i * 2 - 1", "i = k // 3 + i", "k = i.sum() + k", "i = {0}.astype(ms.int32)", "{1} = {0} * i",
            "{1} = {0} + k", "k = k % 3", "i = ops.where({0} > 0, i, i + 1)", "{1} = (i * 2) / 4 + {0}",
        ]  # fmt: skip
        line = self.rng.choice(forms)
        if self.alike and depth:
            # In a compiled branch or loop a number cannot become a Tensor, nor int32 int64, as `sum` makes it.
            line = line.replace("k = i.sum() + k", "i = i + i.max() + k")
        return [line.format(self.value(), self.name())]

    def nest(self, depth: int) -> list:
        forms = [
            "t = ({0}, ({1}, {2}))", "t = (t[1][0], t[1])", "t = ({0}, t[1])", "{3}, (b, c) = t", "l = [{0}, *l[1:]]",
            "d = {{'u': {0}, 'v': {1}}}", "l = l[::-1]", "l = [w * 0.5 for w in l]", "d['u'], l[0] = l[0], d['u']",
        ]  # fmt: skip
        return [self.rng.choice(forms).format(self.value(), self.value(), self.value(), self.name())]

    def call(self, depth: int) -> list:
        return [
            f"{self.name()} = self.{self.rng.choice(['pick', 'step', 'put'])}({self.value()}, {self.value()})"
        ]

    def each(self, depth: int) -> list:
        return [
            Block(
                (
                    (
                        f"for w in {self.rng.choice(['l', 't[1]', 'd.values()'])}:",
                        (f"a = a + w * {self.value()}", *self.lines(1, depth + 1)),
                    ),
                )
            )
        ]

    def loop(self, depth: int) -> list:
        lines = super().loop(depth)
        if self.rng.random() < 0.7:
            return lines
        start, block = lines
        ((header, body),) = block.parts
        jump = Block(((f"if {self.condition()}:", (self.rng.choice(["break", "continue"]),)),))
        # The counter goes on before the jump, or `continue` would never end.
        return [start, Block(((header, (body[-1], *body[:1], jump, *body[1:-1])),))]


RICH_HEAD = (
    """def double(g):
    return g * 2


def clip(g):
    if g.sum() > 3:
        return g * 0.5
    return g


def look(g):
    return None


def first_above(v, w, n):
    while n > 0:
        v = v * 0.5 + w
        if v.sum() > 1:
            return v
        n = n - 1
    return w


def search(v, w):
    for j in range(3):
        v = v - w * j
        if v.sum() < j:
            continue
        if v[0] > 2:
            return v * 0.5
    return v


def total(*vs, scale=0.5):
    found = vs[0]
    for v in vs[1:]:
        found = found + v * scale
    return found


def power(v, k):
    return v if k == 0 else power(v, k - 1) * v


def cubed(v):
    return (v * v * v).sum()


def smooth(v):
    if v.sum() > 0:
        return ops.tanh(v) * v
    return v * v


class Inner(nn.Cell):
    def __init__(self, name):
        super().__init__()
        self.w = Parameter(Tensor([0.5, -0.4]), name=name)
        self.calls = 2

    def construct(self, v, scale=1.0):
        if v.sum() > 1:
            return v * self.w * scale
        return ops.tanh(v) + self.w

    def keep(self, v):
        ops.assign(self.w, v * 0.5)
        return v + self.w


"""
    + WIDE_HEAD.partition("class Net")[1]
    + WIDE_HEAD.partition("class Net")[2].replace(
        """name="q")
""",
        """name="q")
        self.inner, self.again = Inner("w1"), Inner("w2")
        self.again.recompute()
        self.blocks = nn.CellList([self.inner, Inner("w3")])
""",
    )
)


class RichWriter(WideWriter):
    """Writes programs with functions, closures, inner Cells, early returns, transformations and several dtypes."""

    def statement(self, depth: int) -> list:
        kinds: list[tuple[int, Callable[..., list]]] = [
            (6, super().statement), (3, self.function), (2, self.cell), (2, self.closure), (2, self.transform),
            (2, self.mixed), (2, self.collect), (1, self.shaped), (1, self.leave if depth and not self.alike else self.fresh),
        ]  # fmt: skip
        return self.rng.choices([kind for _, kind in kinds], [weight for weight, _ in kinds])[0](depth)

    def function(self, depth: int) -> list:
        forms = [
            "first_above({0}, {1}, n)", "search({0}, {1})", "total({0}, {1}, {2})", "total({0}, *l, scale=0.25)",
            "power({0}, 2)", "smooth({0})", "total(*t[1], scale={0}.mean())", "(lambda v: v * 0.5 + {1})({0})",
        ]  # fmt: skip
        return [f"{self.name()} = {self.rng.choice(forms).format(self.value(), self.value(), self.value())}"]

    def cell(self, depth: int) -> list:
        forms = [
            "self.inner({0})", "self.inner({0}, scale=0.5)", "self.again({0})", "self.inner.keep({0})", "{0} * self.inner.w",
            "self.inner({0}) * self.inner.calls",
        ]  # fmt: skip
        name, value = self.name(), self.value()
        if self.rng.random() < 0.3:
            body = (f"{name} = block({name}) + {value}",)
            return [Block((("for block in self.blocks:", body),))]
        return [f"{name} = {self.rng.choice(forms).format(value)}"]

    def closure(self, depth: int) -> list:
        name, held = self.name(), self.value()
        body = (
            f"w = v * {held}",
            *(
                [Block(((f"if {self.condition()}:", (f"return w + {self.value()}",)),))]
                if self.rng.random() < 0.5
                else []
            ),
            "return w",
        )
        return [Block((("def inside(v):", body),)), f"{name} = inside({self.value()})"]

    def transform(self, depth: int) -> list:
        forms = [
            "ms.grad(cubed)({0})", "ms.grad(lambda v: (v * {1}).sum())({0})", "ops.vmap(lambda v: v * 2 + v * v)({0})",
            "ms.grad(lambda v: ms.grad(cubed)(v).sum())({0})", "ms.grad(lambda v: smooth(v).sum())({0})",
            "ops.vmap(lambda v, w: v * w, (0, None))({0}, {1})[0]", "ops.stop_gradient({0}) * {1}",
            "ms.value_and_grad(cubed)({0})[1]", "ms.jvp(smooth, {0}, {1})[1]",
        ]  # fmt: skip
        form = self.rng.choice(forms)
        if self.alike:
            # If `v` is the captured Tensor, its gradient has both parts in eager code and one in compiled code.
            form = form.replace("(v * {1}).sum())({0})", "(v * {1}).sum())({0} * 1)")
        return [f"{self.name()} = {form.format(self.value(), self.value())}"]

    def mixed(self, depth: int) -> list:
        forms = [
            "({0} * True + 2).astype(ms.float32)", "({0}.astype(ms.float16) * 0.5).astype(ms.float32)", "{0} * (k > 2)",
            "({0}.astype(ms.float64) + {1}).astype(ms.float32)", "({0} > {1}) * 0.5 + {1}", "{0} + i * 0.5", "i * True + {0}",
            "({0} > 0).astype(ms.float32) - i", "{0} ** 2", "2 ** (-{0} * {0})", "{0} // 2", "{0} % 2", "-{0} + abs({1})",
            "ops.where(i > 0, {0}, 0.5)", "ops.maximum({0}, i)", "{0} * int(2.5) + True", "i / 2 + {0}",
            "{0} * float({1}.shape[0])",
        ]  # fmt: skip
        return [f"{self.name()} = {self.rng.choice(forms).format(self.value(), self.value())}"]

    def collect(self, depth: int) -> list:
        name, value, other = self.name(), self.value(), self.value()
        forms = [
            ("o = []", Block(((f"for j in range({self.rng.randint(1, 3)}):", (f"o.append({value} * j)",)),)), f"{name} = sum(o) + o[-1]"),
            ("o = {}", Block((("for j, v in enumerate(l):", (f"o[j] = v + {value}",)),)), f"{name} = o[0] - o[1]"),
            (f"o = [v * 0.5 for v in ({value}, {other}, b)]", f"{name} = o[1] + o[-1]"),
            (f"o = {{'p': {value}, 'r': {other}}}", "o['p'], o['r'] = o['r'], o['p']", f"{name} = o['p'] * 0.5"),
            (Block((("for v, w in zip(l, t[1]):", (f"{name} = {name} + v * w",)),)),),
            (Block((("for v, w in d.items():", (f"{name} = {name} - w * 0.5",)),)),),
            (Block((("while len(l) < 3:", (f"l.append({value})",)),)), "l = l[1:]") if not depth else (f"l[1] = {value}",),
            (f"l.insert(0, {value})", "l.pop()") if not depth else (f"l[0] = {value}",),
            (f"d.update(u={value})",),
            (f"o = ({value},) * 2 + ({other},)", f"{name} = o[-1] + len(o)"),
        ]  # fmt: skip
        return list(self.rng.choice(forms))

    def shaped(self, depth: int) -> list:
        name, value = self.name(), self.value()
        forms = [
            Block(((f"for j in range({value}.shape[0]):", (f"{name} = {name} + {value}[j]",)),)),
            Block(
                ((f"if {value}.ndim == 1 and {value}.shape[0] > 1:", (f"{name} = {value} * {value}.size",)),)
            ),
            Block(((f"for r in {value}:", (f"{name} = {name} * 0.5 + r",)),)),
        ]
        return [self.rng.choice(forms)]

    def leave(self, depth: int) -> list:
        """Return early; the results are as many as at the end."""
        return ["return a, b, c, k, i, l[0], l[1], d['u'], t[0], t[1][0], t[1][1], x, y, self.p, self.q"]


def source(program: tuple, head: str = HEAD) -> str:
    """Return the source of a module with the Cell of a program, and its arguments."""
    text = "\n".join(indented(program, 2))
    return f"{head}{text}\n\n\ndef arguments():\n    return Tensor([1.0, 2.0]), Tensor([0.5, -1.0]), Tensor(3, ms.int32)\n"


def indented(lines: tuple, depth: int) -> Iterator[str]:
    """Yield the lines of a program as text."""
    for line in lines:
        if isinstance(line, str):
            yield "    " * depth + line
            continue
        for header, body in line.parts:
            yield "    " * depth + header
            yield from indented(body or ("pass",), depth + 1)


def shrink(program: tuple, differs: Callable[[tuple], bool]) -> tuple:
    """Return a smallest program that still differs: no statement can be left out, no result, and no block replaced by its lines."""
    while True:
        for smaller in _smaller(program):
            if differs(smaller):
                program = smaller
                break
        else:
            return program


def _smaller(lines: tuple) -> Iterator[tuple]:
    for i, line in enumerate(lines):
        # Without its counter a loop would not end.
        if not (isinstance(line, str) and re.match(r"return|(m\d+) = \1 - 1", line)):
            yield lines[:i] + lines[i + 1 :]
        elif line.startswith("return") and line.count(",") > 1:
            results = line.removeprefix("return ").rstrip(",").split(", ")
            for out in range(len(results)):
                yield (
                    *lines[:i],
                    f"return {', '.join(results[:out] + results[out + 1 :])},",
                    *lines[i + 1 :],
                )
        if isinstance(line, Block):
            for at, (header, body) in enumerate(line.parts):
                yield lines[:i] + body + lines[i + 1 :]
                for less in _smaller(body):
                    parts = (*line.parts[:at], (header, less), *line.parts[at + 1 :])
                    yield (*lines[:i], Block(parts), *lines[i + 1 :])
            if len(line.parts) > 1:
                yield (*lines[:i], Block(line.parts[:1]), *lines[i + 1 :])
