"""The command `msjax`: a program under `msjax run` sees, raises and returns what it does under `python`."""

import os
import signal
import subprocess
import sys
import zipfile

import pytest
from click.testing import CliRunner

from msjax.cli import commands
from msjax.version import __msjax_version__

SURROUNDINGS = """
import builtins, json, os, sys
main = sys.modules["__main__"]
print(json.dumps({
    "argv": sys.argv, "path": sys.path[0], "name": __name__, "file": __file__, "package": __package__,
    "spec": __spec__ and __spec__.name, "cached": __cached__, "loader": type(__loader__).__name__, "doc": __doc__,
    "builtins": __builtins__ is builtins, "main": vars(main) is globals(),
    "flags": compile("1", "", "eval").co_flags, "names": sorted(vars(main).keys() - {"__annotations__"}),
}))
"""
FAILING = """
import sys
def divide(x):
    try:
        return x / 0
    except ZeroDivisionError as error:
        raise ValueError("no quotient") from error
sys.stdout.write("begins ")
divide(1)
"""
ENDINGS = {
    "exception": FAILING,
    "syntax": "print('never')\nif True\n",
    "status": "import sys\nsys.exit(3)\n",
    "message": "import sys\nsys.exit('the reason')\n",
    "interrupt": "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(5)\n",
    "exit_handler": "import atexit, sys\natexit.register(lambda: print(sys.modules['__main__'].answer))\nanswer = 42\n",
    "own_hook": "import sys\nsys.excepthook = lambda kind, error, tb: print(kind.__name__, tb.tb_lineno)\n1 / 0\n",
}


def python(*args, cwd, **options):
    """Run Python in a folder; gives status, output and error output."""
    # Background processes, and what they start, ignore interrupts; a program of the user's does not.
    listening = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731
    options = {"preexec_fn": listening, **options}
    process = subprocess.run(
        [sys.executable, *args], cwd=cwd, capture_output=True, text=True, check=False, timeout=600, **options
    )
    return process.returncode, process.stdout, process.stderr


def msjax_run(*args, cwd, **options):
    return python("-m", "msjax", "run", *args, cwd=cwd, **options)


class TestAsPythonDoes:
    def test_a_script(self, tmp_path):
        (tmp_path / "folder").mkdir()
        (tmp_path / "folder" / "real.py").write_text(SURROUNDINGS)
        (tmp_path / "script.py").symlink_to(tmp_path / "folder" / "real.py")
        args = ("script.py", "--lr", "0.1", "-m", "--", "--device", "cpu", "--help")
        assert msjax_run(*args, cwd=tmp_path) == python(*args, cwd=tmp_path)

    def test_a_module_of_a_package(self, tmp_path):
        (tmp_path / "package").mkdir()
        (tmp_path / "package" / "__init__.py").write_text("")
        (tmp_path / "package" / "__main__.py").write_text(
            "from . import __name__ as p\nprint(p)\n" + SURROUNDINGS
        )
        args = ("-m", "package", "--lr", "0.1")
        assert msjax_run(*args, cwd=tmp_path) == python(*args, cwd=tmp_path)

    def test_a_zip_file(self, tmp_path):
        with zipfile.ZipFile(tmp_path / "program.pyz", "w") as file:
            file.writestr(
                "__main__.py", "import helper, sys\nprint(helper.__file__, sys.argv, sys.path[0])\n"
            )
            file.writestr("helper.py", "")
        assert msjax_run("program.pyz", "1", cwd=tmp_path) == python("program.pyz", "1", cwd=tmp_path)

    def test_a_program_as_text(self, tmp_path):
        (tmp_path / "helper.py").write_text("")
        seen = (
            "import helper, json, sys\n"
            "print(sys.argv, sys.path[0], sorted(vars().keys() - {'__annotations__', '__file__', '__cached__'}))\n"
            "print(__loader__, __spec__)\n"
            "sys.exit(3)\n"
        )
        assert msjax_run("-c", seen, "--lr", "1", cwd=tmp_path) == python(
            "-c", seen, "--lr", "1", cwd=tmp_path
        )
        given = [run("-", "-m", cwd=tmp_path, input=seen) for run in (msjax_run, python)]
        assert given[0] == given[1]

    @pytest.mark.parametrize("ending", ENDINGS)
    def test_how_it_ends(self, ending, tmp_path):
        (tmp_path / "script.py").write_text(ENDINGS[ending])
        expected = python("script.py", cwd=tmp_path)
        assert msjax_run("script.py", cwd=tmp_path) == expected
        assert ending != "interrupt" or expected[0] == -signal.SIGINT


WORKERS = """
import multiprocessing, pickle, sys
import numpy as np
import mindspore as ms
from mindspore import Tensor

class Box:
    def __init__(self, value):
        self.value = value

def double(box):
    return Box(Tensor(box.value) + box.value), ms.__version__, sys.argv[1:]

if __name__ == "__main__":
    assert pickle.loads(pickle.dumps(Box(1))).value == 1
    for method in sys.argv[1:]:
        with multiprocessing.get_context(method).Pool(1) as pool:
            (box, version, args), = pool.map(double, [Box(np.float32(4.0))])
        assert type(box) is Box and type(box.value) is Tensor
        print(float(box.value), version, args)
"""


