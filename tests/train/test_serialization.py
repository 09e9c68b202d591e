"""Checkpoints: MindSpore's files byte for byte, its ways to load them, and what damage does."""

import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msjax as ms
from msjax.common import block_cipher
from msjax.train import _ckpt, _load, _save

GOLDENS = Path(__file__).parents[1] / "goldens"
sys.path.insert(0, str(GOLDENS))
import samples_ckpt as samples  # noqa: E402

FILES = GOLDENS / "ckpt"
GOLDEN = json.loads((FILES / "ckpt.json").read_text())
ERRORS = {e.__name__: e for e in (TypeError, ValueError, RuntimeError, IsADirectoryError, FileNotFoundError)}


def shown(found: dict[str, Any]) -> dict[str, Any]:
    return {k: v if isinstance(v, str) else [str(v.dtype), list(v.shape), plain(v)] for k, v in found.items()}


def plain(value: Any) -> list:
    array = value.asnumpy()
    return array.astype(np.float64 if array.dtype.kind not in "biu" else array.dtype).ravel().tolist()


def options(name: str) -> dict[str, Any]:
    mode = next((m for m in samples.MODES if m in name), None)
    if mode is not None:
        pytest.importorskip("cryptography")
        return {"dec_key": samples.KEY, "dec_mode": mode}
    return {"crc_check": True} if "crc" in name else {}


def compare(expected: Any, call: Any) -> None:
    """A recorded result, or the type of a recorded exception."""
    if isinstance(expected, dict) and "error" in expected:
        with pytest.raises(ERRORS[expected["error"]]) as caught:
            call()
        assert type(caught.value) is ERRORS[expected["error"]]
        return
    assert call() == expected


def attempted(path: str) -> tuple[list[str], str]:
    """The names that a file holds, and what is said if it cannot be read."""
    try:
        return list(_load.read_file(path, None, "", crc_check=True)), ""
    except ValueError as error:
        return [], str(error)


# ------------------------------------------------------------------------------------------ MindSpore's files


@pytest.mark.parametrize("name", GOLDEN["files"])
@pytest.mark.parametrize("writer", ["mindspore", "msjax"])
def test_reads(name: str, writer: str) -> None:
    """MindSpore's own files, and ours that MindSpore was shown to read like its own."""
    file = FILES / f"{writer}_{name}"
    loaded = ms.load_checkpoint(str(file), format=file.suffix[1:], **options(name))
    assert samples.same(shown(loaded), GOLDEN["files"][name])
    assert [v.name for v in loaded.values() if not isinstance(v, str)] == [
        k for k, v in loaded.items() if not isinstance(v, str)
    ]


@pytest.mark.parametrize(
    ("name", "make", "arguments"),
    [
        ("net.ckpt", samples.make_net, {"append_dict": samples.APPENDED}),
        ("crc.ckpt", samples.make_net, {"crc_check": True}),
        ("net.safetensors", samples.make_net, {}),
        ("crc.safetensors", samples.parameters, {"crc_check": True}),
        ("dtypes.ckpt", samples.entries, {}),
    ],
)
def test_writes_the_same_bytes(tmp_path: Path, name: str, make: Any, arguments: dict) -> None:
    path = tmp_path / name
    ms.save_checkpoint(make(ms), str(path), format=path.suffix[1:], **arguments)
    assert path.read_bytes() == (FILES / f"mindspore_{name}").read_bytes()


def test_safetensors_library_agrees(tmp_path: Path) -> None:
    library = pytest.importorskip("safetensors.numpy")
    entries = [entry for entry in samples.entries(ms) if entry["data"].dtype != ms.bfloat16]
    ms.save_checkpoint(entries, str(tmp_path / "a"), format="safetensors")
    data = (tmp_path / "a.safetensors").read_bytes()
    read = library.load(data)
    ours = ms.load_checkpoint(str(tmp_path / "a.safetensors"), format="safetensors")
    assert read.keys() == ours.keys()
    for name, array in read.items():
        np.testing.assert_array_equal(np.asarray(array), ours[name].asnumpy())
    (tmp_path / "b.safetensors").write_bytes(
        library.save({"x": np.arange(4.0), "y": np.ones((0, 2), np.int8)})
    )
    found = ms.load_checkpoint(str(tmp_path / "b.safetensors"), format="safetensors")
    assert shown(found) == {"x": ["Float64", [4], [0.0, 1.0, 2.0, 3.0]], "y": ["Int8", [0, 2], []]}


