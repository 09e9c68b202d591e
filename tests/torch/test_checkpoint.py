"""`torch.distributed.checkpoint` in one process: what is saved and loaded, and what happens to an earlier checkpoint."""

import base64
import copy
import pickle
import warnings
import zlib

import pytest

from msjax import torch
from msjax.torch.distributed import checkpoint as dcp
from msjax.torch.distributed.checkpoint import filesystem, format_utils
from msjax.torch.distributed.checkpoint.stateful import Stateful

# A folder of PyTorch 2.13: dcp.save({"w": torch.arange(3.).to(torch.bfloat16), "step": 5}, checkpoint_id=...)
SIZES = {".metadata": 901, "__0_0.distcp": 2838}
FILES = (
    "c-rk&&2QX96rcTcx@ppc236z`2?Syzk&V~(ez>R&-8Kv9YLj%^pr{hE{4pC_ar`+>n@C7Ou!joYY7V_{L6x|1Li`C_kWe{r;>M{5#DxP#X6*g&"
    "?vkWUbAySZS<k%Rd%t<_&3ki{{^~FV!r{MzOh;A=ism9mlRN~Kf~-P$*D^H&74{$!6%mPnKhf;{d>kx(7JM4y{mU*A5fl_nMnYeZY$P58D)3*w"
    "2MyPB?qUPt4jhN)EXTB<gEZ(8@tH_`bFdgn=KV~_5Hpb4x+$V!8E^QPBib%>G*Q<MMWmTV;7<xW5DB_?V0ws1O?9R4(G;izouCyw!lveg=4w-@"
    "Z?u{>?g^{wH#csrt$&E+8z7WGf#j!M?GOfi+v&UH6HBBzp%y<YtDdpz2A>e>b2rJyu?MBhcH4yrpYly&A;f2h{&1zM(UU}vm_^VERn`s=bpKVQ"
    "=U=pR(J-JR^gOOoD%A;8R%JV6+l^p@ZQxJ!bgUT)d^q5iYTE_|`WY=;U&kEYJuxHNnhxCqOmi>rFA80PYew4~=$vw(jsvm}1xrLK5ff;E4i(B4"
    "c3tES>}@}*Lt_VvH2+9@l6pPDt2gj*Y7L;?9{3CIu6B1nQrFbm7@#(qi&;;K9hc-F@!e$1Z827ZLkOA@_!J?hYf|7}*fd@3;U?jVb0+0LIf@bG"
    "iuepf_HACSvYbR$miQ{iFL6?tUlL0!ToT!$D2j|&DMAhdaDFNTu<lcPrs82w;RL}hrS_rYh8dbE7U%+v*9x1BR2qPZ2{1Nhz-vInA;2D7CLt?W"
    "yL!Dg4ek$(qhuq4l~5Dk&3ywh7)Jh&S9%4M`$`LK)7cY|&}CJxF(bNPWE6?*AO8I9^90tOIMMbzs0?iPqJ^*Rj<E*~RIjmTFn_<y5dtd@?B_{r"
    "B6%W#S+LS4AmNK;Itp~^wfE0rw>NYRAsrG9oom0pk;PWBCvvz1uJt+e9nYVg0h=SXpMAZvb^7@i05b>xNvY+b!iiJ1UMsvL6`JAcDp#(SE0s!_"
    ";Tg6_b2LqJ6{gJL%fitmhNgLjCM@T_z4}ES^T>xR6NGG^XFPpp#+Z-ZgHd!m0j~@pw_@m#gdbHBPonuDCC}nY#xi$QPdpK3hxD`(U_1dw;qh2r"
    "8iM~CgCBE-xQiEtZ70Dg!QX6Tv+wm%CAHK?W=H17iD>>i8O<0+k@?GX^c_`!Og6$~L-|Pd)r*}RbtS<=n(pQV2TGo%D*_514Z=Q?vq3(;P3UyP"
    "WG5m>u2zqp4c)Ggvy<C|C~c><$s<U%JUiV;Av<%Y0dP0AvyDW@rXI<%sq0WCE^>1lBwkRtg`YY(dt$L=UqE)QWlx3$`1`Hdr%$k^C#MwPw~jBs"
    "3*i4^d!EI18eAXBs%5%fyZQ<Q061C!9}xRb|FSawy<%T1RhVj#=S#(6wZxS<mS)OyiDwzMO4ewOEmuoysY+N{%Rj9jSM1|g<vff1^YbY7cM|7Q"
    "?0<QYVjs_==^^;XNidSTFVQHHr#6asct#pU>a2}|8kv9YHHy@5qxdm1-Y6*iN8}^fe*ib5zU="
)