SHARED = """
import jax
import numpy as np
import mindspore as ms
from mindspore import nn, ops
net = nn.Dense(8, 16)
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1))
ms.set_context(mode=ms.GRAPH_MODE)
print(step(ops.ones((6, 8)), ops.zeros((6, 16))).shape)
print(jax.device_count(), [part.data.shape for part in net.weight._value.addressable_shards])
"""


def test_devices(tmp_path):
    (tmp_path / "script.py").write_text(SHARED)
    options = "--device", "cpu", "--devices", "4", "--shard-parameters"
    status, output, errors = msjax_run(*options, "script.py", cwd=tmp_path)
    assert (status, output) == (0, f"()\n4 {[(4, 8)] * 4}\n"), errors
    for options, message in (
        (("--shard-parameters",), "--shard-parameters needs --devices"),
        (("--devices", "0"), "must be 'all' or a positive number. Received: '0'"),
        (("--devices", "many"), "Received: 'many'"),
    ):
        result = CliRunner().invoke(commands, ["run", *options, "script.py"])
        assert result.exit_code == 2
        assert message in result.output.replace("\n", " ")


def test_worker_processes_find_mindspore_and_the_classes_of_the_script(tmp_path):
    (tmp_path / "script.py").write_text(WORKERS)
    status, output, errors = msjax_run("--device", "cpu", "script.py", "spawn", "forkserver", cwd=tmp_path)
    assert status == 0, errors
    assert output == "8.0 2.10.0 ['spawn', 'forkserver']\n" * 2


def test_the_names_that_msjax_takes(tmp_path):
    (tmp_path / "script.py").write_text(
        "import msjax, importlib.util, os, sys\n"
        "import oneflow, torch\n"
        "print(torch is oneflow is msjax.torch, 'mindspore' in sys.modules, os.environ['JAX_PLATFORMS'])\n"
    )
    args = ("--as", "torch", "--as", "oneflow", "--device", "cpu", "script.py")
    status, output, errors = msjax_run(*args, cwd=tmp_path)
    assert (status, output) == (0, "True False cpu\n"), errors


class TestWhatIsWrong:
    def test_a_script_that_is_not_there(self, tmp_path):
        status, output, errors = msjax_run("nope.py", cwd=tmp_path)
        assert (status, output) == (2, "")
        assert errors == f"msjax run: can't open file '{tmp_path}/nope.py': No such file or directory\n"

    def test_a_module_that_is_not_there(self, tmp_path):
        status, _, errors = msjax_run("-m", "no_such_package.module", cwd=tmp_path)
        assert (status, errors) == (1, "msjax run: no module named 'no_such_package.module'\n")

    def test_run_was_forgotten(self, tmp_path):
        script = tmp_path / "train.py"
        script.write_text("")
        result = CliRunner().invoke(commands, [str(script), "--lr"])
        assert result.exit_code == 2
        assert f"msjax run {script} --lr" in result.output

    def test_an_unknown_device(self):
        result = CliRunner().invoke(commands, ["run", "--device", "npu", "script.py"])
        assert result.exit_code == 2
        assert "'npu' is not one of 'cpu', 'gpu', 'tpu'" in result.output


def test_versions_and_devices():
    result = CliRunner().invoke(commands, ["info"])
    assert result.exit_code == 0
    assert f"msjax {__msjax_version__} (MindSpore API 2.10.0)" in result.output
    for word in ("jax ", "optax ", "64-bit types: ", "device: "):
        assert f"\n{word}" in result.output
    assert os.linesep + "device" not in CliRunner().invoke(commands, ["version"]).output


class TestCompletion:
    @pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
    def test_the_script_asks_msjax(self, shell):
        printed = CliRunner().invoke(commands, ["completion", shell])
        assert printed.exit_code == 0
        assert f"_MSJAX_COMPLETE={shell}_complete" in printed.output

    @pytest.mark.parametrize(
        ("line", "expected"),
        [
            ("msjax che", ["plain,check"]),
            ("msjax run --as ", ["plain,mindspore", "plain,torch", "plain,oneflow"]),
            ("msjax run tr", ["file,tr"]),
            ("msjax run train.py --data fold", ["file,fold"]),
            ("msjax demo gan", ["plain,gan_digits"]),
            ("msjax check mod", ["file,mod"]),
        ],
    )
    def test_what_a_word_becomes(self, line, expected):
        env = {"_MSJAX_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
        result = CliRunner().invoke(commands, [], env=env, prog_name="msjax")
        assert result.output.split() == expected

    def test_an_unknown_shell_is_a_wrong_command(self):
        assert CliRunner().invoke(commands, ["completion", "cmd"]).exit_code == 2


def test_help_keeps_the_lines_of_its_examples_and_cuts_no_summary():
    assert "..." not in CliRunner().invoke(commands, ["--help"]).output.partition("Commands:")[2]
    for name in set(commands.commands) - {"launch"}:
        text = CliRunner().invoke(commands, [name, "--help"]).output
        assert "\\b" not in text