@pytest.mark.parametrize("name", samples.LOADS)
def test_load_arguments(name: str) -> None:
    file = str(FILES / "mindspore_net.ckpt")
    compare(GOLDEN["loads"][name], lambda: list(ms.load_checkpoint(file, **samples.LOADS[name])))


@pytest.mark.parametrize("name", samples.INTO)
def test_load_param_into_net(name: str) -> None:
    case, net = samples.INTO[name], samples.target(ms)

    def call() -> Any:
        lists = ms.load_param_into_net(case.net or net, case.given(ms), case.strict, case.redundancy)
        return {
            "lists": [list(part) for part in lists],
            "values": {p.name: plain(p) for p in net.get_parameters()},
        }

    compare(GOLDEN["into"][name], call)
    assert [p.dtype for p in net.get_parameters()].count(ms.float32) == 5


@pytest.mark.parametrize("name", samples.SAVES)
def test_save_arguments(tmp_path: Path, name: str) -> None:
    obj, arguments = samples.SAVES[name](ms)
    path = str(tmp_path / "a.ckpt")

    def call() -> Any:
        ms.save_checkpoint(obj, path, **arguments)
        return shown(ms.load_checkpoint(path))

    compare(GOLDEN["saves"][name], call)


@pytest.mark.parametrize("name", samples.PATHS)
def test_save_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    compare(GOLDEN["paths"][name], lambda: ms.save_checkpoint(samples.parameters(ms), samples.PATHS[name]))
    assert list(tmp_path.iterdir()) == []


# ------------------------------------------------------------------------------------------ damage

_good, _checked = ((FILES / f"mindspore_{n}.ckpt").read_bytes() for n in ("net", "crc"))
DAMAGED = samples.damaged(_good, _checked)


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged(tmp_path: Path, name: str) -> None:
    data, arguments = DAMAGED[name]
    if "dec_key" in arguments:
        pytest.importorskip("cryptography")
    path = tmp_path / "damaged.ckpt"
    path.write_bytes(data)
    with pytest.raises(ERRORS[GOLDEN["damaged"][name]["error"]], match=r"damaged\.ckpt"):
        ms.load_checkpoint(str(path), **arguments)


@pytest.mark.parametrize("file", ["mindspore_dtypes.ckpt", "mindspore_dtypes.safetensors"])
def test_every_beginning_of_a_file(tmp_path: Path, file: str) -> None:
    data = (FILES / file).read_bytes()
    path = tmp_path / file
    whole = list(ms.load_checkpoint(str(FILES / file), format=file.split(".")[-1]))
    for length in range(1, len(data)):
        path.write_bytes(data[:length])
        found, message = attempted(str(path))
        assert found == whole[: len(found)]
        # Nothing betrays that a file of the other format is cut between two values.
        assert file in message if file.endswith("safetensors") else found or file in message


def test_every_changed_byte(tmp_path: Path) -> None:
    for at in range(len(_checked)):
        (tmp_path / "a.ckpt").write_bytes(_checked[:at] + bytes([_checked[at] ^ 0x41]) + _checked[at + 1 :])
        with pytest.raises(ValueError, match="cannot be read"):
            ms.load_checkpoint(str(tmp_path / "a.ckpt"), crc_check=True)


@pytest.mark.parametrize(
    ("message", "dims", "text", "content"),
    [
        ("needs 12 bytes, but has 8", [3], "Float32", bytes(8)),
        ("needs 4 bytes, but has 8", [1], "Float32", bytes(8)),
        ("unknown type 'Foo'", [2], "Foo", bytes(8)),
    ],
)
def test_wrong_values(message: str, dims: list, text: str, content: bytes) -> None:
    data = b"".join(_ckpt._value("x", dims, text, memoryview(content)))
    with pytest.raises(ValueError, match=message):
        _ckpt.decode(data)


