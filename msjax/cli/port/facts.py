"""Static analysis: which names of a program are modules, optimizers, arrays or loaders, found without running it."""

import builtins
import re
from collections import defaultdict
from collections.abc import Mapping
from typing import Any, cast

import libcst as cst
from libcst import matchers as m
from libcst.metadata import QualifiedNameSource

from msjax.cli.port import definitions, mapping
from msjax.cli.port.project import Project

PACKAGES = ("torch", "torchvision")
MODEL_NAMES = ("model", "net", "network", "module")  # what is called so is taken for a module
PARAMETER_NAMES = ("p", "param", "parameter")  # what is called so is taken for a parameter
QUIET = ("torch.no_grad", "torch.inference_mode", "torch.set_grad_enabled")
MODULE, OPTIMIZER, ARRAY, TENSOR, PARAMETER = "module", "optimizer", "array", "tensor", "parameter"
PAIR = "pair"  # values and indices, with those names in PyTorch alone
_PAIRS = ("topk", "sort", "kthvalue", "mode", "cummax", "cummin")
_PAIRS_OF_AXIS = ("max", "min", "median", "nanmedian")
SEQUENCE = "sequence"  # a deque, which MindSpore makes no Tensor of
DISTRIBUTION = "distribution"
DISTRIBUTIONS = ("Categorical", "Bernoulli", "Normal")
OWN = "own"  # an object of a class of the program's, which is no module
_MODULE_METHODS = {
    "train",
    "eval",
    "parameters",
    "named_parameters",
    "state_dict",
    "load_state_dict",
    "zero_grad",
}
# What is called so in a variable is taken for something that computes no part of a loss.
_CALLED = (
    "transform",
    "transforms",
    "augment",
    "tokenizer",
    "collate_fn",
    "callback",
    "logger",
    "log",
    "env",
)
_OTHERS = ("numpy", "math", "os", "random", *PACKAGES)  # packages that a class of the program's is not from
_PLAIN = (
    "argparse",
    "configparser",
    "json",
    "logging",
    "os",
    "pathlib",
    "time",
)  # what these give is no Tensor
_OPTIONS = (
    "args",
    "opt",
    "opts",
    "cfg",
    "config",
    "hparams",
)  # what is called so is taken for a program's options
_NUMPY = ("numpy", "scipy", "pandas", "PIL", "cv2")


_PACKING = tuple(
    f"torch.nn.utils.rnn.{n}" for n in ("pack_padded_sequence", "pack_sequence", "PackedSequence")
)


