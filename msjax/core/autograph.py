"""AutoGraph: Python statements over Tensor values inside traces.

`lift.trace` first runs a function as it is. Where that needs the value of a Tensor that is not known, it runs the
function again as `steer` rewrites it: the library diastatic-malt turns `if`, `while`, `for`, `break`, `return`, `and` ...
into calls of functions, and `statements` supplies those. What a rewritten function calls is rewritten when it is called,
if it is a user's; what the library calls back comes through `steered`. Rewritten code keeps the file and the lines of
its source, so tracebacks show what the user wrote.
"""

import ast
import functools
import inspect
import sys
import textwrap
import types
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from msjax.core.state import state

_HERE = str(Path(__file__).parents[1])
_LIBRARIES = frozenset({"msjax", "jax", "jaxlib", "numpy", "scipy", "optax", "malt", "pytest"})

_made: "weakref.WeakKeyDictionary[Any, Any]" = weakref.WeakKeyDictionary()
_factories: "weakref.WeakKeyDictionary[types.CodeType, Callable]" = weakref.WeakKeyDictionary()
_needed: "weakref.WeakSet[Any]" = weakref.WeakSet()
_by_value: "weakref.WeakSet[Any]" = weakref.WeakSet()


class NotConvertible(Exception):  # noqa: N818
    """Why a function runs as it is."""


def steered(fn: Callable) -> Callable:
    """What the library calls in the place of a function that a user gave it: the rewritten one, where one is wanted."""
    return steer(fn) if state.converting else fn


def steer(fn: Any) -> Any:
    """A callable with its statements rewritten; itself if it is no user's function or cannot be rewritten."""
    if isinstance(fn, types.FunctionType):
        return _of_function(fn)
    if isinstance(fn, types.MethodType):
        inner = steer(fn.__func__)
        return fn if inner is fn.__func__ else types.MethodType(inner, fn.__self__)
    if isinstance(fn, functools.partial):
        inner = steer(fn.func)
        return fn if inner is fn.func else functools.partial(inner, *fn.args, **fn.keywords)
    call = None if isinstance(fn, type) else getattr(type(fn), "__call__", None)  # noqa: B004
    if isinstance(call, types.FunctionType) and (inner := _of_function(call)) is not call:
        return types.MethodType(inner, fn)
    return fn


def _of_function(fn: types.FunctionType) -> Any:
    found = _made.get(fn)
    if found is None:
        found = fn
        if not (is_rewritten(fn) or _of_library(fn) or _never(fn)):
            try:
                found = _instance(fn)
            except NotConvertible as reason:
                _reasons[fn.__code__] = str(reason)
        _made[fn] = found if found is fn else _Kept(found)
    return found.fn if isinstance(found, _Kept) else found


class _Kept:
    """A rewritten function, kept as long as its original is."""

    def __init__(self, fn: Any) -> None:
        self.fn = fn


_reasons: "weakref.WeakKeyDictionary[types.CodeType, str]" = weakref.WeakKeyDictionary()


def is_rewritten(fn: Any) -> bool:
    """Whether a function is the result of a conversion."""
    return getattr(fn, "_msjax_rewritten", False)


def as_it_is(fn: Callable) -> Callable:
    """Mark a function that must not be rewritten."""
    fn._msjax_rewritten = True  # type: ignore[attr-defined]
    return fn


def remember(fn: Any, values: bool = False) -> None:
    """Run this function rewritten at once from now on; and with `values` for those of its small arguments."""
    (_by_value if values else _needed).add(getattr(fn, "__func__", fn))


def is_needed(fn: Any, values: bool = False) -> bool:
    """Whether this function was remembered."""
    try:
        return getattr(fn, "__func__", fn) in (_by_value if values else _needed)
    except TypeError:
        return False


def explain(error: Exception) -> None:
    """Say in an error why the function that raised it had not been rewritten, if it could not be."""
    traceback = error.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code in _reasons:
            error.add_note(f"`{code.co_name}` ({code.co_filename}) was not converted: {_reasons[code]}")
        traceback = traceback.tb_next


def _of_library(fn: types.FunctionType) -> bool:
    file = fn.__code__.co_filename
    if file.startswith("<doctest"):
        return False
    if file.startswith((_HERE, "<frozen")):
        return True
    top = (fn.__module__ or "").partition(".")[0]
    return top in _LIBRARIES or top in sys.stdlib_module_names


def _never(fn: types.FunctionType) -> bool:
    flags = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
    return bool(fn.__code__.co_flags & flags)


# ---------------------------------------------------------------------- from function to rewritten function