@pytest.mark.parametrize("text", ["mindspore.float32", "Float32"])
def test_names_of_types(text: str) -> None:
    data = b"".join(_ckpt._value("x", [2], text, memoryview(np.float32([1, 2]).tobytes())))
    np.testing.assert_array_equal(_ckpt.decode(data)["x"], np.float32([1, 2]))


def test_large_tensors_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_ckpt, "_SLICE", 16)
    array = np.arange(10, dtype=np.float32).reshape(2, 5)
    data = b"".join(_ckpt.encode([("a", array), ("b", array + 1)], crc=True))
    assert data.count(b"Float32") == 6
    found = _ckpt.decode(data, crc_check=True)
    np.testing.assert_array_equal(found["a"], array)
    np.testing.assert_array_equal(found["b"], array + 1)


def test_pieces_may_be_unequal_and_empty() -> None:
    content = np.arange(5, dtype=np.int64).tobytes()
    parts = [content[:8], b"", content[8:32], content[32:]]
    data = b"".join(b"".join(_ckpt._value("x", [5], "Int64", memoryview(part))) for part in parts)
    np.testing.assert_array_equal(_ckpt.decode(data)["x"], np.arange(5))
    other = b"".join(_ckpt._value("x", [4], "Int64", memoryview(content)))
    with pytest.raises(ValueError, match="differ in shape or type"):
        _ckpt.decode(data + other)


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_tensors_without_elements(tmp_path: Path, format: str) -> None:
    path = str(tmp_path / f"a.{format}")
    shapes = {"a": (0,), "b": (0, 3), "c": (3, 0), "d": ()}
    ms.save_checkpoint({n: np.ones(s, np.float32) for n, s in shapes.items()}, path, format=format)
    assert {n: v.shape for n, v in ms.load_checkpoint(path, format=format).items()} == shapes
    other = "ckpt" if format == "safetensors" else "safetensors"
    with pytest.raises(ValueError, match=f"Use format='{format}'"):
        ms.load_checkpoint(path, format=other)


def test_complex_numbers_survive(tmp_path: Path) -> None:
    path = str(tmp_path / "a.ckpt")
    ms.save_checkpoint({"c": np.complex64([1 + 2j]), "d": np.complex128([3j])}, path)
    found = ms.load_checkpoint(path)
    assert found["c"].asnumpy().tolist() == [1 + 2j]
    assert found["d"].dtype == ms.complex128


# ------------------------------------------------------------------------------------------ nothing is lost


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt, MemoryError])
def test_an_exception_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type
) -> None:
    path = tmp_path / "a.ckpt"
    ms.save_checkpoint(samples.parameters(ms), str(path))
    before = path.read_bytes()

    def fail(file: int) -> None:
        raise error

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(error):
        ms.save_checkpoint(samples.make_net(ms), str(path))
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["a.ckpt"]


def test_unsavable_entry_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.ckpt"
    ms.save_checkpoint(samples.parameters(ms), str(path))
    before = path.read_bytes()
    with pytest.raises(TypeError, match=r"'x'.*dtype"):
        ms.save_checkpoint({"a": np.ones(2), "x": np.array([object()])}, str(path))
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["a.ckpt"]


def test_files_can_be_read_but_not_written_and_are_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.ckpt"
    for value in (1.0, 2.0):
        ms.save_checkpoint([ms.Parameter(ms.Tensor(value), name="p")], str(path))
        assert path.stat().st_mode & 0o777 == 0o400
    assert float(ms.load_checkpoint(str(path))["p"]) == 2.0


def test_load_into_net_is_all_or_nothing() -> None:
    net = samples.target(ms)
    given = samples.INTO["all"].given(ms)
    given["out.bias"] = ms.Parameter(ms.Tensor(np.ones(7, np.float32)), name="out.bias")
    with pytest.raises(RuntimeError, match=r"'out.bias'.*shape \(1,\).*\(7,\)"):
        ms.load_param_into_net(net, given)
    assert all(float(p.asnumpy().sum()) == 0 for p in net.get_parameters())


