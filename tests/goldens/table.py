"""The goldens: which framework gives each, from what, and how it is written.

`record.py` records them; `tests/test_goldens.py` holds the table against the files.
"""

import functools
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
VERSIONS = {
    "mindspore": "MindSpore 2.10.0",
    "torch": "PyTorch 2.13.0",
    "mindspore torch": "MindSpore 2.10.0, then PyTorch 2.13.0",
    "msjax": "msjax",
}


@dataclass(frozen=True)
class Golden:
    """A recorded file.

    Attributes:
        file: its path, from this folder or, for what the package itself needs, from the root.
        oracle: the framework that gives it.
        recorder: `module.function`, the modules of this folder and their functions; or "programs", for the cells of
            `NAME_cases.py`. What the function returns is the golden.
        given: the modules, of this folder or of the framework, that the function is called with; of "programs", the one
            that holds the names which they know.
        layout: of JSON: the indent, None for one line, "lines" for a line for each entry, or "lines N" for a line for
            each entry of the N-th level.
        files: what the function leaves in the working folder and what is kept beside the golden.
        read_as: how the tests name the file, where they do not name it in full.
        called: its name, where that is not the file's.
        bare: MindSpore is left as it is imported. With its runtime started, some programs hang in processes forked from it.
    """

    file: str
    oracle: str
    recorder: str
    given: str = ""
    layout: int | str | None = 1
    files: str = ""
    read_as: str = ""
    called: str = ""
    bare: bool = False

    @property
    def name(self) -> str:
        """Return the name by which `record.py` calls it."""
        return self.called or Path(self.file).name.partition(".")[0]

    @property
    def path(self) -> Path:
        return (ROOT if self.file.startswith("msjax/") else FOLDER) / self.file

    @property
    def sources(self) -> list[str]:
        """The files of this folder that it is made from."""
        own = [f"{self.name}_cases"] if self.recorder == "programs" else [self.recorder.partition(".")[0]]
        return [f"{m}.py" for m in (*own, *self.given.split()) if (FOLDER / f"{m}.py").exists()]

    @property
    def readers(self) -> list[str]:
        """The files of tests, or for files of the package its modules, that read it."""
        room = "msjax" if self.file.startswith("msjax/") else "tests"
        named = (f'"{self.read_as or self.path.name}"', f'replayed("{self.name}"')
        return sorted(file for file, text in texts(room).items() if any(name in text for name in named))


@functools.cache
def texts(room: str) -> dict[str, str]:
    """The source of each module of the package or of the tests, but for those of this folder."""
    paths = (path for path in (ROOT / room).rglob("*.py") if FOLDER not in path.parents)
    return {path.relative_to(ROOT).as_posix(): path.read_text("utf8") for path in paths}


def programs(oracle: str, names: str, prelude: str = "", given: str = "") -> list[Golden]:
    """The goldens of programs in cells, which know the names of a prelude."""
    return [
        Golden(f"{name}.json", oracle, "programs", f"{prelude or f'{name}_prelude'} {given}".strip())
        for name in names.split()
    ]


def samples(oracle: str, **tables: str) -> list[Golden]:
    """The goldens of tables of operators' samples."""
    return [
        Golden(f"{name}_{oracle}.npz", oracle, f"operator_outcomes.by_{oracle}", f"{table} {oracle}", read_as="ops_[abc]_*.npz")
        for name, table in tables.items()
    ]  # fmt: skip


