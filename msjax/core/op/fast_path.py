"""Fast path of operators: an eager call like an earlier one runs its compiled program without being dispatched.

An eager call of an operator goes through the dispatch function (`op._make_dispatch`), which checks what every argument
may need: a place on the tape, a view, a number that becomes an array. Where an earlier call with arguments of the same
kinds needed none of that, the program that it found is called directly, by source that is generated for the operator's
signature: a call takes 0.7 to 3 microseconds less than a dispatched one (a bare jitted call takes about five).
"""

import functools
import inspect
import math
import types
from collections.abc import Callable, Sequence
from typing import Any

from msjax.core.bounded_cache import keep
from msjax.core.dtype import DType
from msjax.core.op import static_args as statics_
from msjax.core.state import state
from msjax.core.tape.nodes import Program
from msjax.core.tape.pullbacks import array_types
from msjax.core.tensor.tensor import Tensor

_NUMBERS = (float, int, bool)


class FallBackError(Exception):
    """Leaves the fast path; the dispatch function takes the call."""


class FastPath:
    """Maker of an operator's Python function and its fast path.

    Args:
        make_dispatch: called with this object; returns the function (arrays, statics) -> results for all other calls.
        name: name of the operator.
        parameters: its parameters.
        arrays: names of the array parameters.
        statics: names of the static parameters.
        views: True if the results are views of the first array.
        bounds: looks at the positions among the arrays of each call (see `op`).

    Attributes:
        function: the function that users call, with these parameters.
    """

    def __init__(
        self,
        make_dispatch: Callable[["FastPath"], Callable],
        name: str,
        parameters: list[inspect.Parameter],
        arrays: tuple[str, ...],
        statics: tuple[str, ...],
        views: bool = False,
        bounds: Callable | None = None,
    ) -> None:
        self.name = name if name.isidentifier() else "operator"
        self.head = _head(self.name, parameters)
        self.first = ""
        self.arrays, self.statics, self.views, self.bounds = arrays, statics, views, bounds
        self.last = f"return _dispatch(({_list_names(arrays)}), ({_list_names(statics)}))"
        # The keys have settings and numbers in them, which may differ from call to call.
        self.programs: dict[tuple, tuple[Callable, Callable, Callable | None]] = {}
        self.beside: dict[tuple, tuple[Callable, Callable, Callable | None]] = {}
        self.short = False
        self.twins: list[Callable] = []
        defaults = {f"_{p.name}": p.default for p in parameters if p.default is not p.empty}
        self.namespace = {"_dispatch": make_dispatch(self), **defaults}
        self.function = _compile_source(self._source(), self.namespace)[self.name]

    def accept(self, parameters: list[inspect.Parameter], first: str, names: dict[str, object]) -> None:
        """Take other parameters than the operator has; `first`, a line of Python, comes before all else and uses names."""
        self.head, self.first = _head(self.name, parameters), first
        defaults = {f"_{p.name}": p.default for p in parameters if p.default is not p.empty}
        self.namespace.update(names, **defaults)
        self._replace()

    def _source(self) -> str:
        """Return the source of the function: short once there is something to call."""
        body = _short(self.arrays, self.statics, self.views) if self.short else []
        return "\n    ".join([self.head, *[self.first] * bool(self.first), *body, self.last])

    def twin(self, dispatch: Callable[[tuple, tuple], Any]) -> Callable:
        """Return another function of the operator with the same programs; other calls go to this dispatch function."""
        made = types.FunctionType(
            self.function.__code__, {**self.namespace, "_dispatch": dispatch}, self.name
        )
        made.__defaults__, made.__kwdefaults__ = self.function.__defaults__, self.function.__kwdefaults__
        self.twins.append(made)
        return made

    def learn(
        self,
        program: Program,
        box: Callable,
        arrays: Sequence[object],
        statics: tuple,
        values: Sequence[object],
    ) -> None:
        """Cache `program` for later calls with arguments of the same kinds.

        Args:
            program: the program that ran, outside of any trace.
            box: outputs -> results; for views, (outputs, first array) -> results.
            arrays: the array arguments of the call.
            statics: the static arguments.
            values: the arrays that the program was called with.
        """
        program.tries -= 1
        key = _static_key(statics)
        first, *others = arrays or (None,)
        if key is None or not isinstance(first, Tensor | list | tuple):
            return
        run = program.run_eagerly
        program.learned = self.programs, self.beside
        if self.bounds is not None:
            named = dict(zip(self.statics, statics, strict=True))
            run = _check_first(functools.partial(self.bounds, self.name, **named), run)
        check = _check([None if isinstance(first, list | tuple) else first, *others, *statics])
        if all(isinstance(a, Tensor) for a in arrays):
            keep(self.programs, key, (run, box, check))
        elif not isinstance(first, Tensor):
            if others or self.views or not all(isinstance(t, Tensor) for t in first):
                return
            keep(self.programs, (first.__class__, len(first), *key), (run, box, check))
        else:
            call = _with_constants(run, arrays, values)
            if call is None:
                return
            kinds = [
                part for a in others for part in (a._raw.dtype if isinstance(a, Tensor) else a, a.__class__)
            ]
            keep(self.beside, (first._raw.dtype, *kinds, *key), (call, box, check))
        if not self.short:
            self.short = True
            self._shorten()

    def _shorten(self) -> None:
        found = {"_programs": self.programs, "_beside": self.beside}
        self.namespace.update(found, _state=state, _Tensor=Tensor, _Long=FallBackError)
        self._replace()

    def _replace(self) -> None:
        made = _compile_source(self._source(), dict(self.namespace))[self.name]
        # The code of the function that users already hold is replaced: a wrapper would be one more call, and names
        # imported before would not get the fast path.
        for function in (self.function, *self.twins):
            function.__globals__.update({**self.namespace, "_dispatch": function.__globals__["_dispatch"]})
            function.__code__ = made.__code__
            function.__defaults__, function.__kwdefaults__ = made.__defaults__, made.__kwdefaults__