def test_load_with_net(tmp_path: Path) -> None:
    path = str(tmp_path / "a.ckpt")
    source, net = samples.make_net(ms), samples.make_net(ms)
    ms.save_checkpoint(source, path)
    net.scale.set_data(ms.Tensor(np.float32(9.0)))
    ms.load_checkpoint(path, net)
    assert float(net.scale) == float(source.scale)


def test_loaded_parameters_share_nothing_with_the_net() -> None:
    net = samples.target(ms)
    given = samples.INTO["all"].given(ms)
    ms.load_param_into_net(net, given)
    ms.ops.assign(net.scale, ms.Tensor(np.float32(5.0)))
    assert float(given["scale"]) == 1.0


# ------------------------------------------------------------------------------------------ in a thread


@pytest.mark.parametrize("how", [True, "thread", "process"])
def test_async_saves_the_values_of_the_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: Any
) -> None:
    path = str(tmp_path / "a.ckpt")
    begun, go = threading.Event(), threading.Event()
    write = _save.write_file

    def late(*arguments: Any) -> None:
        begun.set()
        go.wait(10)
        write(*arguments)

    monkeypatch.setattr(_save, "write_file", late)
    p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
    ms.save_checkpoint([p], path, async_save=how)
    begun.wait(10)
    assert ms.async_ckpt_thread_status()
    assert not os.path.exists(path)
    ms.ops.assign(p, ms.Tensor([3.0, 4.0]))
    go.set()
    ms.save_checkpoint([p], str(tmp_path / "b.ckpt"))  # waits for the other
    assert not ms.async_ckpt_thread_status()
    assert plain(ms.load_checkpoint(path)["p"]) == [1.0, 2.0]
    assert plain(ms.load_checkpoint(str(tmp_path / "b.ckpt"))["p"]) == [3.0, 4.0]


def test_async_errors_come_with_the_next_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*arguments: Any) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(_save, "write_file", fail)
        ms.save_checkpoint(samples.parameters(ms), str(tmp_path / "a.ckpt"), async_save=True)
        with pytest.raises(OSError, match="no space left"):
            ms.save_checkpoint(samples.parameters(ms), str(tmp_path / "b.ckpt"))
    ms.save_checkpoint(samples.parameters(ms), str(tmp_path / "b.ckpt"))
    assert "no space left" in caplog.text


def test_async_save_outlives_a_compiled_step(tmp_path: Path) -> None:
    p = ms.Parameter(ms.Tensor(np.zeros(1000, np.float32)), name="p")

    @ms.jit
    def step() -> None:
        ms.ops.assign(p, p + 1.0)

    step()
    step()
    ms.save_checkpoint([p], str(tmp_path / "a.ckpt"), async_save=True)
    for _ in range(5):
        step()  # takes over the memory of the old values, where nobody else holds them
    ms.save_checkpoint([p], str(tmp_path / "b.ckpt"))
    assert plain(ms.load_checkpoint(str(tmp_path / "a.ckpt"))["p"])[0] == 2.0
    assert plain(ms.load_checkpoint(str(tmp_path / "b.ckpt"))["p"])[0] == 7.0


def test_load_async(tmp_path: Path) -> None:
    path = str(tmp_path / "a.ckpt")
    ms.save_checkpoint(samples.parameters(ms), path)
    assert list(ms.train.load_checkpoint_async(path).result(10)) == ["fc.weight", "fc.bias"]
    with pytest.raises(ValueError, match="no file"):
        ms.train.load_checkpoint_async(path + "x").result(10)
    ms.save_checkpoint(samples.parameters(ms), str(tmp_path / "b"), format="safetensors")
    found = ms.train.load_checkpoint_async(str(tmp_path / "b.safetensors")).result(10)
    assert sorted(found) == ["fc.bias", "fc.weight"]


# ------------------------------------------------------------------------------------------ encryption