def _instance(fn: types.FunctionType) -> types.FunctionType:
    """The rewritten function, over the globals, closure and defaults of this one."""
    factory = _factories.get(fn.__code__)
    if factory is None:
        factory = _factories[fn.__code__] = _factory(fn)
    made = factory(fn)
    made.__code__ = made.__code__.replace(co_name=fn.__name__, co_qualname=fn.__qualname__)
    made.__defaults__, made.__kwdefaults__ = fn.__defaults__, fn.__kwdefaults__
    made.__name__, made.__qualname__, made.__module__ = fn.__name__, fn.__qualname__, fn.__module__
    return as_it_is(made)


def _factory(fn: types.FunctionType) -> Callable:
    """Rewrite the source of a function, and compile it as if it stood where the source does."""
    from msjax.core import rewriting, statements

    node = _parse(fn)
    try:
        name, node = rewriting.rewrite(fn, node)
        tree = _module(name, node, fn.__code__.co_freevars)
        code = compile(tree, fn.__code__.co_filename, "exec", dont_inherit=True, flags=_future(fn))
    except Exception as error:
        raise NotConvertible(f"{type(error).__name__}: {error}") from error
    outer = next(c for c in code.co_consts if isinstance(c, types.CodeType))
    inner = next(c for c in outer.co_consts if isinstance(c, types.CodeType))

    def instance(fn: types.FunctionType) -> types.FunctionType:
        cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))
        closure = tuple([cells[name] for name in inner.co_freevars])
        return types.FunctionType(inner, fn.__globals__, closure=closure)(statements)

    return instance


def _future(fn: types.FunctionType) -> int:
    import __future__

    flags = [getattr(__future__, name).compiler_flag for name in __future__.all_feature_names]
    return sum(flag for flag in flags if fn.__code__.co_flags & flag and flag > inspect.CO_ASYNC_GENERATOR)


def _parse(fn: types.FunctionType) -> ast.FunctionDef | ast.Lambda:
    """The syntax tree of a function, with the line numbers of its file."""
    code = fn.__code__
    try:
        lines, at = inspect.findsource(code)
        tree = _tree(lines, at)
    except (OSError, TypeError, IndexError, SyntaxError) as error:
        raise NotConvertible(f"its source is not to be had ({error})") from None
    if code.co_name == "<lambda>":
        return _lambda(code, tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
            if first == code.co_firstlineno:
                return node
    raise NotConvertible("its source has changed since it was loaded")


def _tree(lines: list[str], at: int) -> ast.AST:
    """The syntax tree of a file; where it is a text with code in it, of the block that begins at a line."""
    try:
        return ast.parse("".join(lines))
    except SyntaxError:
        block = textwrap.dedent("".join(inspect.getblock(lines[at:])))
        return ast.increment_lineno(ast.parse(block), at)


def _lambda(code: types.CodeType, tree: ast.AST) -> ast.Lambda:
    positions = [p for p in code.co_positions() if p[0] is not None and p[2] is not None and p[3]]
    fitting = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Lambda):
            begin, end = (
                (node.body.lineno, node.body.col_offset),
                (node.body.end_lineno, node.body.end_col_offset),
            )
            inside = [begin <= (p[0], p[2]) and (p[1], p[3]) <= end for p in positions]  # type: ignore[operator]
            if inside and all(inside[1:]):  # the first is the beginning of the function
                fitting.append((end, node))
    if not fitting:
        raise NotConvertible("its source is not to be had")
    return max(fitting, key=lambda pair: (pair[1].body.lineno, pair[1].body.col_offset))[1]


def _module(name: str, node: ast.stmt, closure: tuple[str, ...]) -> ast.Module:
    """`node`, which binds `name`, in a function that takes `ag__`, in a function that has the variables of the closure."""
    source = "def ag__outer():\n" + "".join(f"    {free} = None\n" for free in closure)
    source += f"    def ag__inner(ag__):\n        return {name}\n    return ag__inner\n"
    tree = ast.parse(source)
    outer: Any = tree.body[0]
    outer.body[-2].body.insert(0, node)
    _number(tree, 1)
    return tree


def _number(node: ast.AST, line: int) -> None:
    """Give every node the line that it, or what is in it, had in the source; otherwise that of what it is in."""
    from malt.pyct import anno

    def first(node: ast.AST) -> int | None:
        own: Any = anno.getanno(node, anno.Basic.ORIGIN, default=None)
        return (
            own
            if own is not None
            else next((n for c in _children(node) if (n := first(c)) is not None), None)
        )

    found = first(node)
    line = line if found is None else found
    if "lineno" in node._attributes:
        node.lineno = node.end_lineno = line  # type: ignore[attr-defined]
        node.col_offset = node.end_col_offset = 0  # type: ignore[attr-defined]
    for child in _children(node):
        _number(child, line)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    return ast.iter_child_nodes(node)