def _compile_source(source: str, namespace: dict[str, object]) -> dict[str, Any]:
    exec(source, namespace)
    return namespace


def _list_names(names: Sequence[str]) -> str:
    return "".join(f"{n}, " for n in names)


def _head(name: str, parameters: list[inspect.Parameter]) -> str:
    plain = [p.replace(annotation=p.empty) for p in parameters]
    signature = inspect.Signature(plain)
    text = str(signature.replace(parameters=[p.replace(default=p.empty) for p in plain]))[1:-1]
    for p in parameters:
        if p.default is not p.empty:
            text = ", ".join(
                f"{part}=_{p.name}" if part.strip() == p.name else part.strip() for part in text.split(",")
            )
    return f"def {name}({text}):"


# ------------------------------------------------------------------------------------------------ the short way


def _static_key(statics: tuple) -> tuple | None:
    """Return static arguments with their types, as the generated code does; None if values may differ all the same."""
    for s in statics:
        if not _flat(s) and not (type(s) is tuple and all(map(_flat, s))):
            return None
    return (*statics, *map(type, statics))


def _flat(value: object) -> bool:
    return type(value) in statics_.flat or isinstance(value, DType)


def _check(given: Sequence[object]) -> Callable | None:
    """Return a check that tells apart arguments that are equal: 0.0 and -0.0, (0, 1) and (False, True); None if none are."""
    doubtful = [
        (i, g, _type_key(g)) for i, g in enumerate(given) if type(g) is tuple or (type(g) is float and not g)
    ]
    if not doubtful:
        return None

    def check(*given: object) -> bool:
        for i, known, kind in doubtful:  # noqa: SIM110 (a generator would take as long as all the rest)
            if given[i] is not known and _type_key(given[i]) != kind:
                return False
        return True

    return check


def _type_key(value: Any) -> object:
    return [*map(type, value)] if type(value) is tuple else math.copysign(1.0, value)