@pytest.mark.parametrize(
    ("mode", "length"), [(m, n) for m, lengths in block_cipher._KEY_LENGTHS.items() for n in lengths]
)
def test_encrypted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str, length: int) -> None:
    pytest.importorskip("cryptography")
    monkeypatch.setattr(block_cipher, "_BLOCK", 100)
    path, key = str(tmp_path / "a.ckpt"), bytes(range(length))
    ms.save_checkpoint(samples.make_net(ms), path, enc_key=key, enc_mode=mode)
    found = ms.load_checkpoint(path, dec_key=key, dec_mode=mode)
    np.testing.assert_array_equal(found["scale"].asnumpy(), samples.make_net(ms).scale.asnumpy())
    wrong = bytes(length)
    with pytest.raises(ValueError, match=r"a\.ckpt.*(key does not fit|changed|cannot be read)"):
        ms.load_checkpoint(path, dec_key=wrong, dec_mode=mode)
    with pytest.raises(ValueError, match=f"give `dec_key` and dec_mode='{mode}'"):
        ms.load_checkpoint(path)
    other = next(m for m in samples.MODES if m != mode)
    with pytest.raises(ValueError, match=f"encrypted with {mode}, not {other}"):
        ms.load_checkpoint(path, dec_key=bytes(16), dec_mode=other)
    data = Path(path).read_bytes()
    Path(tmp_path / "b.ckpt").write_bytes(data[:-7])
    with pytest.raises(ValueError, match="encrypted block"):
        ms.load_checkpoint(str(tmp_path / "b.ckpt"), dec_key=key, dec_mode=mode)


def test_encryption_needs_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography", None)
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives", None)
    with pytest.raises(ImportError, match=r"msjax\[crypto\]"):
        ms.save_checkpoint(samples.parameters(ms), str(tmp_path / "a.ckpt"), enc_key=samples.KEY)
    with pytest.raises(ImportError, match=r"msjax\[crypto\]"):
        ms.load_checkpoint(str(FILES / "mindspore_AES-GCM.ckpt"), dec_key=samples.KEY)
    assert list(tmp_path.iterdir()) == []


# ------------------------------------------------------------------------------------------ other formats


def test_safetensors_is_recognised_by_its_content(tmp_path: Path) -> None:
    path = tmp_path / "weights.bin"
    path.write_bytes((FILES / "mindspore_crc.safetensors").read_bytes())
    assert list(ms.load_checkpoint(str(path))) == ["fc.bias", "fc.weight"]


def test_safetensors_holds_no_strings(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"'note'.*format='ckpt'"):
        ms.save_checkpoint(
            samples.parameters(ms), str(tmp_path / "a"), append_dict={"note": "x"}, format="safetensors"
        )
    assert list(tmp_path.iterdir()) == []


def test_convert(tmp_path: Path) -> None:
    (tmp_path / "in" / "deep").mkdir(parents=True)
    for name in ("a.ckpt", "deep/b.ckpt", "deep/c.ckpt"):
        ms.save_checkpoint(samples.parameters(ms), str(tmp_path / "in" / name))
    names = {"fc.bias": "head.bias"}
    ms.ckpt_to_safetensors(str(tmp_path / "in"), str(tmp_path / "out"), names, r".*[ab]\.ckpt")
    made = sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*.safetensors"))
    assert made == ["out/a.safetensors", "out/deep/b.safetensors"]
    ms.safetensors_to_ckpt(str(tmp_path / "out" / "a.safetensors"))
    assert list(ms.load_checkpoint(str(tmp_path / "out" / "a.ckpt"))) == ["fc.weight", "head.bias"]
    with pytest.raises(ValueError, match="must name a file or a folder"):
        ms.ckpt_to_safetensors(str(tmp_path / "missing"))
    with pytest.raises(ValueError, match=r"must end with '\.ckpt'"):
        ms.ckpt_to_safetensors(str(tmp_path / "out" / "a.safetensors"))


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"There is no folder '.*nowhere' to write the file into"):
        ms.save_checkpoint(ms.nn.Dense(1, 1), str(tmp_path / "nowhere" / "net.ckpt"))
