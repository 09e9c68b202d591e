"""Serving msjax under another name: first with a small package made for the test, then with msjax itself."""

import importlib
import importlib.metadata
import importlib.util
import json
import operator
import pickle
import subprocess
import sys
import threading
from pathlib import Path
from types import ModuleType

import pytest

from msjax import version as ms_version
from msjax.public_api import import_hook, module_paths

FILES = {
    "__init__.py": "from ownpkg.core.tensor import Tensor\n__version__ = '2.10.0'\n",
    "core/__init__.py": "",
    "core/tensor.py": "class Tensor:\n    pass\n",
    "core/mutable.py": "",
    "common/__init__.py": "def mutable():\n    return 'function'\n",
    "nn/__init__.py": "from ownpkg.nn.cell import Cell\n",
    "nn/cell.py": "class Cell:\n    pass\n",
    "nn/loss.py": "class L1Loss:\n    pass\n",
    "broken.py": "import a_dependency_that_is_missing\n",
    **{f"many/m{i}.py": "import time\ntime.sleep(0.001)\nclass Thing: pass\n" for i in range(20)},
    "many/__init__.py": "",
}
PATHS = {"core.tensor": "common.tensor", "core.mutable": "common.mutable", "nn.loss": "nn.loss.loss"}


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package `ownpkg` that can be installed as `othername`."""
    for name, text in FILES.items():
        path = tmp_path / "ownpkg" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(import_hook.PACKAGES, "othername", "ownpkg")
    paths = {f"othername.{path}": f"ownpkg.{own}" for own, path in PATHS.items()}
    monkeypatch.setattr(import_hook, "_paths", lambda name: paths)
    importlib.invalidate_caches()
    yield
    import_hook.uninstall("othername")
    for name in [name for name in sys.modules if name.partition(".")[0] == "ownpkg"]:
        del sys.modules[name]


def imported(name):
    return importlib.import_module(name)


@pytest.mark.usefixtures("package")
class TestNames:
    def test_one_module_object_that_keeps_its_own_name(self):
        import_hook.install_as("othername")
        for name in ("", ".nn", ".nn.cell", ".common"):
            module = imported("othername" + name)
            assert module is imported("ownpkg" + name)
            assert module.__name__ == module.__spec__.name == "ownpkg" + name
            assert not hasattr(module.__spec__.loader, "own_spec")
        assert imported("othername").__version__ == "2.10.0"

    def test_every_form_of_the_import_statement(self):
        import_hook.install_as("othername")
        namespace = {}
        exec(
            "import othername, othername.nn.cell\n"
            "import othername.nn.cell as cell\n"
            "from othername import Tensor, common\n"
            "from othername.nn import Cell, loss as L\n"
            "from othername.nn.loss import *\n"
            "import othername.common.tensor as t\n",
            namespace,
        )
        own = imported("ownpkg")
        assert namespace["othername"] is own
        assert namespace["cell"] is own.nn.cell
        assert namespace["Cell"] is own.nn.cell.Cell
        assert namespace["Tensor"] is namespace["t"].Tensor is own.Tensor
        assert namespace["L1Loss"] is own.nn.loss.L1Loss

    def test_installing_and_looking_load_nothing(self):
        import_hook.install_as("othername")
        assert importlib.util.find_spec("othername.nn.cell").name == "othername.nn.cell"
        assert "ownpkg.nn" in sys.modules  # a parent has to be loaded in order to look below it
        assert importlib.util.find_spec("othername.broken") is not None
        assert "ownpkg.broken" not in sys.modules

    def test_what_was_loaded_before_is_shared_too(self):
        nn = imported("ownpkg.nn")
        import_hook.install_as("othername")
        assert sys.modules["othername.nn"] is nn
        assert importlib.util.find_spec("othername.nn") is nn.__spec__


@pytest.mark.usefixtures("package")
class TestPaths:
    def test_a_path_without_a_file_of_its_own(self):
        import_hook.install_as("othername")
        assert imported("othername.common.tensor") is imported("ownpkg.core.tensor")
        assert imported("othername.common.tensor").__name__ == "ownpkg.core.tensor"

    def test_it_is_an_attribute_of_its_parent(self):
        import_hook.install_as("othername")
        assert imported("othername.common").tensor is imported("ownpkg.core.tensor")

    def test_a_parent_that_is_no_package(self):
        import_hook.install_as("othername")
        assert imported("othername.nn.loss.loss") is imported("ownpkg.nn.loss")

    def test_a_function_with_the_name_of_a_module_stays(self):
        imported("ownpkg.core.mutable")
        import_hook.install_as("othername")
        common = imported("othername.common")
        assert imported("othername.common.mutable") is imported("ownpkg.core.mutable")
        assert common.mutable() == "function"


@pytest.mark.usefixtures("package")
class TestMissing:
    def test_the_error_names_the_module_and_the_nearest(self):
        import_hook.install_as("othername")
        with pytest.raises(
            ModuleNotFoundError, match=r"'othername\.nn\.cel'.*lacks it.*othername\.nn\.cell"
        ) as caught:
            imported("othername.nn.cel")
        assert caught.value.name == "othername.nn.cel"
        with pytest.raises(ModuleNotFoundError, match=r"'othername\.nope'"):
            imported("othername.nope.deeper")
        with pytest.raises(ModuleNotFoundError, match=r"'othername\.nn\.cell\.deeper'"):
            imported("othername.nn.cell.deeper")

    def test_asking_for_it_is_no_error(self):
        import_hook.install_as("othername")
        assert importlib.util.find_spec("othername.nope") is None

    def test_a_missing_dependency_is_reported_as_itself(self):
        import_hook.install_as("othername")
        with pytest.raises(ModuleNotFoundError, match="a_dependency_that_is_missing"):
            imported("othername.broken")
        assert "othername.broken" not in sys.modules


@pytest.mark.usefixtures("package")
class TestInstalling:
    def test_a_context_manager_ends_with_its_block(self):
        with import_hook.install_as("othername") as module:
            assert module is imported("ownpkg")
            assert "othername" in import_hook.installed()
        assert "othername" not in import_hook.installed()
        assert not [name for name in sys.modules if name.partition(".")[0] == "othername"]
        assert importlib.util.find_spec("othername") is None

    def test_a_block_leaves_an_earlier_installation(self):
        import_hook.install_as("othername")
        with import_hook.install_as("othername"):
            pass
        assert imported("othername") is imported("ownpkg")
        import_hook.uninstall("othername")
        import_hook.uninstall("othername")
        assert importlib.util.find_spec("othername") is None

    def test_the_real_package_has_been_imported(self, tmp_path):
        (tmp_path / "othername.py").write_text("")
        imported("othername")
        try:
            with pytest.raises(
                RuntimeError, match=r"'othername' has been imported already, from '.*othername\.py'"
            ):
                import_hook.install_as("othername")
        finally:
            del sys.modules["othername"]
        assert "othername" not in import_hook.installed()

    def test_a_name_that_is_not_known(self):
        with pytest.raises(
            ValueError, match=r"one of \('mindspore', 'torch', 'oneflow'.*Received: 'tensorflow'"
        ):
            import_hook.install_as("tensorflow")

    def test_pickles_load_under_every_name(self):
        with import_hook.install_as("othername"):
            cell = imported("othername.nn").Cell()
            text = pickle.dumps(cell, protocol=0)
            assert type(pickle.loads(text)) is type(cell)
            assert type(pickle.loads(text.replace(b"ownpkg.nn.cell", b"othername.nn"))) is type(cell)
        assert type(pickle.loads(text)) is type(cell)

    def test_threads_that_import_at_once(self):
        import_hook.install_as("othername")
        start, failures = threading.Barrier(8), []

        def work(which):
            start.wait()
            for i in range(20):
                prefix = ("othername", "ownpkg")[(which + i) % 2]
                try:
                    if not hasattr(imported(f"{prefix}.many.m{i}"), "Thing"):
                        failures.append(i)
                except ImportError as error:
                    failures.append(error)

        threads = [threading.Thread(target=work, args=(which,)) for which in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures
        for i in range(20):
            module = imported(f"othername.many.m{i}")
            assert module is imported(f"ownpkg.many.m{i}")
            assert module.__spec__.name == f"ownpkg.many.m{i}"


class TestTable:
    """The paths that are MindSpore's alone."""

    ENTRIES = [(path, own) for own, paths in module_paths.PATHS.items() for path in paths]

    @pytest.mark.parametrize(("path", "own"), ENTRIES)
    def test_entry(self, path, own):
        parent = path.rpartition(".")[0]
        assert module_paths.has_file(own), f"{path} is said to be in {own}, which does not exist"
        assert not parent or module_paths.has_file(parent) or parent in dict(self.ENTRIES), (
            f"{path} has no parent"
        )

    def test_no_path_twice(self):
        paths = [path for path, _ in self.ENTRIES]
        assert len(paths) == len(set(paths))