def save(state, folder, **named):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return dcp.save(state, checkpoint_id=folder, no_dist=True, **named)


def load(state, folder, **named):
    dcp.load(state, checkpoint_id=folder, no_dist=True, **named)
    return state


def fails(call, kind, text):
    with pytest.raises(dcp.CheckpointException, match=text) as caught:
        call()
    assert type(caught.value.failures[0][0]) is kind


class Counter:
    def __init__(self, n, w):
        self.n, self.w = n, torch.full((2,), w)

    def state_dict(self):
        return {"n": self.n, "w": self.w}

    def load_state_dict(self, state):
        self.n, self.w = state["n"], state["w"]


def test_nested_state_is_loaded_in_place(tmp_path):
    made = {
        "net": {"w": torch.arange(4.0).reshape(2, 2), "b": torch.ones(2, dtype=torch.bfloat16)},
        "step": 5,
    }
    made["optim"] = {
        "state": {0: {"m": torch.ones(2), "step": 3}},
        "param_groups": [{"lr": 0.1, "params": [0, 1]}],
    }
    kept = save(made, tmp_path / "a" / "b")
    assert list(kept.state_dict_metadata) == [
        "net.w", "net.b", "step", "optim.state.0.m", "optim.state.0.step", "optim.param_groups.0.lr",
        "optim.param_groups.0.params",
    ]  # fmt: skip
    state = {"net": {"w": torch.zeros(2, 2, dtype=torch.float64), "b": torch.zeros(2, dtype=torch.bfloat16)}}
    state |= {
        "step": 0,
        "optim": {"state": {0: {"m": torch.zeros(2), "step": 0}}, "param_groups": [{"lr": 0.0}]},
    }
    w = state["net"]["w"]
    load(state, tmp_path / "a" / "b")
    assert state["net"]["w"] is w
    assert w.tolist() == [[0.0, 1.0], [2.0, 3.0]]
    assert w.dtype == torch.float64
    assert state["net"]["b"].tolist() == [1.0, 1.0]
    assert state["step"] == 5
    assert state["optim"]["state"][0]["step"] == 3
    assert state["optim"]["state"][0]["m"].tolist() == [1.0, 1.0]
    assert state["optim"]["param_groups"] == [{"lr": 0.1}]


def test_objects_with_a_state(tmp_path):
    net = torch.nn.Linear(2, 1)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.5)
    optimizer.state[net.bias]["exp_avg"].fill_(2.0)
    counter = Counter(3, 1.0)
    assert isinstance(counter, Stateful)
    save({"net": net, "optim": optimizer, "counter": counter}, tmp_path)
    again, other = torch.nn.Linear(2, 1), Counter(0, 0.0)
    second = torch.optim.Adam(again.parameters())
    state = {"net": again, "optim": second, "counter": other}
    load(state, tmp_path)
    assert state["counter"] is other
    assert (other.n, other.w.tolist()) == (3, [1.0, 1.0])
    assert torch.equal(again.weight, net.weight)
    assert second.param_groups[0]["lr"] == 0.5
    assert torch.equal(second.state[again.bias]["exp_avg"], optimizer.state[net.bias]["exp_avg"])


