"""The READMEs of the package's folders: each is there, short, and names what exists."""

import re
from pathlib import Path

import pytest

import msjax

PACKAGE = Path(msjax.__file__).parent
TESTS = Path(__file__).parent
ROOT = TESTS.parent
MOST_LINES = 30
ROOMS = sorted(
    folder
    for top in (
        *("core", "ops", "nn", "dataset", "torch", "train", "public_api", "cli", "config", "communication"),
        *("mint", "numpy", "scipy", "parallel", "rewrite", "mindrecord", "profiler"),
    )
    for folder in [PACKAGE / top, *(PACKAGE / top).rglob("*")]
    if len([path for path in folder.glob("*.py") if path.name != "__init__.py"]) >= 4
)
READMES = sorted(PACKAGE.rglob("README.md"))
_QUOTED = re.compile(r"`([^`\n]+)`")
_PATH = re.compile(r"([\w/.]+(?:\.pyi?|\.md|\.json\.gz|/))(?::? (\w+(?:\.\w+)*))?$")


def short(path):
    return path.relative_to(PACKAGE).as_posix()


def quoted(readme):
    return _QUOTED.findall(readme.read_text("utf8"))


@pytest.mark.parametrize("folder", ROOMS, ids=short)
def test_a_room_has_a_readme(folder):
    assert (folder / "README.md").is_file(), (
        f"msjax/{short(folder)} needs a README.md: what is here, what it may import"
    )


@pytest.mark.parametrize("readme", READMES, ids=short)
def test_a_readme_is_short(readme):
    if readme.parent != PACKAGE / "core":
        assert len(readme.read_text("utf8").splitlines()) <= MOST_LINES


@pytest.mark.parametrize("readme", READMES, ids=short)
def test_files_and_names_exist(readme):
    """`file.py` is looked for from the README's folder, the package and the repository; `file.py: name` has that name."""
    for text in quoted(readme):
        match = _PATH.match(text)
        if match is None:
            continue
        path, name = match.groups()
        found = [
            base / path for base in (readme.parent, PACKAGE, ROOT, TESTS / "core") if (base / path).exists()
        ]
        assert found, f"there is no {path}"
        if name is not None:
            for part in name.split("."):
                assert re.search(rf"\b{part}\b", found[0].read_text("utf8")), f"{path} has no {part}"


@pytest.mark.parametrize("readme", READMES, ids=short)
def test_every_file_of_a_folder_is_named(readme):
    if readme.parent == PACKAGE / "core":
        return
    named = set(quoted(readme)) | {text.rstrip("i") for text in quoted(readme) if text.endswith(".pyi")}
    files = [path.name for path in readme.parent.glob("*.py") if path.name != "__init__.py"]
    assert sorted(set(files) - named) == []


def test_the_tests_that_the_kernels_readme_names_exist():
    defined = {
        name
        for pattern in ("core/**/test_*.py", "nn/**/test_*.py", "test_*.py")
        for path in TESTS.glob(pattern)
        for name in re.findall(r"^def (test_\w+)", path.read_text("utf8"), re.MULTILINE)
    }
    named = {
        name
        for text in quoted(PACKAGE / "core/README.md")
        for name in re.findall(r"\btest_\w+(?!\w*\.py)$", text)
    }
    assert len(named) > 15
    assert sorted(named - defined) == []


def test_the_lengths_in_the_kernels_readme_are_about_right():
    rows = re.findall(
        r"^\| \d \| `(\S+)` \| (\d+) \|", (PACKAGE / "core/README.md").read_text("utf8"), re.MULTILINE
    )
    assert len(rows) == 8
    for path, lines in rows:
        length = len((PACKAGE / "core" / path).read_text("utf8").splitlines())
        assert abs(length - int(lines)) <= 0.15 * length + 10, f"{path} has {length} lines"


@pytest.mark.parametrize(
    "text", [*READMES, *(ROOT / "docs").glob("*.md"), *ROOT.glob("*.md")], ids=lambda text: text.stem
)
def test_links_lead_to_files(text):
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", text.read_text("utf8"))
    assert [
        link for link in links if "." in link and "://" not in link and not (text.parent / link).exists()
    ] == []