def test_names_are_where_mindspore_has_them():
    """Everything that msjax has can be imported from every module from which MindSpore 2.10 gives it."""
    recorded = json.loads((Path(__file__).parents[1] / "goldens" / "paths.json").read_text())
    wrong = []
    with import_hook.install_as("mindspore"):
        for path, names in recorded.items():
            try:
                module = importlib.import_module(f"mindspore.{path}")
            except ModuleNotFoundError:
                module = None
            for name in names.split():
                expected = public(path, name)
                if expected is not None and getattr(module, name, None) is not expected:
                    wrong.append(f"{path}.{name}")
    assert not set(wrong) - ONLY_ELSEWHERE


OTHERS_OF_THE_SAME_NAME = (
    "common.np_dtype",
    "dataset.dataloader",
    "ops.communication",
    "ops.function.comm_func",
)
ONLY_ELSEWHERE = set(
    """
    common.api.ms_memory_recycle common.tensor.swap_tensors nn.optim.adam.AdamOffload nn.layer.math.CosineSimilarity
    ops.operations.identity
    """.split()
)
IN_SEVERAL_FILES = (
    "nn.loss",
    "nn.wrap",
)  # msjax.nn has all of them, the module of that name has the common ones


def public(path, name):
    """Return msjax's object of a name in the public module nearest to a path; None if there is none."""
    if path.startswith(OTHERS_OF_THE_SAME_NAME) or path in IN_SEVERAL_FILES:
        return None
    if (
        path == "ops.functional" and name[0].isupper()
    ):  # some class forms that MindSpore's file happens to import
        return None
    parts = path.split(".")
    for length in range(len(parts), 0, -1):
        try:
            module = importlib.import_module(".".join(["msjax", *parts[:length]]))
        except ModuleNotFoundError:
            continue
        found = vars(module).get(name)
        if found is not None and not isinstance(found, ModuleType):
            return found
    return None


