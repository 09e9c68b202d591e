"""The `msjax` command: runs programs written for MindSpore, shows versions, checks usage."""

import difflib
import functools
import os
import platform
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import click
from click import shell_completion

from msjax.cli import compilation_cache, diagnosis, example_programs, launch, run_program, usage_check
from msjax.communication.world import note_failure
from msjax.public_api import import_hook
from msjax.version import __msjax_version__, __version__

_PLATFORMS = {"cpu": "cpu", "gpu": "cuda,cpu", "tpu": "tpu,cpu"}


def main(args: Sequence[str] | None = None) -> None:
    """The entry point of the command.

    Args:
        args: the arguments after the command's name. Default: those of the process.
    """
    try:
        program = commands.main(args, prog_name="msjax", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.Abort:
        sys.exit(1)
    # Only now: click has its own ideas of some exceptions, and those of the program are not its business.
    if callable(program):
        try:
            program()
        except SystemExit as error:
            note_failure(error.code)
            raise


class _Commands(click.Group):
    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args[0] not in self.commands and os.path.exists(args[0]):
            ctx.fail(f"No such command {args[0]!r}. To run a program: msjax run {' '.join(args)}")
        return super().resolve_command(ctx, args)


def _complete_files(
    context: click.Context, parameter: click.Parameter, text: str
) -> list[shell_completion.CompletionItem]:
    return [shell_completion.CompletionItem(text, type="file")]


@click.group(cls=_Commands)
@click.version_option(__msjax_version__, message=f"msjax %(version)s (MindSpore API {__version__})")
def commands() -> None:
    """Run MindSpore programs on JAX.

    \b
    Examples:
        msjax demo                     trains an example
        msjax run train.py --epochs 3  runs a MindSpore script
        msjax check train.py           says what will happen to each name it uses
        msjax port train.py            shows a PyTorch script in MindSpore's API
        msjax doctor                   looks for what is wrong on this machine
        msjax explain nn.Dense         what is known of a name; or a page of the documentation

    The exit status is that of the program for run, launch and demo; 1 if check, port or doctor find a problem; 2 if the
    command cannot be understood.
    """  # noqa: D301 - click keeps the lines of a paragraph that begins so


@commands.command(context_settings={"allow_interspersed_args": False})
@click.option("-m", "as_module", is_flag=True, help="TARGET is the name of a module, as with `python -m`.")
@click.option("-c", "as_code", is_flag=True, help="TARGET is the program itself, as with `python -c`.")
@click.option(
    "--as",
    "names",
    type=click.Choice(list(import_hook.PACKAGES)),
    multiple=True,
    default=["mindspore"],
    show_default=True,
    help="The package that msjax stands in for; can be given more than once.",
)
@click.option(
    "--device", type=click.Choice(list(_PLATFORMS)), help="The kind of device. Default: the best at hand."
)
@click.option(
    "--devices",
    metavar="all|N",
    callback=lambda context, option, value: _count_devices(value),
    help="Share each compiled step among the devices of this host: each computes a part of the batch. On CPU, N devices are "
    "made of its cores.",
)
@click.option(
    "--shard-parameters",
    is_flag=True,
    help="With --devices: each device keeps a part of every Parameter and of what its optimizer keeps for it.",
)
@click.option(
    "--cache/--no-cache",
    default=True,
    help="Keep compiled programs on disk for the next run, where MSJAX_CACHE_DIR says.  [default: cache]",
)
@click.argument("target", shell_complete=_complete_files)
@click.argument("args", nargs=-1, type=click.UNPROCESSED, shell_complete=_complete_files)
def run(
    target: str,
    args: tuple[str, ...],
    as_module: bool,
    as_code: bool,
    names: tuple[str, ...],
    device: str | None,
    devices: int | None,
    shard_parameters: bool,
    cache: bool,
) -> Any:
    """Run a program with msjax in place of MindSpore.

    TARGET is a script, a folder or zip file with a `__main__.py`, or "-" for the standard input. What follows it is
    the program's own.

    \b
    Examples:
        msjax run train.py --epochs 3
        msjax run --device cpu -m package.train
        msjax run --as torch train.py
    """  # noqa: D301 - click keeps the lines of a paragraph that begins so
    if as_module and as_code:
        raise click.UsageError("TARGET cannot be a module (-m) and a program (-c) at once.")
    if device is not None:
        _choose_device(device)
    if devices is not None:
        _share_among(devices, shard_parameters, ask=device in ("gpu", "tpu"))
    elif shard_parameters:
        raise click.UsageError("--shard-parameters needs --devices.")
    if cache:
        compilation_cache.turn_on()
    for name in names:
        import_hook.install_as(name)
    run_program.tell_workers()
    start = run_program.run_module if as_module else run_program.run_code if as_code else run_program.run_path
    return functools.partial(start, target, args)


@commands.command(
    "launch",
    short_help="Run a program in several processes, as msrun does.",
    context_settings={"ignore_unknown_options": True, "help_option_names": []},
)
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
def launch_program(args: tuple[str, ...]) -> Any:
    """Run a program in several processes that communicate, with the options of MindSpore's msrun (see `--help`)."""
    return functools.partial(launch.main, args, "msjax launch")


@commands.command("check", short_help="Say, without running it, what in a program will not work.")
@click.option("--missing", "only_problems", is_flag=True, help="Print only what will not work.")
@click.option("--all", "every", is_flag=True, help="Print what simply works too.")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True))
def check_programs(paths: tuple[str, ...], only_problems: bool, every: bool) -> Any:
    """Read programs, without running them, and say which names of MindSpore's that they use do not simply work.

    Of programs written for PyTorch it says what `msjax port` will do to each name.

    PATHS are scripts, notebooks and folders. The exit status is 1 if something will not work, so that it can stand in CI.

    \b
    Examples:
        msjax check train.py
        msjax check --all net.py
        msjax check --missing models/ lesson.ipynb
    """  # noqa: D301 - click keeps the lines of a paragraph that begins so
    if not any(usage_check.files(paths)):
        raise click.UsageError(f"No Python program or notebook is in {', '.join(paths)}.")
    findings = usage_check.check(paths)
    if any(usage_check.uses_pytorch(path) for path in usage_check.files(paths)):
        from msjax.cli.port import files  # libcst takes a while, which other programs need not wait for

        findings += files.check(paths)
    problems = [finding for finding in findings if finding.verdict in usage_check.PROBLEMS]
    told = problems if only_problems else [f for f in findings if every or f.verdict not in usage_check.FINE]
    for finding in told:
        click.echo(str(finding))
    click.echo(usage_check.summary(findings))
    return functools.partial(sys.exit, 1) if problems else None