def test_an_interrupted_save_leaves_the_checkpoint_before(tmp_path, monkeypatch):
    save({"w": torch.ones(2)}, tmp_path)
    write = filesystem.write_file

    def stop(path, pieces, **named):
        if path.endswith(".metadata"):
            raise OSError("no space is left")
        write(path, pieces, **named)

    monkeypatch.setattr(filesystem, "write_file", stop)
    fails(lambda: save({"w": torch.zeros(2)}, tmp_path), OSError, "no space is left")
    assert load({"w": torch.zeros(2)}, tmp_path)["w"].tolist() == [1.0, 1.0]
    monkeypatch.undo()
    with pytest.warns(UserWarning, match="Detected an existing checkpoint"):
        dcp.save({"w": torch.full((2,), 3.0)}, checkpoint_id=tmp_path, no_dist=True)
    assert load({"w": torch.zeros(2)}, tmp_path)["w"].tolist() == [3.0, 3.0]
    assert len(list(tmp_path.iterdir())) == 2
    writer = dcp.FileSystemWriter(tmp_path, overwrite=False)
    fails(lambda: dcp.save({}, storage_writer=writer, no_dist=True), RuntimeError, "already exists")


def test_a_save_in_a_thread_has_what_was_there_when_it_was_asked_for(tmp_path):
    w = torch.ones(2)
    future = dcp.async_save({"w": w}, checkpoint_id=tmp_path, no_dist=True)
    w.zero_()
    assert list(future.result().state_dict_metadata) == ["w"]
    assert load({"w": w}, tmp_path)["w"].tolist() == [1.0, 1.0]


def test_old_names(tmp_path):
    state = {"w": torch.zeros(2)}
    with pytest.warns(FutureWarning, match="Please use `save`"):
        dcp.save_state_dict({"w": torch.ones(2)}, dcp.FileSystemWriter(tmp_path), no_dist=True)
    with pytest.warns(FutureWarning, match="Please use `load`"):
        dcp.load_state_dict(state, dcp.FileSystemReader(tmp_path), no_dist=True)
    assert state["w"].tolist() == [1.0, 1.0]


def test_what_is_refused(tmp_path):
    save({"w": torch.ones(2), "n": 1}, tmp_path)
    fails(
        lambda: load({"v": torch.ones(2)}, tmp_path), RuntimeError, "Missing key in checkpoint state_dict: v."
    )
    partial = dcp.DefaultLoadPlanner(allow_partial_load=True)
    assert load({"v": 1, "n": 0}, tmp_path, planner=partial) == {"v": 1, "n": 1}
    fails(
        lambda: load({"w": torch.ones(3)}, tmp_path),
        ValueError,
        r"saved torch.Size\(\[2\]\) and current: torch.Size\(\[3\]\)",
    )
    fails(lambda: load({"w": 1}, tmp_path), ValueError, "expected BytesStorageMetadata")
    fails(lambda: load({"w": torch.ones(2, device="meta")}, tmp_path), ValueError, "to_empty")
    fails(lambda: load({"w": torch.ones(2)}, tmp_path / "none"), FileNotFoundError, "none")
    fails(lambda: save({"a": {"b": 1}, "a.b": 2}, tmp_path), ValueError, "duplicated flatten key a.b")
    (tmp_path / ".metadata").write_bytes(b"\x80\x02csubprocess\nrun\n.")
    kind = filesystem.pickle.UnpicklingError
    fails(lambda: load({"w": torch.ones(2)}, tmp_path), kind, "the file names subprocess.run")
    (tmp_path / ".metadata").write_bytes(b"something else")
    fails(lambda: load({"w": torch.ones(2)}, tmp_path), kind, "metadata")
    with pytest.raises(RuntimeError, match="`checkpoint_id` must be specified"):
        dcp.save({})
    with pytest.raises(NotImplementedError, match="must be a folder"):
        save({}, "s3://somewhere")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda kept: kept.chunks.clear(), "0 elements of w where 6 of them are wanted"),
        (lambda kept: setattr(kept.chunks[0], "sizes", torch.Size((1, 3))), r"w of shape \(2, 3\).*\(1, 3\)"),
    ],
    ids=["a part is missing", "a part is smaller"],
)
def test_parts_that_do_not_make_up_the_tensor(damage, message, tmp_path):
    """They would leave elements without a value."""
    save({"w": torch.ones(2, 3)}, tmp_path)
    found = filesystem.FileSystemReader(tmp_path).read_metadata()
    damage(found.state_dict_metadata["w"])
    (tmp_path / ".metadata").write_bytes(filesystem.formats.encode(found))
    target = torch.zeros(2, 3)
    with pytest.raises(dcp.CheckpointException, match=message):
        dcp.load({"w": target}, checkpoint_id=tmp_path, no_dist=True)
    assert target.sum() == 0