REAL = """
import importlib.util, pickle, sys
import msjax

msjax.install_as("mindspore")
import mindspore, mindspore.context, mindspore.common.dtype as mstype, mindspore.ops.operations as P
import mindspore.common.api, mindspore.train.serialization
from mindspore import Parameter, Tensor, context, nn, ops
from mindspore.common.initializer import Normal
from mindspore.common.parameter import Parameter as SameParameter
from mindspore.nn import Dense
from mindspore.ops import composite as C, functional as F

assert mindspore is msjax and mindspore.__version__ == "2.10.0"
assert mindspore.__name__ == "mindspore"  # MindSpore GL looks for MindSpore among a program's modules by this name
assert nn is msjax.nn is sys.modules["mindspore.nn"] and Dense is msjax.nn.Dense
assert Parameter is SameParameter is msjax.Parameter
assert mstype.float32 is msjax.float32
assert context is mindspore.context and callable(context.set_context)
assert callable(P.MatMul) and callable(F.relu) and callable(C.GradOperation)
assert importlib.util.find_spec("mindspore.nn") is not None
assert importlib.util.find_spec("mindspore.surely_not") is None
net = pickle.loads(pickle.dumps(Dense(2, 3, weight_init=Normal(0.1))))
assert type(net) is Dense
assert net.__module__ == "msjax.nn.layers.linear" and repr(Dense) == "<class 'mindspore.nn.layer.basic.Dense'>"
for name, module in list(sys.modules.items()):
    if name.partition(".")[0] in ("msjax", "mindspore"):
        assert module.__spec__.name.partition(".")[0] == "msjax", name
try:
    import mindspore.surely_not
except ModuleNotFoundError as error:
    print(error)
msjax.public_api.import_hook.uninstall("mindspore")
assert msjax.__name__ == "msjax"
"""


