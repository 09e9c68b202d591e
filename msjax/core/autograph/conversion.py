"""AutoGraph: Python statements over Tensor values inside traces.

`trace.trace` first runs a function as it is. Where that needs the value of a Tensor that is not known, it runs the
function again as `convert_callable` converts it: the library diastatic-malt turns `if`, `while`, `for`, `break`,
`return`, `and`
... into calls of functions, and `core.control.operators` supplies those. A user's function is converted when a
converted one calls it; callbacks that the library calls are converted by `convert_callback`. Converted code keeps the
file and the lines of its source, so tracebacks show what the user wrote.
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

_HERE = str(Path(__file__).parents[2])
_LIBRARIES = frozenset(
    {"msjax", "jax", "jaxlib", "numpy", "scipy", "optax", "malt", "pytest", "mindspore", "torch"}
)

# Weak keys: a converted function lives as long as its original, also for functions that are made in a loop. The factory
# is kept per code object, so that closures of one `def` are parsed and compiled once
# (test_conversion.test_a_function_is_rewritten_once).
_made: "weakref.WeakKeyDictionary[Any, Any]" = weakref.WeakKeyDictionary()
_factories: "weakref.WeakKeyDictionary[types.CodeType, Callable]" = weakref.WeakKeyDictionary()
_needed: "weakref.WeakSet[Any]" = weakref.WeakSet()
_by_value: "weakref.WeakSet[Any]" = weakref.WeakSet()


def load_operators() -> types.ModuleType:
    """Return the module whose functions converted code calls: `msjax/__init__.py` puts a loader here.

    The module stands above this room, and programs without control flow over Tensors never need it.
    """
    raise NotConvertible("the package is not initialized")


class NotConvertible(Exception):  # noqa: N818
    """Reason why a function cannot be converted, and runs as it is."""


def convert_callback(fn: Callable) -> Callable:
    """Return the AutoGraph-converted `fn` while converting, else `fn`."""
    return convert_callable(fn) if state.converting else fn


def convert_callable(fn: object) -> Any:
    """Convert a callable; return it unchanged if it is not a user's function or cannot be converted."""
    if isinstance(fn, types.FunctionType):
        return _of_function(fn)
    if isinstance(fn, types.MethodType):
        inner = convert_callable(fn.__func__)
        return fn if inner is fn.__func__ else types.MethodType(inner, fn.__self__)
    if isinstance(fn, functools.partial):
        inner = convert_callable(fn.func)
        return fn if inner is fn.func else functools.partial(inner, *fn.args, **fn.keywords)
    call = None if isinstance(fn, type) else getattr(type(fn), "__call__", None)  # noqa: B004
    if isinstance(call, types.FunctionType) and (inner := _of_function(call)) is not call:
        return types.MethodType(inner, fn)
    return fn


def _of_function(fn: types.FunctionType) -> Any:
    found = _made.get(fn)
    if found is None:
        found = fn
        if not (is_converted(fn) or _of_library(fn) or _never(fn)):
            try:
                found = _instance(fn)
            except NotConvertible as reason:
                _reasons[fn.__code__] = str(reason)
        _made[fn] = found if found is fn else _Kept(found)
    return found.fn if isinstance(found, _Kept) else found


class _Kept:
    """Holder of a converted function in the table of conversions."""

    def __init__(self, fn: object) -> None:
        self.fn = fn


_reasons: "weakref.WeakKeyDictionary[types.CodeType, str]" = weakref.WeakKeyDictionary()


def is_converted(fn: object) -> bool:
    """Return True if a function is the result of a conversion, or was marked as such."""
    return getattr(fn, "_msjax_rewritten", False)


def do_not_convert(fn: Callable) -> Callable:
    """Mark a function that must not be converted."""
    fn._msjax_rewritten = True  # type: ignore[attr-defined]
    return fn


def mark_for_conversion(fn: object, values: bool = False) -> None:
    """Convert this function at once from now on; with `values`, also specialize it for values of small arguments."""
    (_by_value if values else _needed).add(getattr(fn, "__func__", fn))


def needs_conversion(fn: object, values: bool = False) -> bool:
    """Return True if this function was remembered."""
    try:
        return getattr(fn, "__func__", fn) in (_by_value if values else _needed)
    except TypeError:
        return False


def note_reason(error: Exception) -> None:
    """Add a note to an error with the reason why the function that raised it was not converted, if it could not be."""
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
    return is_library_module(fn.__module__)


def is_library_module(name: str | None) -> bool:
    """Return True for modules whose code is neither converted nor searched: Python's own, and those this package uses."""
    top = (name or "").partition(".")[0]
    return top in _LIBRARIES or top in sys.stdlib_module_names


def _never(fn: types.FunctionType) -> bool:
    flags = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
    return bool(fn.__code__.co_flags & flags)


# ---------------------------------------------------------------------- from function to rewritten function


