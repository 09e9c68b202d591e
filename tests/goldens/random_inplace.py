"""Random programs of PyTorch's: in-place methods, views, aliases, containers and jumps, over Tensors of fixed shapes.

PyTorch says what they give, gradients included; msjax.torch runs the same text eagerly and compiled.
"""

import random
from collections.abc import Callable

from random_programs import Block

MATRICES, ROWS = ("a", "b", "c"), ("r", "s")


class InPlaceWriter:
    """Writes one random program: a function of a matrix, a row, a number in a Tensor, and a Parameter.

    `a`, `b`, `c` are matrices of (2, 3), `r`, `s` rows of (3,), `z` has no axis, `i` holds integers, `k` is a number of
    Python's.

    Args:
        seed: of its random numbers.
    """

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.loops = self.temporaries = 0

    def program(self) -> tuple:
        """Return the statements of a program."""
        choice = self.rng.choice
        start = (
            "a = x * 2",
            "q = p * 1",
            f"b = {choice(['x - 1', 'x', 'p * x', 'a', 'p * 1', 'p * y'])}",
            f"c = {choice(['x * y', 'a', 'torch.tanh(x)', 'torch.zeros(2, 3)', 'torch.ones(2, 3)'])}",
            f"r = {choice(['y * 2', 'a[0]', 'c[1]', 'b[-1] * 1'])}",
            f"s = {choice(['y', 'y + 1', 'a.sum(0)', 'r'])}",
            f"z = {choice(['y.sum()', 'a[0, 1]', 'torch.tensor(0.5)'])}",
            "i = (y > 0).long()",
            "k = 1",
            "l = [a, b]",
            "d = {'u': c, 'v': r}",
        )
        end = "return a, b, c, q, r, s, z, i, k, l[0], l[1], d['u'], d['v'], x, y"
        return *start, *self.lines(self.rng.randint(3, 9), 0), end

    def lines(self, count: int, depth: int) -> tuple:
        return tuple(line for _ in range(count) for line in self.statement(depth))

    def statement(self, depth: int) -> list:
        kinds: list[tuple[int, Callable[..., list]]] = [
            (4, self.fresh), (3, self.bind), (8, self.write), (3, self.item), (3, self.view), (2, self.augmented),
            (2, self.contain), (2, self.integer), (1, self.scalar), (1, self.call), (1, self.no_grad), (1, self.guard),
        ]  # fmt: skip
        if depth < 3:
            kinds += [(5, self.branch), (2, self.choose), (4, self.loop), (1, self.repeat), (1, self.each)]
        return self.rng.choices([kind for _, kind in kinds], [weight for weight, _ in kinds])[0](depth)

    # ------------------------------------------------------------------ expressions

    def name(self) -> str:
        return self.rng.choice(MATRICES)

    def matrix(self) -> str:
        """Return an expression for a Tensor of (2, 3)."""
        return self.rng.choice([*MATRICES, *MATRICES, *MATRICES, "x", "q", "l[0]", "l[1]", "d['u']"])

    def row(self) -> str:
        """Return an expression for a Tensor of (3,)."""
        held = self.matrix()
        forms = [
            *ROWS,
            *ROWS,
            *ROWS,
            "y",
            "d['v']",
            f"{held}[0]",
            f"{held}[-1]",
            f"{held}[k % 2]",
            f"{held}.sum(0)",
        ]
        return self.rng.choice([*forms, f"{held}.mean(dim=0)", f"{held}[i[0]]", f"{held}.select(0, 1)"])

    def number(self) -> str:
        """Return an expression for a number, or a Tensor without axes."""
        return self.rng.choice(["0.5", "-0.25", "2", "k", "z", f"{self.row()}[1]", f"{self.matrix()}.mean()"])

    def operand(self) -> str:
        """Return what broadcasts to a matrix."""
        return self.rng.choice([self.matrix, self.matrix, self.row, self.number])()

    def small(self) -> str:
        """Return what broadcasts to a row."""
        return self.rng.choice([self.row, self.number])()

    def new(self) -> str:
        """Return an expression for a new matrix."""
        one, other = self.matrix(), self.operand()
        forms = [
            "{0} * 0.5", "{0} + {1} * 0.25", "{0} - {1}", "torch.tanh({0})", "torch.where({0} > {1}, {0} * 0.5, {2})",
            "{0}.clone()", "{0}.detach()", "torch.sigmoid({0}) * {1}", "torch.stack([{3}, {4}])", "{0}.flip(0)",
            "torch.cat([{0}[0:1], {2}[1:]])", "{0} @ torch.ones(3, 3)", "({0} > 0).float()", "torch.zeros_like({0})",
            "{0}.to(torch.float64).float()", "{0}.masked_fill({0} > 0, 0.25)", "power({0}, k % 3)",
            "(lambda v: v * 0.5 + {1})({0})",
        ]  # fmt: skip
        return self.rng.choice(forms).format(one, other, self.matrix(), self.row(), self.row())

    def condition(self) -> str:
        forms = [
            f"{self.matrix()}.sum() > {self.rng.choice([-1, 0, 1, 2])}", f"{self.row()}[0] < {self.number()}",
            f"k > {self.rng.randint(0, 3)}", "n > 2", f"i.sum() > {self.rng.randint(0, 2)}",
            f"z > 0 and {self.row()}.sum() > 0", f"not z > {self.number()}", f"0 < z < {self.rng.randint(1, 3)}",
            f"({self.matrix()} > 0).any()", f"{self.name()} is not None",
        ]  # fmt: skip
        return self.rng.choice(forms)

    # ------------------------------------------------------------------ statements

    def fresh(self, depth: int) -> list:
        if self.rng.random() < 0.3:
            return [f"{self.rng.choice(ROWS)} = {self.row()} * {self.small()}"]
        return [f"{self.name()} = {self.new()}"]

    def bind(self, depth: int) -> list:
        if self.rng.random() < 0.3:
            return [f"{self.rng.choice(ROWS)} = {self.row()}"]
        return [f"{self.name()} = {self.matrix()}"]

    def write(self, depth: int) -> list:
        """Write an in-place method."""
        if self.rng.random() < 0.35:
            target, other = (
                self.rng.choice([*ROWS, *ROWS, "d['v']", f"{self.name()}[0]", f"{self.name()}[k % 2]"]),
                self.small(),
            )
        else:
            target, other = self.rng.choice([*MATRICES, *MATRICES, "l[0]", "l[1]", "d['u']"]), self.operand()
        number = self.rng.choice(["0.5", "-0.25", "2"])
        forms = [
            "add_({0})", "sub_({0})", "mul_({0})", "mul_({1})", "add_({0}, alpha=0.5)", "copy_({0})", "zero_()",
            "fill_({1})", "clamp_(-1, 1)", "neg_()", "sigmoid_()", "tanh_()", "sin_()", "exp_().clamp_(max=2)",
            "masked_fill_(TARGET > 0, {1})", "add_(1).mul_({0})", "addcmul_(TARGET, TARGET, value=0.5)",
            "lerp_(TARGET * 2, 0.5)", "div_(2)", "relu_()", "abs_()", "square_()", "clamp_(min=-0.5)", "detach_()",
        ]  # fmt: skip
        matrices = [
            "index_add_(0, i[:2], {2})", "index_add_(1, torch.tensor([0, 2]), {2}[:, :2])", "index_fill_(0, torch.tensor([1]), {1})",
            "index_copy_(0, torch.tensor([1, 0]), {2})", "scatter_(1, torch.tensor([[0, 1], [2, 0]]), {1})",
            "scatter_add_(1, torch.tensor([[0, 1, 1], [2, 0, 0]]), {2})", "masked_scatter_(TARGET > 0, {2} * 1)",
            "t().mul_({1})", "view(6)[k].add_({1})", "view(-1).add_(torch.ones(6))", "diagonal().fill_({1})",
            "narrow(1, 0, 2).mul_({1})", "transpose(0, 1)[0].add_({1})", "put_(torch.tensor([0, 5]), torch.tensor([0.5, 2.0]))",
            "cumsum_(1)", "addmm_({2} * 1, torch.ones(3, 3))", "unbind(0)[1].mul_({1})", "chunk(2, 0)[0].add_({1})",
            "triu_()", "index_put_((torch.tensor([0, 1]), torch.tensor([1, 2])), torch.tensor(0.5), accumulate=True)",
            "T[1].fill_({1})", "flatten().add_(1)", "reshape(3, 2)[0].mul_({1})", "unsqueeze(0)[0, 0].sub_({1})",
        ]  # fmt: skip
        matrix = (not target.startswith(("r", "s", "d['v']")) and not target.endswith("]")) or target in (
            "l[0]",
            "l[1]",
            "d['u']",
        )
        form = self.rng.choice(forms + (matrices if matrix else [])).replace("TARGET", target)
        return [f"{target}.{form.format(other, number, self.matrix())}"]

    def item(self, depth: int) -> list:
        target = self.rng.choice([*MATRICES, *MATRICES, "l[0]", "d['u']"])
        row, number = self.row(), self.number()
        forms = [
            f"{target}[0] = {row}", f"{target}[:, 1] = {number}", f"{target}[{target} > 0] = 0.5", f"{target}[i] = 0.25",
            f"{target}[-1, ::2] = {number}", f"{target}[0, 1] += {number}", f"{target}[k % 2] *= {number}",
            f"{target}[...] = {self.matrix()}", f"{target}[n - n] = {row}", f"{target}[:, i > 0] = {number}",
            f"{target}[0], {target}[1] = {target}[1], {target}[0]", f"{self.rng.choice(ROWS)}[k % 3] = {number}",
            f"{self.rng.choice(ROWS)}[1:] -= {number}", f"{target}[:] = {row}", f"{target}[0:1] += {row}",
        ]  # fmt: skip
        return [self.rng.choice(forms)]

    def view(self, depth: int) -> list:
        held = self.matrix()
        forms = [
            f"r = {held}[0]", f"s = {held}[k % 2]", f"{self.name()} = {held}.view(2, 3)", f"r = {held}.view(-1)[1:4]",
            f"r, s = {held}", f"r, s = {held}.unbind(0)", f"s = {held}.t()[:, 0]", f"{self.name()} = {held}[:]",
            f"{self.name()} = {held}.view_as(a)", f"z = {held}[1, 2]", f"{self.name()} = {held}.reshape(2, 3)",
            f"{self.name()} = {held}.unsqueeze(0)[0]", f"{self.name()} = {self.row()}.expand(2, 3) * 1",
            f"{self.name()} = {held}.t().contiguous().t()", f"r = {held}.diagonal().sum() * {self.row()}",
            f"s = {held}.select(0, k % 2)", f"{self.name()} = {held}.transpose(0, 1).T",
        ]  # fmt: skip
        return [self.rng.choice(forms)]

    def augmented(self, depth: int) -> list:
        sign = self.rng.choice(["+=", "-=", "*="])
        if self.rng.random() < 0.3:
            return [f"{self.rng.choice(ROWS)} {sign} {self.small()}"]
        return [
            f"{self.rng.choice([*MATRICES, *MATRICES, 'l[0]', 'l[1]', chr(100) + '[' + repr('u') + ']'])} {sign} {self.operand()}"
        ]

    def contain(self, depth: int) -> list:
        one, other = self.matrix(), self.matrix()
        forms = [
            f"l = [{one}, {other}]", f"l[{self.rng.randint(0, 1)}] = {one}", f"d = {{'u': {one}, 'v': {self.row()}}}",
            f"d['u'] = {one}", f"d['v'] = {self.row()}", "l = l[::-1]", "l = [w * 0.5 for w in l]", f"a, b = {one}, {other}",
            f"l.append({one})", f"l.insert(0, {one})", "l[0], d['u'] = d['u'], l[0]", f"a, b = swap({one}, {other})",
            "a, b = l[:2]", f"d.update(u={one})", "l = list(reversed(l))", "l.reverse()", "(a, r), s = (l[0], s), r",
        ]  # fmt: skip
        form = self.rng.choice(forms)
        # A list that grows in a loop or a branch has no type for a compiled one.
        return [form if not (depth and ("append" in form or "insert" in form)) else "l.reverse()"]

    def integer(self, depth: int) -> list:
        forms = [
            "k = k + 1", "k += 1", "k = k * 2 - 1", "i = i + k", "i.add_(1)", "i[0] = k", "i = (y > z).long()", "i *= 2",
            "k = (k + 2) % 3", "i = i % 2", f"{self.name()} = {self.matrix()} * i", f"r = {self.row()} * i.float()",
            "i.clamp_(0, 1)", "i = torch.where(i > 0, i, i + 1)", "i.copy_(y)",
        ]  # fmt: skip
        form = self.rng.choice(forms)
        # As an index, `i` must stay within.
        return [form, "i.clamp_(0, 1)"] if form.startswith("i") else [form]

    def scalar(self, depth: int) -> list:
        forms = [
            f"z = {self.matrix()}.mean()", f"z = {self.row()}[2] * 0.5", "z = z + 1", f"z.add_({self.number()})", "z *= 0.5",
            f"z = {self.matrix()}[0, 0]", f"z = torch.maximum(z, {self.row()}.sum())",
        ]  # fmt: skip
        return [self.rng.choice(forms)]

    def call(self, depth: int) -> list:
        if self.rng.random() < 0.3:
            return [
                f"{self.rng.choice(ROWS)} = {self.rng.choice(['pick', 'scaled'])}({self.row()}, {self.row()})"
            ]
        return [f"{self.name()} = {self.rng.choice(['pick', 'scaled'])}({self.matrix()}, {self.matrix()})"]

    def no_grad(self, depth: int) -> list:
        return [Block((("with torch.no_grad():", (*self.write(depth), *self.fresh(depth))),))]

    def guard(self, depth: int) -> list:
        return [Block((("try:", self.lines(1, depth + 1)), ("finally:", ("k = k + 1",))))]

    def choose(self, depth: int) -> list:
        if self.rng.random() < 0.3:
            return [f"{self.rng.choice(ROWS)} = {self.row()} if {self.condition()} else {self.row()}"]
        other = self.rng.choice([self.matrix(), self.new()])
        return [f"{self.name()} = {self.matrix()} if {self.condition()} else {other}"]

    def branch(self, depth: int) -> list:
        parts = [(f"if {self.condition()}:", self.lines(self.rng.randint(1, 3), depth + 1))]
        if self.rng.random() < 0.2:
            parts.append((f"elif {self.condition()}:", self.lines(1, depth + 1)))
        if self.rng.random() < 0.5:
            parts.append(("else:", self.lines(self.rng.randint(1, 2), depth + 1)))
        return [Block(tuple(parts))]

    def loop(self, depth: int) -> list:
        self.loops += 1
        counter = f"m{self.loops}"
        body = self.lines(self.rng.randint(1, 3), depth + 1)
        before: tuple = (f"{counter} = {counter} - 1",)
        if self.rng.random() < 0.3:
            jump = self.rng.choice(["break", "continue", "break"])
            at = self.rng.randint(0, len(body))
            body = (*body[:at], Block(((f"if {self.condition()}:", (jump,)),)), *body[at:])
        return [
            f"{counter} = n - {self.rng.randint(0, 2)}",
            Block(((f"while {counter} > 0:", (*before, *body)),)),
        ]

    def repeat(self, depth: int) -> list:
        body = self.lines(self.rng.randint(1, 2), depth + 1)
        return [Block(((f"for _ in range({self.rng.choice(['1', '2', 'n', 'k'])}):", body),))]

    def each(self, depth: int) -> list:
        body = self.lines(1, depth + 1)
        heads = [
            ("for w in l:", f"a = a + w * {self.operand()}"), ("for w in a:", f"r = r + w * {self.small()}"),
            ("for w in l:", "w.mul_(0.5)"), ("for w in b:", "w.add_(0.5)"), ("for j, w in enumerate(c):", "w.add_(j)"),
            ("for v, w in zip(a, b):", "v.add_(w)"), ("for w in list(d.values()):", "w.mul_(0.5)"),
            ("for j in range(2):", "a[j] = b[1 - j]"), ("for w in c.unbind(1):", "w.mul_(0.5)"),
        ]  # fmt: skip
        header, first = self.rng.choice(heads)
        return [Block(((header, (first, *body)),))]
