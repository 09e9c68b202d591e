"""mint's names: those that MindSpore has, under its signatures, with the results of ops and of Tensor's methods."""

import inspect
import pickle
import re

import numpy as np
import pytest

import msjax as ms
from msjax import Tensor, mint, ops
from msjax.public_api import recorded_api
from msjax.public_api.placeholders import Missing

MODULES = {
    "mint": mint, "mint.nn": mint.nn, "mint.nn.functional": mint.nn.functional, "mint.linalg": mint.linalg,
    "mint.special": mint.special, "mint.optim": mint.optim, "mint.distributed": mint.distributed,
    "experimental.optim": ms.experimental.optim,
    "experimental.optim.lr_scheduler": ms.experimental.optim.lr_scheduler,
}  # fmt: skip


def plain(thing):
    """A signature without annotations, as text."""
    signature = inspect.signature(thing)
    params = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    return str(signature.replace(parameters=params, return_annotation=inspect.Signature.empty))


def test_every_name_is_there_under_its_signature():
    """Where MindSpore says `*args, **kwargs` alone, its documentation has the signature, and ours is a narrower one."""
    wrong = []
    for module, space in MODULES.items():
        for name, text in recorded_api.names(f"mindspore.{module}").items():
            thing = getattr(space, name)
            if isinstance(thing, Missing):
                wrong.append(f"{module}.{name} is missing")
            elif "*args" not in text and plain(thing) != text[1:]:
                wrong.append(f"{module}.{name}{plain(thing)} for {text[1:]}")
    assert not wrong, "\n".join(wrong)


def test_names_are_documented_and_can_be_pickled():
    for module, space in MODULES.items():
        for name in recorded_api.names(f"mindspore.{module}"):
            thing = getattr(space, name)
            assert thing.__doc__, f"{module}.{name}"
    assert pickle.loads(pickle.dumps(mint.sub)) is mint.sub
    assert type(pickle.loads(pickle.dumps(mint.nn.GELU()))) is mint.nn.GELU


def test_docstrings_have_mints_names_of_parameters():
    """Whether Python leaves docstrings indented as they stand in the file (to 3.12) or not."""
    for name, names in {"any": "dim keepdim", "mean": "dim keepdim", "unsqueeze": "dim"}.items():
        said = re.findall(r"^    (\w+) \(", inspect.getdoc(getattr(mint, name)), re.MULTILINE)
        assert said == ["input", *names.split()], name


SAME = """
mint.add(x, 2) ; ops.add(x, 2) ; x.add(2)
mint.sub(x, y, alpha=2) ; x.sub(y, alpha=2) ; x - 2 * y
mint.mul(x, y) ; ops.mul(x, y) ; x.mul(y)
mint.div(x, y) ; ops.div(x, y) ; x.div(y) ; mint.divide(x, y)
mint.pow(x, 2) ; ops.pow(x, 2) ; x.pow(2) ; mint.square(x)
mint.exp(x) ; ops.exp(x) ; x.exp()
mint.sum(x, 1, True) ; ops.sum(x, 1, True) ; x.sum(dim=1, keepdim=True)
mint.mean(x, 1) ; ops.mean(x, 1) ; x.mean(dim=1)
mint.std(x, 1) ; ops.std(x, 1, 1) ; x.std(dim=1, correction=1)
mint.var(x, correction=0) ; ops.var(x) ; x.var(correction=0)
mint.amax(x, 1) ; ops.amax(x, 1) ; x.amax(dim=1) ; mint.max(x, 1)[0]
mint.argmax(x, 1) ; ops.argmax(x, 1) ; x.argmax(dim=1)
mint.all(b, 1) ; ops.all(b, 1) ; x.gt(0).all(dim=1)
mint.cumsum(x, 1) ; ops.cumsum(x, 1) ; x.cumsum(dim=1)
mint.sort(x, dim=0)[0] ; ops.sort(x, 0)[0] ; x.sort(dim=0)[0]
mint.matmul(x, y.T) ; ops.matmul(x, y.T) ; x.matmul(y.T) ; mint.mm(x, y.T)
mint.reshape(x, (3, 2)) ; ops.reshape(x, (3, 2)) ; x.reshape(3, 2)
mint.permute(x, (1, 0)) ; ops.permute(x, (1, 0)) ; x.permute(1, 0) ; mint.transpose(x, 0, 1) ; mint.t(x)
mint.unsqueeze(x, 1) ; ops.unsqueeze(x, 1) ; x.unsqueeze(1)
mint.squeeze(x[None], 0) ; ops.squeeze(x[None], 0) ; x[None].squeeze(0)
mint.flatten(x) ; ops.flatten(x, start_dim=0) ; x.flatten()
mint.cat((x, y), 1) ; ops.cat((x, y), 1) ; mint.concat((x, y), 1) ; mint.hstack((x, y))
mint.stack((x, y), 1) ; ops.stack((x, y), 1)
mint.split(x, 2, 1) ; ops.split(x, 2, 1) ; x.split(2, 1)
mint.gather(x, 1, i) ; ops.gather_elements(x, 1, i) ; x.gather(1, i)
mint.index_select(x, 1, i[0]) ; ops.index_select(x, 1, i[0]) ; x.index_select(1, i[0])
mint.where(b, x, y) ; ops.where(b, x, y) ; x.where(b, y)
mint.clamp(x, 0, 1) ; ops.clamp(x, 0, 1) ; x.clamp(0, 1) ; mint.clip(x, 0, 1)
mint.eq(x, y) ; ops.eq(x, y) ; x.eq(y)
mint.tril(x) ; ops.tril(x) ; x.tril()
mint.nn.functional.relu(x) ; ops.relu(x) ; mint.nn.ReLU()(x)
mint.nn.functional.softmax(x, 1) ; ops.softmax(x, 1) ; mint.nn.Softmax(1)(x) ; mint.softmax(x, 1)
mint.nn.functional.gelu(x) ; ops.gelu(x) ; mint.nn.GELU()(x)
mint.nn.functional.mse_loss(x, y) ; ops.mse_loss(x, y) ; mint.nn.MSELoss()(x, y)
mint.linalg.inv(x @ x.T) ; ops.inverse(x @ x.T) ; mint.inverse(x @ x.T)
"""