def test_pytorchs_folder(tmp_path):
    content, start = zlib.decompress(base64.b85decode("".join(FILES))), 0
    (tmp_path / "theirs").mkdir()
    for name, size in SIZES.items():
        (tmp_path / "theirs" / name).write_bytes(content[start : start + size])
        start += size
    state = load({"w": torch.zeros(3), "step": 0}, tmp_path / "theirs")
    assert state["w"].tolist() == [0.0, 1.0, 2.0]
    assert state["step"] == 5
    format_utils.dcp_to_torch_save(tmp_path / "theirs", tmp_path / "all.pt")
    assert torch.load(tmp_path / "all.pt")["w"].dtype == torch.bfloat16
    format_utils.torch_save_to_dcp(tmp_path / "all.pt", tmp_path / "ours")
    assert load({"step": 0}, tmp_path / "ours") == {"step": 5}
    assert b"msjax" not in (tmp_path / "ours" / ".metadata").read_bytes()


@pytest.mark.parametrize(
    ("settings", "loads", "expected"),
    [  # recorded from PyTorch 2.13
        ({}, False, [0.8, 0.64, 0.512, 0.2944]),
        ({"dampening": 0.5}, False, [0.8, 0.64, 0.512, 0.3456]),
        ({}, True, [0.8, 0.64, 0.062, -0.4706]),
    ],
)
def test_an_optimizer_that_gets_momentum_later(settings, loads, expected):
    def make(**more):
        parameter = torch.nn.Parameter(torch.ones(2))
        return parameter, torch.optim.SGD([parameter], lr=0.1, **settings, **more)

    (p, optimizer), found = make(), []
    for step in range(4):
        if step == 2 and loads:
            q, other = make(momentum=0.9)
            q.grad = torch.full((2,), 5.0)
            other.step()
            optimizer.load_state_dict(other.state_dict())
        elif step == 2:
            optimizer.param_groups[0]["momentum"] = 0.9
        p.grad = p.detach() * 2
        optimizer.step()
        found.append(p[0].item())
    assert found == pytest.approx(expected, rel=1e-5)


def test_an_optimizer_loads_pytorchs_state():
    p = torch.nn.Parameter(torch.ones(1))
    optimizer = torch.optim.SGD([p], lr=0.1, momentum=0.9, dampening=0.5)
    groups = optimizer.state_dict()["param_groups"]
    optimizer.load_state_dict(
        {"state": {0: {"momentum_buffer": torch.full((1,), 2.0)}}, "param_groups": groups}
    )
    p.grad = torch.ones(1)
    optimizer.step()
    assert p.item() == pytest.approx(1 - 0.1 * (0.9 * 2 + 0.5))
    optimizer.load_state_dict({"state": {0: {"momentum_buffer": None}}, "param_groups": groups})


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda optimizer: pickle.loads(pickle.dumps(optimizer))])
def test_a_copied_optimizer_takes_its_step(copied):
    optimizer = copied(torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.1, momentum=0.0))
    optimizer.param_groups[0]["momentum"] = 0.0
    (p,) = optimizer.param_groups[0]["params"]
    p.grad = torch.ones(1)
    optimizer.step()
    assert p.item() == pytest.approx(0.9)
