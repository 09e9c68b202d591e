"""The command `python -m msjax.status`.

python -m msjax.status                 # a line for each module of MindSpore's
python -m msjax.status mindspore.nn    # all about one module, or several
python -m msjax.status --torch         # a line for each module of PyTorch's
python -m msjax.status --write         # the pages docs/api/*.md
"""

import sys

import click

from msjax.public_api import recorded_api, torch_api
from msjax.status import mindspore_names, pages, torch_names
from msjax.status.entries import by_module


@click.command()
@click.argument("modules", nargs=-1)
@click.option("--torch", is_flag=True, help="Count the names of PyTorch, not those of MindSpore.")
@click.option("--write", is_flag=True, help="Write the pages docs/api/*.md of both.")
def main(modules: tuple[str, ...], torch: bool, write: bool) -> None:
    """Say which public names msjax has: in a line for each module, or in full for MODULES such as mindspore.nn."""
    if write:
        click.echo(f"{pages.write()} pages changed in {pages.FOLDER}")
        return
    known = {*recorded_api.recorded(), *torch_api.public()}
    for module in modules:
        if module not in known:
            raise click.BadParameter(f"Neither MindSpore nor PyTorch has a public module {module!r}.")
    if not modules:
        found = torch_names.survey() if torch else mindspore_names.survey()
        click.echo(pages.summary(found))
        return
    for module in modules:
        survey = mindspore_names.survey if module in recorded_api.recorded() else torch_names.survey
        for name, some in by_module(survey([module])).items():
            click.echo(pages.page(name, some))


if __name__ == "__main__":
    sys.exit(main())