@pytest.mark.parametrize("line", SAME.strip().splitlines(), ids=lambda line: line.split(" ; ")[0])
def test_every_name_gives_the_same(line):
    rng = np.random.RandomState(0)
    x, y = (Tensor(rng.standard_normal((2, 3)).astype(np.float32)) for _ in range(2))
    given = {"mint": mint, "ops": ops, "x": x, "y": y, "b": x > 0, "i": Tensor([[2, 0], [1, 1]])}
    first, *others = [eval(code, given) for code in line.split(" ; ")]
    for other in others:
        for a, b in zip(*(v if isinstance(v, tuple) else (v,) for v in (first, other)), strict=True):
            assert (a.dtype, a.shape) == (b.dtype, b.shape)
            np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-6)


def test_in_place():
    x = Tensor([-1.0, 2.0])
    assert mint.nn.functional.relu_(x) is x
    assert x.asnumpy().tolist() == [0.0, 2.0]
    assert mint.nn.functional.elu(x, inplace=True) is x
    assert mint.nn.functional.hardtanh(x, 0.0, 1.0).asnumpy().tolist() == [0.0, 1.0]
    assert x.asnumpy().tolist() == [0.0, 2.0]
    assert mint.addr_(mint.zeros((1, 2)), Tensor([2.0]), Tensor([1.0, 3.0])).asnumpy().tolist() == [
        [2.0, 6.0]
    ]


def test_random_numbers():
    generator = ms.Generator().manual_seed(3)
    ms.set_seed(1)
    first = mint.rand(2)
    ms.set_seed(1)
    own = mint.rand(2, generator=generator)
    np.testing.assert_array_equal(
        first.asnumpy(), mint.rand(2).asnumpy()
    )  # `generator` leaves the other one alone
    np.testing.assert_array_equal(own.asnumpy(), mint.rand(2, generator=generator.manual_seed(3)).asnumpy())
    drawn = mint.randint(2, 5, (1000,))
    assert drawn.dtype == ms.int64
    assert set(drawn.asnumpy()) == {2, 3, 4}
    assert abs(float(mint.normal(2.0, 0.5, (4000,)).mean()) - 2.0) < 0.05
    assert abs(float(mint.bernoulli(ops.full((4000,), 0.25, dtype=ms.float32)).mean()) - 0.25) < 0.05
    assert sorted(mint.randperm(5).tolist()) == [0, 1, 2, 3, 4]
    with pytest.raises(TypeError, match="randint"):
        mint.randint(3)


def test_one_process():
    with pytest.raises(RuntimeError, match="init_process_group"):
        mint.distributed.all_reduce(Tensor([1.0]))
    with pytest.raises(RuntimeError, match="MASTER_ADDR"):
        mint.distributed.init_process_group(world_size=2, rank=0)
    mint.distributed.init_process_group()
    try:
        out = [mint.zeros((2,))]
        handle = mint.distributed.all_gather(out, Tensor([1.0, 2.0]), async_op=True)
        assert handle.is_completed()
        assert out[0].asnumpy().tolist() == [1.0, 2.0]
        with pytest.raises(ValueError, match=r"broadcast.*Received: 1"):
            mint.distributed.broadcast(out[0], 1)
    finally:
        mint.distributed.destroy_process_group()


def test_what_mint_has_besides_its_public_names():
    assert mint.functional is mint.nn.functional
    assert mint.Tensor is ms.Tensor
    assert not {"functional", "Tensor"} & set(mint.__all__)