def _check_first(check: Callable, run: Callable) -> Callable:
    """Return `run` behind the check of an operator's positions."""

    def call(*values: object) -> Any:
        check(*values)
        return run(*values)

    return call


def _with_constants(run: Callable, arrays: Sequence[object], values: Sequence[object]) -> Callable | None:
    """Bind the arrays of numbers, so that the program is a function of the Tensors' arrays; None if that is impossible."""
    given, constants, pattern = iter(values), [], ""
    for a in arrays:
        if a is None:
            pattern += "_"
            continue
        value = next(given)
        if isinstance(a, Tensor):
            pattern += "x"
        elif type(a) in _NUMBERS and type(value) in array_types:
            pattern += "c"
            constants.append(value)
        else:
            return None
    return _pattern(pattern)(run, *constants)


@functools.cache
def _pattern(pattern: str) -> Callable:
    """Make a binder from a pattern: "xc_" calls the program with the first array and one constant, dropping the third."""
    constants = _list_names([f"c{i}" for i, kind in enumerate(pattern) if kind == "c"])
    taken = _list_names([f"{kind}{i}" for i, kind in enumerate(pattern) if kind != "_"])
    return eval(
        f"lambda program, {constants}: lambda {_list_names([f'x{i}' for i in range(len(pattern))])}: program({taken})"
    )


def _is_plain_text(name: str) -> str:
    return f"{name}._node is None and {name}._view is None and {name}._home is None"


def _short(arrays: tuple[str, ...], statics: tuple[str, ...], views: bool) -> list[str]:
    """Generate lines that call what earlier calls found, if they can; dispatch comes after them."""
    first, *others = arrays
    key = f"{_list_names(statics)}{_list_names([f'{s}.__class__' for s in statics])}"
    plain = " and ".join(f"isinstance({a}, _Tensor) and {_is_plain_text(a)}" for a in others)
    values = {a: f"{a}._raw" for a in arrays}

    def found(table: str, key: str, values: Sequence[str]) -> list[str]:
        known = "_found is not None"
        if statics or others:
            known += f" and (_found[2] is None or _found[2]({_list_names([*arrays, *statics])}))"
        out = f"_found[0]({_list_names(values)})"
        return [
            f"    _found = {table}.get(({key}))",
            f"    if {known}:",
            f"        return _found[1]({out}{f', {first}' if views else ''})",
        ]

    lines = found("_programs", key, list(values.values()))
    if others:
        lines = [f"if {plain}:", *lines, "else:"]
        for a in others:
            lines += [
                f"    if isinstance({a}, _Tensor):",
                f"        if not ({_is_plain_text(a)}):",
                "            raise _Long",
                f"        _value_{a} = {a}._raw",
                f"        _kind_{a} = _value_{a}.dtype",
                "    else:",
                f"        _value_{a} = _kind_{a} = {a}",
            ]
        kinds = f"{first}._raw.dtype, {_list_names([f'_kind_{a}, {a}.__class__' for a in others])}"
        lines += found("_beside", kinds + key, [values[first], *(f"_value_{a}" for a in others)])
    lines = [
        f"if isinstance({first}, _Tensor):",
        f"    if {_is_plain_text(first)}:",
        *("        " + line for line in lines),
    ]
    if not others:
        lines += [
            f"elif {first}.__class__ is list or {first}.__class__ is tuple:",
            f"    _values = [_t._raw for _t in {first} if isinstance(_t, _Tensor) and {_is_plain_text('_t')}]",
            f"    if len(_values) == len({first}):",
            *(
                "        " + line
                for line in found("_programs", f"{first}.__class__, len(_values), {key}", ["*_values"])
            ),
        ]
    # Whatever fails is dispatched, unhashable arguments too, and fails there with the operator's own error
    # (test_fast_path.test_errors_are_the_same_the_second_time). `state.plain` excludes traces, `grad` and mixed precision.
    return [
        "if _state.plain:",
        "    try:",
        *("        " + line for line in lines),
        "    except Exception:",
        "        pass",
    ]