def dotted(node: cst.BaseExpression) -> str:
    """Return "a.b.c" for names and attributes, "" for all else."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute):
        base = dotted(node.value)
        return f"{base}.{node.attr.value}" if base else ""
    return ""


class Facts(cst.CSTVisitor):
    """Collects, in one walk over a program.

    Attributes:
        imported: of each expression that leads to an import, its full name.
        module_classes: the program's own classes of modules.
        kinds: of names ("net", "self.net"), what they hold as far as all assignments agree.
        layers: of attributes and keys ("bn1", "wte"), the layers of PyTorch's that they hold.
        bound: all names that the program binds.
        given: names that it imports as ported programs do.
        model_functions: the program's own functions that call a module.
        optimizes: of each optimizer, what it gets: "net.parameters()".
        closures: the functions that an optimizer's `step` calls.
        base_layers: of each class, the class of PyTorch's that it derives from, or "".
        buffers: attributes that are registered as buffers.
        lbfgs: optimizers that call a closure themselves.
        groups: names of groups of an optimizer's parameters.
        makers: of each name, PyTorch's functions whose results it is assigned.
        called_by_modules: methods and functions that methods of modules call.
        functions: the names of all functions and methods that the program defines.
        packs: True if the program makes sequences without padding.
        sets_train: True if the program says of any module that it is to be trained.
        own_optimizers: names of optimizers of classes of the program's.
        adds_groups: True if optimizers get more parameters later.
        keeps: True if parameters keep their gradients, as PyTorch's do: other functions read them.
    """

    def __init__(self, names: Mapping[cst.CSTNode, Any], project: Project) -> None:
        super().__init__()
        self.project = project
        self.names: Mapping[cst.CSTNode, Any] = (
            names  # of each node, what libcst's QualifiedNameProvider says
        )
        self.module_classes: set[str] = set(project.module_classes)
        self.kinds: Mapping[str, str] = {}
        self.layers: Mapping[str, set[str]] = defaultdict(set)
        self.bound: set[str] = set()
        self.given: set[str] = set()
        self.model_functions: set[str] = set()
        self.optimizes: dict[str, str] = {}
        self.closures: set[str] = set()
        self.buffers: set[str] = set()
        self.base_layers: dict[str, str] = {}
        self.lbfgs: set[str] = set()
        self.groups: set[str] = set()
        self.makers: dict[str, set[str]] = defaultdict(set)
        self.called_by_modules: set[str] = set()
        self.packs = False
        self.sets_train = False
        self.keeps = project.reads_gradients
        self.own_optimizers: set[str] = set()
        self.adds_groups = False
        self.functions: set[str] = set()
        self._defined: list[cst.FunctionDef] = []
        self._given_back: dict[
            str, int
        ] = {}  # of functions, which argument they return: `def start(net): ...; return net`
        self._assigned: dict[str, set[str]] = defaultdict(set)
        self._grown: set[str] = set()
        self._without_gradient: dict[str, list[bool]] = {}  # of functions, which results have no gradient
        self._called: set[str] = set()  # names that hold what a call gives
        self._stepped: dict[str, set[str]] = defaultdict(set)  # the methods of an optimizer's of each name
        self._perhaps: set[str] = set()  # modules, if nothing says that they are something else

    def ours(self, text: str) -> str:
        """Return code of ours with other names for imports whose names the program binds itself.

        Examples:
            >>> from msjax.cli.port import facts, project
            >>> found = facts.Facts({}, project.Project())
            >>> found.bound.add("ops")
            >>> found.ours("ops.relu(nn.Dense)")
            'ms_ops.relu(nn.Dense)'
        """
        for name, alias in self.aliases.items():
            # `nn.Dense` and `hasattr(nn, type(part)...)`; an argument of a target has its own name: `Compose(transforms)`
            follows = r"(?:\.|, type\()" if name in mapping.imports() else r"\("
            text = re.sub(rf"(?<![\w.]){name}(?={follows})", alias, text)
        return text

    @property
    def aliases(self) -> Mapping[str, str]:
        """The other names of imports and definitions: {"ops": "ms_ops"}."""
        taken = [name for name in (*mapping.imports(), *definitions.NAMES) if name in self.bound]
        return {name: "mindspore" if name == "ms" else f"ms_{name}" for name in taken}

    def imported(self, node: cst.CSTNode) -> str:
        """Return the full name that an expression stands for, if that is imported; else ""."""
        if not isinstance(node, cst.Name | cst.Attribute) or not dotted(node):
            return ""
        known: Any = self.names.get(node, ())
        # libcst gives some of them when they are asked for.
        every = list(cast(Any, known() if callable(known) else known))
        names = [found.name for found in every if found.source is QualifiedNameSource.IMPORT]
        name = names[0] if names else ""
        # After `import model` and `model = model.Net()` the name is the program's own.
        own = len(names) < len(every) and name.partition(".")[0] not in PACKAGES
        return "" if own else name

    def torch_name(self, node: cst.CSTNode) -> str:
        """Return the full name of PyTorch's that an expression stands for, or ""."""
        name = self.imported(node)
        return name if name.partition(".")[0] in PACKAGES else ""

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self.bound.add(node.name.value)
        bases = [name for base in node.bases if (name := self.torch_name(base.value))]
        self.base_layers[node.name.value] = bases[0] if len(bases) == 1 else ""
        if bases == ["torch.nn.Transformer"]:  # which has these; the class may put others in their place
            for name, kind in (("encoder", "TransformerEncoder"), ("decoder", "TransformerDecoder")):
                if not m.findall(node, m.AssignTarget(m.Attribute(m.Name("self"), m.Name(name)))):
                    self.layers[name].add(f"torch.nn.{kind}")
        if node.name.value in self.module_classes:
            calls = [dotted(c.func) for c in m.findall(node.body, m.Call())]  # type: ignore[union-attr]
            self.called_by_modules |= {name.removeprefix("self.") for name in calls}

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self.bound.add(node.name.value)
        self._defined.append(node)
        self.functions.add(node.name.value)
        takes = [p.name.value for p in node.params.params]
        returned = {dotted(r.value) if r.value is not None else "" for r in m.findall(node.body, m.Return())}  # type: ignore[union-attr]
        if len(returned) == 1 and returned <= set(takes):
            self._given_back[node.name.value] = takes.index(returned.pop())

    def visit_Param(self, node: cst.Param) -> None:
        self.bound.add(node.name.value)

    def visit_AssignTarget(self, node: cst.AssignTarget) -> None:
        self._bind(node.target)

    def visit_AsName(self, node: cst.AsName) -> None:
        self._bind(node.name)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        self._bind(node.target)

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        self._bind(node.target)

    def _bind(self, target: cst.BaseExpression) -> None:
        if isinstance(target, cst.Name):
            self.bound.add(target.value)
        elif isinstance(target, cst.Tuple | cst.List):
            for element in target.elements:
                self._bind(element.value)

    def visit_Import(self, node: cst.Import) -> bool:
        """Names of other packages' imports are bound; those of PyTorch's go."""
        for a in node.names:
            if dotted(a.name).partition(".")[0] not in PACKAGES:
                alias = f" as {a.evaluated_alias}" if a.evaluated_alias else ""
                self._import(f"import {dotted(a.name)}{alias}", a.evaluated_alias or dotted(a.name))
        return False

    def _import(self, line: str, name: str) -> None:
        name = name.partition(".")[0]
        (self.given if mapping.imports().get(name) == line else self.bound).add(name)

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        ours = node.module is not None and dotted(node.module).partition(".")[0] in PACKAGES
        if not (ours and not node.relative) and not isinstance(node.names, cst.ImportStar):
            module = dotted(node.module) if node.module is not None else ""
            for a in node.names:
                alias = f" as {a.evaluated_alias}" if a.evaluated_alias else ""
                line = f"from {module} import {dotted(a.name)}{alias}"
                self._import(line, a.evaluated_alias or dotted(a.name))
        return False

    def visit_Assign(self, node: cst.Assign) -> None:
        for target in node.targets:
            if isinstance(target.target, cst.Tuple) and isinstance(node.value, cst.Tuple):
                parts = zip(target.target.elements, node.value.elements, strict=False)
                for each, value in parts:  # `a, b = f(), g()`
                    self._assign(dotted(each.value), value.value)
                continue
            self._assign(dotted(target.target), node.value)

    def _assign(self, name: str, value: cst.BaseExpression) -> None:
        if name.endswith(".requires_grad") and dotted(value) == "True":
            self._grown.add(name.removesuffix(".requires_grad"))
        if name and isinstance(value, cst.Call):
            if self.made(value.func) in self.project.optimizer_classes:
                self.own_optimizers.add(name)
            self.makers[name].add(self.torch_name(value.func))
            if self.torch_name(value.func).startswith("torch.optim.") and value.args:
                known = self.optimizes.get(name, code_of(value.args[0]))
                self.optimizes[name] = known if known == code_of(value.args[0]) else "several"
        if name:
            self._assigned[name].add(self.kind(value))
            self._called |= {name} if isinstance(value, cst.Call) else set()
            if "." in name:
                self._layer(name.rpartition(".")[2], value)

    def visit_CompFor(self, node: cst.CompFor) -> None:
        self._group(node)

    def _group(self, node: cst.For | cst.CompFor) -> None:
        """Note `for group in optimizer.param_groups`."""
        if "param_groups" in cst.Module([]).code_for_node(node.iter):
            names = [cst.ensure_type(n, cst.Name).value for n in m.findall(node.target, m.Name())]
            self.groups.add(names[-1])

    def visit_For(self, node: cst.For) -> None:
        self._bind(node.target)
        self._group(node)
        if "parameters()" in cst.Module([]).code_for_node(node.iter):
            names = [cst.ensure_type(n, cst.Name).value for n in m.findall(node.target, m.Name())]
            is_zip = isinstance(node.iter, cst.Call) and dotted(node.iter.func) == "zip"
            given = cst.ensure_type(node.iter, cst.Call).args if is_zip else ()
            zipped = [a for a in given if a.keyword is None]
            every = bool(zipped) and all("parameters()" in code_of(a) for a in zipped)
            for name in names if every else names[-1:]:  # the last of (name, parameter)
                self._assigned[name].add(PARAMETER)

    def visit_Arg(self, node: cst.Arg) -> None:
        if node.keyword is not None:
            self._layer(node.keyword.value, node.value)

    def visit_DictElement(self, node: cst.DictElement) -> None:
        if isinstance(node.key, cst.SimpleString):
            self._layer(str(node.key.evaluated_value), node.value)

    def visit_Call(self, node: cst.Call) -> None:
        if isinstance(node.func, cst.Attribute) and node.func.attr.value == "step" and len(node.args) == 1:
            self.closures.add(dotted(node.args[0].value))
        self.packs |= self.torch_name(node.func) in _PACKING
        self.adds_groups |= isinstance(node.func, cst.Attribute) and node.func.attr.value == "add_param_group"
        if isinstance(node.func, cst.Attribute) and node.func.attr.value in ("step", "zero_grad"):
            self._stepped[dotted(node.func.value)].add(node.func.attr.value)
        if dotted(node.func) == "self.register_buffer" and node.args:
            self.buffers.add(code_of(node.args[0]).strip("\"'"))
        grows = not node.args or code_of(node.args[0]) == "True"
        if isinstance(node.func, cst.Attribute) and node.func.attr.value == "requires_grad_" and grows:
            self._grown.add(dotted(node.func.value))
        if isinstance(node.func, cst.Attribute) and node.func.attr.value in _MODULE_METHODS:
            name = dotted(node.func.value)
            # A method of that name that the program defines itself says nothing.
            own = node.func.attr.value in self.project.own_methods
            of_modules = any("train" in self.project.methods.get(c, ()) for c in self.module_classes)
            self.sets_train |= node.func.attr.value == "train" and not own and not of_modules
            if name and not own and not self.imported(node.func.value):
                # Optimizers have these too: what the name is assigned says more.
                shared = node.func.attr.value in ("zero_grad", "state_dict", "load_state_dict")
                if not shared:
                    self._assigned[name].add(MODULE)
                elif not any(word in name.lower() for word in ("opt", "sched", "scaler")):
                    self._perhaps.add(name)

    def _layer(self, name: str, value: cst.BaseExpression) -> None:
        if isinstance(value, cst.Call):
            row = mapping.find(self.torch_name(value.func))
            if row is not None and row.gives == MODULE:
                self.layers[name].add(row.name)
            elif self.made(value.func) in self.module_classes:
                self.layers[name].add(f"own {self.made(value.func)}")

    def leave_Module(self, original_node: cst.Module) -> None:
        for name, called in self._stepped.items():
            if len(called) == 2 and self._assigned[name] <= {"", OWN} and name not in {"", *self._called}:
                self._assigned[name] = {OPTIMIZER}
        for name in self._perhaps:
            if not self._assigned[name] - {""}:
                self._assigned[name].add(MODULE)
        self.kinds = {
            name: next(iter(kinds - {""})) for name, kinds in self._assigned.items() if len(kinds - {""}) == 1
        }
        for name in self._grown:  # Tensors that get gradients: `x.requires_grad = True`
            if name.isidentifier() and self.kinds.get(name, TENSOR) == TENSOR:
                self.kinds = {**self.kinds, name: PARAMETER}
        for function in self._defined:
            self._note_results(function)
        while True:
            before = len(self.model_functions)
            for function in self._defined:
                calls = [dotted(c.func) for c in m.findall(function.body, m.Call())]  # type: ignore[union-attr]
                if any(map(self._calls_module, calls)):
                    self.model_functions.add(function.name.value)
            if len(self.model_functions) == before:
                break

    def numbers_of(self, call: cst.Call) -> list[bool]:
        """Return for each result of a call of the program's own function whether it has no gradient, [] if not known."""
        return self._without_gradient.get(dotted(call.func).rpartition(".")[2], [])

    def _note_results(self, function: cst.FunctionDef) -> None:
        """Note which results of a function have no gradient."""
        inner = [
            n
            for f in m.findall(function.body, m.FunctionDef() | m.Lambda())
            for n in m.findall(f, m.Return())
        ]
        returns = [
            cst.ensure_type(r, cst.Return).value
            for r in m.findall(function.body, m.Return())
            if r not in inner
        ]
        name, found = function.name.value, []
        for value in returns:
            parts = [e.value for e in value.elements] if isinstance(value, cst.Tuple) else [value]
            found.append([part is None or gives_no_gradient(part) for part in parts])
        same = found and all(len(each) == len(found[0]) for each in found)
        known = name not in self._without_gradient
        together = [all(each) for each in zip(*found, strict=True)] if same and known else []
        self._without_gradient[name] = together

    def _calls_module(self, name: str) -> bool:
        last = name.rpartition(".")[2]
        of_module = self.kinds.get(name) == MODULE or last in MODEL_NAMES or self.is_method_of_module(name)
        of_module |= self.may_be_module(name)
        return bool(name) and (of_module or name.removeprefix("self.") in self.model_functions)

    def may_be_module(self, name: str) -> bool:
        """True for a variable that is called, and holds perhaps a module: `encoder(x)` where `encoder` is an argument."""
        if self.kinds.get(name) or name.removeprefix("self.") in _CALLED:
            return False
        if name.startswith("self."):
            attribute = name.removeprefix("self.")
            return "." not in attribute and attribute in self.project.own_attributes - self.functions
        known = self.functions | self.module_classes | self.project.other_classes
        return name in self.bound - known and not hasattr(builtins, name)

    def is_method_of_module(self, name: str) -> bool:
        """True for `agent.value`, if `agent` is a module and `value` a method that the program defines."""
        holder, _, last = name.rpartition(".")
        known = self.kinds.get(holder) == MODULE or holder.rpartition(".")[2] in MODEL_NAMES
        methods = (self.project.methods.get(each, frozenset()) for each in self.module_classes)
        return known and any(last in own for own in methods)

    def may_be_sequence(self, node: cst.BaseExpression) -> bool:
        """True for a name that holds a deque somewhere."""
        return SEQUENCE in self._assigned.get(dotted(node), ())

    def layer(self, name: str) -> str:
        """Return the layer of PyTorch's that an attribute holds, if it is always the same; else ""."""
        found = self.layers.get(name, set())
        return next(iter(found)) if len(found) == 1 else ""

    def made(self, func: cst.BaseExpression) -> str:
        """Return the class of the program's own that a call gives an object of, or ""."""
        full = self.imported(func)
        if full.partition(".")[0] in _OTHERS:
            return ""
        last = (full or dotted(func)).rpartition(".")[2]  # `from utils import Config as C`
        name = self.project.makes.get(last, last)
        return name if name in self.module_classes or name in self.project.other_classes else ""

    def stop_gradient(self, node: cst.BaseExpression, needed: set[str]) -> str:
        """Return the function that stops the gradients of a value, and note the import or definition that it needs.

        MindSpore's own leaves objects as they are.
        """
        last = dotted(node.func).rpartition(".")[2] if isinstance(node, cst.Call) else ""
        is_object = self.kind(node) in (OWN, DISTRIBUTION) or last in DISTRIBUTIONS
        stop = "without_gradient" if is_object else "ops.stop_gradient"
        needed.add(stop.partition(".")[0])
        return self.ours(f"{stop}(").removesuffix("(")

    def kind(self, node: cst.BaseExpression) -> str:
        """Return what an expression gives, "" if that is not known."""
        name = dotted(node)
        if name:
            return self.kinds.get(name, OWN if name in _OPTIONS else "")
        if isinstance(node, cst.Call):
            return self._kind_of_call(node)
        if isinstance(node, cst.BinaryOperation):
            kinds = {self.kind(node.left), self.kind(node.right)}
            return next((k for k in (TENSOR, ARRAY) if k in kinds), "")
        if isinstance(node, cst.Subscript):
            kind = self.kind(node.value)
            return kind if kind in (TENSOR, ARRAY) else ""
        if isinstance(node, cst.SimpleString | cst.FormattedString | cst.ConcatenatedString):
            return "text"
        return ""

    def _kind_of_call(self, node: cst.Call) -> str:
        name = self.torch_name(node.func)
        if _gives_pair(node, bool(name)):
            return PAIR
        if name:
            row = mapping.find(name)
            learned = row is not None and row.name == "torch.nn.Parameter"
            if learned or any(
                a.keyword and a.keyword.value == "requires_grad" and code_of(a) == "True" for a in node.args
            ):
                return PARAMETER
            return row.gives if row is not None else MODULE if name.startswith("torchvision.models.") else ""
        made = self.made(node.func)
        if made in self.project.optimizer_classes:
            return OPTIMIZER
        if made:
            return MODULE if made in self.module_classes else OWN
        back = self._given_back.get(dotted(node.func), len(node.args))
        if back < len(node.args) and node.args[back].keyword is None:
            return self.kind(node.args[back].value)
        if self.imported(node.func) == "collections.deque":
            return SEQUENCE
        package = self.imported(node.func).partition(".")[0]
        if package in (*_NUMPY, *_PLAIN):
            return ARRAY if package in _NUMPY else OWN
        if isinstance(node.func, cst.Attribute):
            attr = node.func.attr.value
            kind = self.kind(node.func.value)
            if attr == "requires_grad_" and kind != MODULE and "False" not in map(code_of, node.args):
                return PARAMETER
            if attr in ("to", "cuda", "cpu", "train", "eval", "apply", "float", "half") and kind == MODULE:
                return MODULE
            if attr in ("parse_args", "parse_known_args"):
                return OWN
            row = mapping.rows().get(mapping.TENSOR + attr)
            if row is not None and kind in ("", TENSOR):
                return row.gives if kind == TENSOR or row.gives == ARRAY else ""
            return kind if kind == ARRAY else ""
        return ""