GOLDENS = [
    *programs(
        "mindspore",
        "attention cells grad_ops images integer_gradients nn_rare ops_rare probability refusals rnn sparse_forms suites "
        "tensor_rules train zoo",
    ),
    *programs("mindspore", "autodiff control graph", "autodiff_prelude", "mindspore"),
    *programs("mindspore", "metrics", given="mindspore"),
    *programs("torch", "torch torch_autograd torch_operators torch_conventions torch_libraries", "torch_prelude", "torch"),
    *samples("mindspore", ops_a="samples_array", ops_b="samples_nn", ops_c="samples_math"),
    *samples("torch", ops_a="samples_array", ops_b="samples_nn", ops_c="samples_math"),
    Golden("mint_torch.npz", "torch", "operator_outcomes.by_torch_names", "samples_mint torch"),
    Golden("mint_layers.npz", "torch", "mint_layer_cases.outcomes", "torch"),
    Golden("nn_cases.json", "mindspore", "snippets.record_functions", "nn_cases"),
    Golden("nn_layers.npz", "mindspore", "samples_layers.outcomes", "mindspore"),
    Golden("optim.npz", "mindspore", "samples_optim.outcomes", "mindspore"),
    Golden("lr.json", "mindspore", "samples_lr.outcomes", "mindspore"),
    Golden("exp_optim_mindspore.json", "mindspore", "exp_optim_cases.with_mindspore", "mindspore mindspore.experimental.optim",
           read_as="exp_optim_{oracle}.json"),
    Golden("exp_optim_torch.json", "torch", "exp_optim_cases.with_torch", "torch", read_as="exp_optim_{oracle}.json"),
    Golden("amp.json", "mindspore", "amp_outcomes.outcomes"),
    Golden("programs.json.gz", "mindspore", "programs_cases.outcomes", "mindspore", None),
    Golden("inplace_programs.json.gz", "torch", "inplace_programs_cases.outcomes", "torch", None),
    Golden("apply.json", "mindspore", "apply_cases.outcomes", "mindspore", None),
    Golden("boost.json", "mindspore", "boost_cases.outcomes", "mindspore mindspore.boost", 0),
    Golden("dtype.json", "mindspore", "dtype_cases.outcomes"),
    Golden("edges.json", "mindspore", "edges_cases.outcomes", "mindspore", 0),
    Golden("forms.json", "mindspore", "forms_cases.outcomes", "mindspore", 0),
    Golden("index.json", "mindspore", "index_cases.outcomes", "mindspore", None),
    Golden("initializer.json", "mindspore", "initializer_cases.outcomes", "mindspore mindspore.common.initializer"),
    Golden("inplace.json", "torch", "inplace_cases.outcomes", "torch", "lines 2"),
    Golden("methods.json", "mindspore", "methods_cases.outcomes"),
    Golden("numpy.json.gz", "mindspore", "samples_numpy.outcomes", "mindspore mindspore.numpy"),
    Golden("graph_print.json", "mindspore", "graph_print_cases.outcomes", "mindspore"),
    Golden("printing.json", "mindspore", "printing_cases.outcomes", "mindspore", 0),
    Golden("random.json", "mindspore", "random_cases.outcomes", "mindspore"),
    Golden("refused.json", "mindspore", "refused_cases.outcomes", "mindspore", None),
    Golden("rewrite.json", "mindspore", "rewrite_nets.told"),
    Golden("scipy.json", "mindspore", "scipy_cases.outcomes", "mindspore mindspore.scipy", 0),
    Golden("tensor.json", "mindspore", "tensor_cases.outcomes"),
    Golden("views.json", "mindspore", "views_cases.outcomes"),
    Golden("accepted.json", "mindspore", "accepted_cases.outcomes", "mindspore.dataset.vision"),
    Golden("audio.json", "mindspore", "dataset_values.outcomes", "audio_cases mindspore.dataset.audio", "lines"),
    Golden("warping.json", "mindspore", "dataset_values.outcomes", "warping_cases mindspore.dataset.vision", "lines"),
    Golden("operators.json", "mindspore", "dataset_values.outcomes",
           "operators_cases mindspore.dataset mindspore mindspore.dataset.audio", "lines"),
    Golden("text.json", "mindspore", "dataset_values.outcomes",
           "text_cases mindspore mindspore.dataset mindspore.dataset.text", "lines"),
    Golden("dataset.json", "mindspore", "dataset_values.grouped",
           "dataset_cases dataset_transform_cases mindspore mindspore.dataset mindspore.dataset.transforms "
           "mindspore.dataset.vision", "lines 3"),
    Golden("dataloader.json", "mindspore", "dataloader_cases.outcomes", "", 0),
    Golden("corpora.json", "mindspore", "corpora.outcomes", "mindspore.dataset", 0),
    Golden("draws.json", "mindspore", "draws_cases.digests",
           "mindspore.dataset mindspore.dataset.vision mindspore.dataset.transforms mindspore.dataset.audio", "lines"),
    Golden("draws_perspectives.npz", "mindspore", "draws_cases.perspectives", "mindspore.dataset mindspore.dataset.vision"),
    Golden("serialization.json", "mindspore", "serialization_cases.outcomes",
           "mindspore.dataset mindspore.dataset.transforms mindspore.dataset.vision mindspore.dataset.text", "lines"),
    Golden("orders.json", "mindspore", "orders_cases.orders", "mindspore.dataset", "lines"),
    Golden("pipelines.json.gz", "mindspore", "pipelines_cases.outcomes",
           "mindspore.dataset mindspore.dataset.transforms mindspore", bare=True),
    Golden("mindrecord.json", "mindspore", "mindrecord_rows.outcomes", "mindspore.mindrecord mindspore.dataset", None),
    Golden("ckpt/msjax_*", "msjax", "ckpt_outcomes.write", "msjax", files="msjax_*", read_as="ckpt", called="ckpt_msjax"),
    Golden("ckpt/ckpt.json", "mindspore", "ckpt_outcomes.outcomes", "mindspore", files="mindspore_*"),
    Golden("refused_dtypes.json", "torch", "refused_dtypes_cases.with_torch", "torch", "lines"),
    Golden("singular.json", "torch", "singular_cases.outcomes", "torch", "lines"),
    Golden("opinfo.npz", "torch", "opinfo_cases.golden", "torch"),
    Golden("moduleinfo.npz", "torch", "moduleinfo_cases.golden", "torch"),
    Golden("guide.json", "mindspore torch", "examples.guide"),
    Golden("migration.json", "torch", "examples.migration"),
    Golden("port.json", "torch", "port_cases.outcomes", "torch", "lines 2"),
    Golden("constructs.json", "mindspore", "public_names.constructs", "", 0),
    Golden("paths.json", "mindspore", "public_names.paths", "mindspore", "lines"),
    Golden("msjax/public_api/api.json.gz", "mindspore", "public_names.api"),
    Golden("msjax/public_api/stars.json.gz", "mindspore", "public_names.stars"),
    Golden("msjax/public_api/classes.json.gz", "mindspore", "public_names.classes"),
    Golden("msjax/public_api/cpu.json.gz", "mindspore", "cpu_names.outcomes", bare=True),
    Golden("msjax/public_api/inner.json.gz", "mindspore", "public_names.inner", "mindspore"),
    Golden("msjax/public_api/torch_api.json.gz", "torch", "public_names.torch_api"),
    Golden("msjax/public_api/torch_classes.json.gz", "torch", "public_names.torch_classes"),
    Golden("msjax/public_api/torch_homes.json.gz", "torch", "public_names.torch_homes"),
    Golden("msjax/public_api/torch_inner.json.gz", "torch", "public_names.torch_inner"),
]  # fmt: skip
