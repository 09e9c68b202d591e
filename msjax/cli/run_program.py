"""Runs a program as Python would: as `__main__`, with its own `sys.argv` and `sys.path`.

Unlike `runpy`, the module stays in `sys.modules["__main__"]` when its code has run through, so that classes defined in
it can be pickled at any time and threads and exit handlers find their globals. Exceptions, `SystemExit` and
`KeyboardInterrupt` leave as they are, so Python gives the process the exit status it always gives; only the
traceback that is shown begins in the program.
"""

import builtins
import importlib.util
import io
import os
import sys
import zipfile
from collections.abc import Callable, Sequence
from importlib.machinery import BuiltinImporter, ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType, TracebackType
from typing import Any, NoReturn

from msjax.cli.argument_hints import add_argument_hint, add_name_hint, add_section_hint
from msjax.public_api import import_hook

Program = tuple[CodeType, dict[str, Any]]
_NOT_THE_PROGRAM = (__file__, importlib.util.__file__, "<frozen importlib._bootstrap>")


def run_path(path: str, args: Sequence[str]) -> None:
    """Run a script, or a folder or zip file with a `__main__.py`.

    Args:
        path: where it is; "-" for the standard input.
        args: what follows in its `sys.argv`.

    Raises:
        SystemExit: with status 2, and a message on the standard error, if there is nothing to run; otherwise whatever
            the program raises.
    """
    sys.argv[:] = [path, *args]
    if path == "-":
        _set_first_path("")
        _run(lambda: _code(sys.stdin.read(), "<stdin>"))
    elif os.path.isdir(path) or zipfile.is_zipfile(path):
        _set_first_path(os.path.abspath(path))
        _run(lambda: _in_container(path))
    else:
        _set_first_path(os.path.dirname(os.path.realpath(path)))
        _run(lambda: _script(os.path.abspath(path)))


def run_code(code: str, args: Sequence[str]) -> None:
    """Run a program that is given as text, as `python -c` does.

    Args:
        code: the program.
        args: what follows in its `sys.argv`.
    """
    sys.argv[:] = ["-c", *args]
    _set_first_path("")
    _run(lambda: _code(code, "<string>"))


def run_module(name: str, args: Sequence[str]) -> None:
    """Run a module, or the `__main__` module of a package, as `python -m` does.

    Args:
        name: its full name.
        args: what follows in its `sys.argv`.

    Raises:
        SystemExit: with status 1, and a message on the standard error, if there is nothing to run; otherwise whatever
            the program raises.
    """
    sys.argv[:] = ["-m", *args]
    _set_first_path(os.getcwd())
    _run(lambda: _module(name))


def tell_workers() -> None:
    """Make processes spawned by multiprocessing install the same names before they import the program."""
    import multiprocessing
    from multiprocessing import spawn

    # From Python 3.14 on a fork server imports the program itself, without these names, and JAX with it, which must
    # not be forked. Workers import the program all the same.
    multiprocessing.set_forkserver_preload([])

    prepare = spawn.get_preparation_data

    def prepare_with_names(name: str) -> dict[str, Any]:
        return {**prepare(name), "msjax": import_hook.ForWorkers()}

    spawn.get_preparation_data = prepare_with_names


def _run(load: Callable[[], Program]) -> None:
    try:
        code, attributes = load()
        main = ModuleType("__main__")
        vars(main).update(attributes, __builtins__=builtins)
        # Worker processes call the main module __mp_main__, also in what they send back.
        sys.modules["__main__"] = sys.modules["__mp_main__"] = main
        exec(code, vars(main))
    except SystemExit:
        raise
    except BaseException as error:
        add_argument_hint(error)
        add_name_hint(error)
        add_section_hint(error)
        _show_from(_first_of_program(error.__traceback__))
        raise


def _script(filename: str) -> Program:
    try:
        with io.open_code(filename) as file:
            source = file.read()
    except OSError as error:
        _give_up(f"can't open file {filename!r}: {error.strerror}", status=2)
    if b"\0" in source:  # which Python reports without the name of the file
        _give_up(f"{filename} is not a Python program: it holds a null byte", status=2)
    code = compile(source, filename, "exec", dont_inherit=True)
    loader = SourceFileLoader("__main__", filename)
    return code, {
        "__file__": filename,
        "__cached__": None,
        "__loader__": loader,
        "__package__": None,
        "__spec__": None,
    }


def _code(source: str, filename: str) -> Program:
    code = compile(source, filename, "exec", dont_inherit=True)
    return code, {"__loader__": BuiltinImporter, "__package__": None, "__spec__": None}


def _in_container(path: str) -> Program:
    spec = PathFinder.find_spec("__main__", [path])
    if spec is None:
        _give_up(f"can't find a '__main__' module in {path!r}", status=2)
    return _of_spec(spec)


def _module(name: str) -> Program:
    try:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            name += ".__main__"
            spec = importlib.util.find_spec(name)
    except ModuleNotFoundError as error:
        if error.name is None or not name.startswith(error.name + "."):
            raise
        spec = None
    if spec is None:
        _give_up(f"no module named {name!r}", status=1)
    sys.argv[0] = spec.origin or name
    return _of_spec(spec)


def _of_spec(spec: ModuleSpec) -> Program:
    code = getattr(spec.loader, "get_code", lambda name: None)(spec.name)
    if code is None:
        _give_up(f"module {spec.name!r} has no Python code to run", status=1)
    return code, {
        "__file__": spec.origin,
        "__cached__": spec.cached,
        "__loader__": spec.loader,
        "__package__": spec.parent,
        "__spec__": spec,
    }


def _set_first_path(folder: str) -> None:
    if sys.flags.safe_path:
        return
    former = os.path.abspath(sys.path[0])
    sys.path[0] = folder
    if former == os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))):
        sys.path.append(former)  # msjax itself was found there


def _first_of_program(traceback: TracebackType | None) -> TracebackType | None:
    while traceback is not None and traceback.tb_frame.f_code.co_filename in _NOT_THE_PROGRAM:
        traceback = traceback.tb_next
    return traceback


def _show_from(traceback: TracebackType | None) -> None:
    """Make Python show an uncaught exception with this traceback, by the program's own hook."""
    show = sys.excepthook

    def show_from_program(kind: type[BaseException], error: BaseException, _: TracebackType | None) -> None:
        show(kind, error.with_traceback(traceback), traceback)

    sys.excepthook = show_from_program


def _give_up(message: str, status: int) -> NoReturn:
    sys.stderr.write(f"msjax run: {message}\n")
    raise SystemExit(status)