_WITHOUT_GRADIENT = ("item", "detach", "tolist", "numpy", "sample", "argmax", "long", "int", "bool")
_NUMBERS = ("int", "float", "bool", "len", "str", "round")


def gives_no_gradient(node: cst.BaseExpression) -> bool:
    """True for `x.item()`, `dist.sample()`, `int(x)`, `x.data`, and for literals.

    Examples:
        >>> import libcst as cst
        >>> from msjax.cli.port import facts
        >>> [facts.gives_no_gradient(cst.parse_expression(text)) for text in ("x.item()", "x.sum()", "3")]
        [True, False, True]
    """
    if isinstance(node, cst.Call):
        method = node.func.attr.value if isinstance(node.func, cst.Attribute) else ""
        return method in _WITHOUT_GRADIENT or dotted(node.func) in _NUMBERS
    if isinstance(node, cst.Attribute):
        return node.attr.value == "data"
    return isinstance(node, cst.BaseNumber | cst.BaseString)


def _gives_pair(node: cst.Call, of_package: bool) -> bool:
    """True for `x.topk(3)`, `x.max(dim=1)`, `torch.max(x, 1)`."""
    last = node.func.attr.value if isinstance(node.func, cst.Attribute) else dotted(node.func)
    if last in _PAIRS:
        return of_package or isinstance(node.func, cst.Attribute)
    axes = [a for a in node.args if a.keyword is not None and a.keyword.value == "dim"]
    by_position = [a for a in node.args if a.keyword is None][1 if of_package else 0 :]
    axes += [a for a in by_position[:1] if isinstance(a.value, cst.Integer | cst.UnaryOperation)]
    return last in _PAIRS_OF_AXIS and bool(axes)


def code_of(arg: cst.Arg) -> str:
    """Return the source of an argument's value."""
    return cst.Module([]).code_for_node(arg.value)