def _instance(fn: types.FunctionType) -> types.FunctionType:
    """Return the converted function, over the globals, closure and defaults of this one."""
    factory = _factories.get(fn.__code__)
    if factory is None:
        factory = _factories[fn.__code__] = _factory(fn)
    made = factory(fn)
    made.__code__ = made.__code__.replace(co_name=fn.__name__, co_qualname=fn.__qualname__)
    made.__defaults__, made.__kwdefaults__ = fn.__defaults__, fn.__kwdefaults__
    made.__name__, made.__qualname__, made.__module__ = fn.__name__, fn.__qualname__, fn.__module__
    return do_not_convert(made)


def _factory(fn: types.FunctionType) -> Callable:
    """Convert the source of a function, and compile it under the file and lines of that source."""
    # diastatic-malt takes a tenth of a second to import, and most programs need no conversion.
    from msjax.core.autograph import passes

    node = _parse(fn)
    try:
        name, node = passes.rewrite(fn, node)
        tree = _module(name, node, fn.__code__.co_freevars)
        code = compile(tree, fn.__code__.co_filename, "exec", dont_inherit=True, flags=_future(fn))
    except Exception as error:
        raise NotConvertible(f"{type(error).__name__}: {error}") from error
    outer = next(c for c in code.co_consts if isinstance(c, types.CodeType))
    inner = next(c for c in outer.co_consts if isinstance(c, types.CodeType))

    def instance(fn: types.FunctionType) -> types.FunctionType:
        cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))
        closure = tuple([cells[name] for name in inner.co_freevars])
        return types.FunctionType(inner, fn.__globals__, closure=closure)(load_operators())

    return instance


def _future(fn: types.FunctionType) -> int:
    import __future__

    flags = [getattr(__future__, name).compiler_flag for name in __future__.all_feature_names]
    return sum(flag for flag in flags if fn.__code__.co_flags & flag and flag > inspect.CO_ASYNC_GENERATOR)


def _parse(fn: types.FunctionType) -> ast.FunctionDef | ast.Lambda:
    """Return the syntax tree of a function, with the line numbers of its file."""
    code = fn.__code__
    try:
        lines, at = inspect.findsource(code)
        tree = _tree(lines, at)
    except (OSError, TypeError, IndexError, SyntaxError) as error:
        raise NotConvertible(f"its source is not available ({error})") from None
    if code.co_name == "<lambda>":
        return _lambda(code, tree)
    for node in ast.walk(tree):
        # By name and first line: `findsource` finds the file, and nested functions may share a name.
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
            if first == code.co_firstlineno:
                return node
    raise NotConvertible("its source has changed since it was loaded")


def _tree(lines: list[str], at: int) -> ast.AST:
    """Parse a file; if it is a text with code in it (a doctest), the block that begins at a line."""
    try:
        return ast.parse("".join(lines))
    except SyntaxError:
        block = textwrap.dedent("".join(inspect.getblock(lines[at:])))
        return ast.increment_lineno(ast.parse(block), at)


def _lambda(code: types.CodeType, tree: ast.AST) -> ast.Lambda:
    # Several lambdas may stand on one line: the one whose body spans all positions of the code, and of nested ones the
    # innermost (test_conversion.test_lambdas_on_one_line).
    positions = [p for p in code.co_positions() if p[0] is not None and p[2] is not None and p[3]]
    fitting = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Lambda):
            begin, end = (
                (node.body.lineno, node.body.col_offset),
                (node.body.end_lineno, node.body.end_col_offset),
            )
            inside = [begin <= (p[0], p[2]) and (p[1], p[3]) <= end for p in positions]  # type: ignore[operator]
            # The first may be the beginning of the function; of `lambda x: x` there is but one.
            if inside and all(inside[1:] or inside):
                fitting.append((end, node))
    if not fitting:
        raise NotConvertible("its source is not available")
    return max(fitting, key=lambda pair: (pair[1].body.lineno, pair[1].body.col_offset))[1]


def _module(name: str, node: ast.stmt, closure: tuple[str, ...]) -> ast.Module:
    """Wrap `node`, which binds `name`, in a function with the closure's variables and one that takes `ag__`."""
    # The compiler makes a variable a closure cell only if an enclosing function has it: hence the outer function, whose
    # values are never used.
    source = "def ag__outer():\n" + "".join(f"    {free} = None\n" for free in closure)
    source += f"    def ag__inner(ag__):\n        return {name}\n    return ag__inner\n"
    tree = ast.parse(source)
    outer: Any = tree.body[0]
    outer.body[-2].body.insert(0, node)
    _set_lines(tree, 1)
    return tree


def _set_lines(node: ast.AST, line: int) -> None:
    """Give every node the line of its source, or of what is in it; otherwise that of the node around."""
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
        _set_lines(child, line)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    return ast.iter_child_nodes(node)