@commands.command("port")
@click.option("-o", "out", type=click.Path(), help="The file, or for a folder the folder, to write to.")
@click.option("--in-place", is_flag=True, help="Overwrite the programs themselves.")
@click.option(
    "--api",
    type=click.Choice(["mindspore", "mint"]),
    default="mindspore",
    show_default=True,
    help="mindspore: functions and Cells; mint: the names closest to PyTorch's.",
)
@click.option(
    "--all", "every", is_flag=True, help="Report every decision, not only what differs and what is left."
)
@click.option(
    "--like",
    type=click.Path(exists=True),
    help="For a file of weights: a checkpoint of the ported program's.",
)
@click.argument("source", type=click.Path(exists=True))
def port_programs(
    source: str, out: str | None, in_place: bool, api: Any, every: bool, like: str | None
) -> Any:
    """Rewrite programs written for PyTorch into MindSpore's API.

    SOURCE is a script, a notebook or a folder, or a file of weights (.pt, .pth). Without -o a script's new text goes to
    the standard output; the report goes to the standard error. What cannot be rewritten stays, with a comment above it. The
    exit status is 1 if anything stayed.

    \b
    Examples:
      msjax port train.py                      shows the result
      msjax port train.py -o train_ms.py       writes it
      msjax port lesson.ipynb -o lesson_ms.ipynb
      msjax port project/ -o ported/           every script and notebook of a folder
      msjax port model.py --api mint           the style closest to PyTorch
      msjax port net.pth --like net.ckpt -o new.ckpt
                                               weights, by the names in a checkpoint that the ported program saved
    """  # noqa: D301 - click keeps the lines of a paragraph that begins so
    from msjax.cli.port import files, weights  # libcst takes a while, which `msjax run` need not wait for

    try:
        if os.path.splitext(source)[1] in weights.ENDINGS:
            if out is None or like is None:
                raise ValueError("Weights need -o FILE, and --like FILE: a checkpoint of the same net.")
            number = weights.convert_file(source, like, out)
            click.echo(f"{out}: {number} parameters", err=True)
            return None
        left = files.port(
            source, out, in_place, api, every, click.echo, lambda text: click.echo(text, err=True)
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    return functools.partial(sys.exit, 1) if left else None


@commands.command("version", short_help="Print the versions of msjax, Python and JAX.")
def print_version() -> None:
    """Print the versions of msjax and of what it stands on."""
    click.echo(f"msjax {__msjax_version__} (MindSpore API {__version__})")
    click.echo(f"Python {platform.python_version()} ({sys.executable})")
    for package in ("jax", "jaxlib", "optax", "numpy"):
        try:
            click.echo(f"{package} {version(package)}")
        except PackageNotFoundError:
            click.echo(f"{package}: not installed")


@commands.command()
@click.pass_context
def info(context: click.Context) -> None:
    """Print the versions, the settings and the devices."""
    import jax

    context.invoke(print_version)
    folder = os.environ.get("JAX_COMPILATION_CACHE_DIR") or compilation_cache.cache_folder()
    click.echo(f"compiled programs: {'not kept' if folder is None else folder}")
    click.echo(f"64-bit types: {'on' if jax.config.read('jax_enable_x64') else 'off'}")
    try:
        for device in jax.devices():
            click.echo(f"device: {device.platform}:{device.id} ({device.device_kind})")
    except diagnosis.NO_DEVICE:
        click.echo("device: none; msjax doctor says why")


@commands.command(
    short_help="Train one of the example programs.",
    context_settings={"allow_interspersed_args": False, "ignore_unknown_options": True},
)
@click.option(
    "--list", "only_list", is_flag=True, help="Print the names of the examples, and what each does."
)
@click.argument(
    "name",
    default=example_programs.DEFAULT,
    shell_complete=lambda context, parameter, text: [
        name for name in example_programs.find_examples() if name.startswith(text)
    ],
)
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
def demo(name: str, args: tuple[str, ...], only_list: bool) -> Any:
    """Train one of the example programs, which are written for MindSpore.

    NAME is one of `msjax demo --list`; without it, handwritten digits. What follows is the program's own: `msjax demo
    train_digits --help` lists it.

    \b
    Examples:
        msjax demo
        msjax demo --epochs 3
        msjax demo vae_digits --seed 1
    """  # noqa: D301 - click keeps the lines of a paragraph that begins so
    examples = example_programs.find_examples()
    if only_list:
        for example, path in examples.items():
            click.echo(f"{example:<20} {example_programs.describe_example(path)}")
        return None
    if difflib.get_close_matches(name, ["--list"], cutoff=0.7):
        raise click.NoSuchOption(name, possibilities=["--list"])
    if name.startswith("-"):  # an option of the first example
        name, args = example_programs.DEFAULT, (name, *args)
    if name not in examples:
        raise click.BadParameter(
            f"{name!r} is no example. There are: {', '.join(examples)}.", param_hint="NAME"
        )
    path = examples[name]
    if missing := example_programs.list_missing_packages(path):
        raise click.ClickException(f"{name} needs {', '.join(missing)}: pip install 'msjax[examples]'")
    compilation_cache.turn_on()
    import_hook.install_as("mindspore")
    run_program.tell_workers()
    return functools.partial(run_program.run_path, str(path), args)


@commands.command(short_help="Look for what is wrong on this machine.")
def doctor() -> Any:
    """Look for what could be wrong on this machine, and say what to do.

    The exit status is 1 if there is a problem.
    """
    findings = diagnosis.diagnose()
    for finding in findings:
        click.echo(str(finding))
    return functools.partial(sys.exit, 1) if any(one.verdict == "problem" for one in findings) else None


@commands.command("explain", short_help="Print a page of the documentation, or what is known of a name.")
@click.argument("topic", required=False)
def explain_topic(topic: str | None) -> None:
    """Print a page of the documentation, a section of one, or what is known of a name of MindSpore's.

    Without TOPIC it lists the pages. Errors of programs under `msjax run` say which section explains them.

    \b
    Examples:
        msjax explain control_flow
        msjax explain limits#what-is-not-there
        msjax explain nn.Dense
    """  # noqa: D301 - click keeps the lines of a paragraph that begins so
    from msjax.cli import explanations  # reads tables, which `msjax run` need not wait for

    try:
        click.echo("\n".join(explanations.list_pages()) if topic is None else explanations.explain(topic))
    except LookupError as error:
        raise click.BadParameter(str(error), param_hint="TOPIC") from None


@commands.command("completion", short_help="Print the completion for bash, zsh or fish.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def print_completion(shell: str) -> None:
    """Print what makes a shell complete commands, options and names of examples.

    \b
    Examples:
        eval "$(msjax completion bash)"      in ~/.bashrc; zsh likewise, in ~/.zshrc
        msjax completion fish > ~/.config/fish/completions/msjax.fish
    """  # noqa: D301 - click keeps the lines of a paragraph that begins so
    make = shell_completion.get_completion_class(shell)
    assert make is not None  # noqa: S101 - click has these three
    click.echo(make(commands, {}, "msjax", "_MSJAX_COMPLETE").source())


def _count_devices(given: str | None) -> int | None:
    """Return the number of devices that is meant, 0 for all."""
    if given is None or given == "all":
        return None if given is None else 0
    if not given.isdecimal() or int(given) < 1:
        raise click.BadParameter(f"must be 'all' or a positive number. Received: {given!r}.")
    return int(given)


def _share_among(count: int, shard_parameters: bool, ask: bool) -> None:
    """Spread compiled programs over devices; the CPU is made into as many."""
    import jax

    from msjax.core.jit import placement

    if count and "xla_force_host_platform_device_count" not in os.environ.get("XLA_FLAGS", ""):
        jax.config.update("jax_num_cpu_devices", count)
    if ask and count > jax.device_count():
        raise click.ClickException(f"--devices {count}: JAX finds {jax.device_count()}.")
    placement.place_everywhere(placement.Placement(count, shards_parameters=shard_parameters))


def _choose_device(device: str) -> None:
    """Restrict JAX to a kind of device, here and in processes started from here."""
    import jax

    os.environ["JAX_PLATFORMS"] = _PLATFORMS[device]
    jax.config.update("jax_platforms", _PLATFORMS[device])
    if device == "cpu":
        return  # it is always at hand, and as long as no backend has been started a program can still fork
    try:
        at_hand = jax.default_backend()
    except diagnosis.NO_DEVICE as error:
        raise click.ClickException(f"--device {device}: {error}") from None
    if at_hand != device:
        raise click.ClickException(
            f"--device {device}: JAX finds none, only {at_hand}. For a GPU or TPU install msjax with its extra "
            "cuda12, cuda13 or tpu; without --device the best device at hand is used."
        )