def test_the_real_package_in_a_fresh_process():
    process = subprocess.run([sys.executable, "-c", REAL], capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    assert process.stdout.startswith("No module named 'mindspore.surely_not': msjax")


@pytest.mark.parametrize(
    "text",
    [
        "ops.operations.image_ops.CropAndResize",
        "ops.operations.nn_ops.Conv2D",
        "ops.function.math_func.add",
        "nn.layer.basic.Dense",
        "nn.utils.no_init_parameters",
    ],
)
def test_inner_modules_are_attributes_too(text):
    with import_hook.install_as("mindspore") as ms:
        path, _, name = text.rpartition(".")
        assert operator.attrgetter(text)(ms) is getattr(importlib.import_module(f"mindspore.{path}"), name)


@pytest.mark.parametrize(
    "path",
    [
        "mindspore.train.checkpoint_pb2",
        "mindspore.ops.operations._embedding_cache_ops",
        "mindspore.ops.composite.multitype_ops._compile_utils",
        "mindspore.train.summary.enums",
        "mindspore.numpy.utils_const",
    ],
)
def test_packages_have_their_inner_modules_before_these_are_imported(path):
    """`from mindspore.train import checkpoint_pb2` asks the package, `import mindspore.train.checkpoint_pb2` the finder."""
    with import_hook.install_as("mindspore"):
        package, _, name = path.rpartition(".")
        assert getattr(importlib.import_module(package), name) is importlib.import_module(path)


def test_a_part_of_a_folder_goes_before_names_of_the_folders_above(monkeypatch):
    """`ops.inner` is a function, and `ops.generated.inner` is what MindSpore's `ops.operations._inner_ops` stands for."""
    part = importlib.import_module("msjax.ops.generated.inner")
    folder = importlib.import_module("msjax.ops.generated")
    monkeypatch.delattr(folder, "inner")  # as before it is imported
    with import_hook.install_as("mindspore"):
        assert folder.inner is part


def test_an_absent_module_holds_what_stands_elsewhere():
    with import_hook.install_as("mindspore"):
        classes = importlib.import_module("mindspore.ops.operations._embedding_cache_ops")
        assert classes.UpdateCache is importlib.import_module("mindspore.ops.operations").UpdateCache
        assert classes.SubAndFilter is importlib.import_module("mindspore.ops.operations").SubAndFilter


def test_metadata():
    """Networks ask which version of MindSpore is installed."""
    with import_hook.install_as("mindspore"):
        assert importlib.metadata.version("mindspore") == ms_version.__version__
    with pytest.raises(importlib.metadata.PackageNotFoundError):
        importlib.metadata.version("mindspore")


def test_a_module_that_is_loaded_for_another_can_be_a_package():
    with import_hook.install_as("mindspore"):
        importlib.import_module(
            "mindspore.dataset"
        )  # `dataset.core` is entered now, as the module `dataset.config`
        assert importlib.import_module("mindspore.dataset.core.datatypes")
