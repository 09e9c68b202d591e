"""How tensors are held: the meta device, released values, storages, hooks by their handles."""

import numpy as np
import pytest

import msjax as ms
from msjax import Tensor


def test_the_meta_device():
    made = [
        Tensor(np.ones((2, 1), np.int32), device="meta"),
        Tensor([1, 2], device="meta"),
        ms.tensor(1.5, device="meta"),
        Tensor([1, 2]).to("meta"),
        Tensor([1, 2]).to(device="meta"),
    ]
    assert [repr(x) for x in made] == [str(x) for x in made]
    assert [repr(x) for x in made] == [
        "Tensor(shape=[2, 1], dtype=Int32, value=\n<meta>)",
        "Tensor(shape=[2], dtype=Int64, value= <meta>)",
        "Tensor(shape=[], dtype=Float32, value= <meta>)",
        "Tensor(shape=[2], dtype=Int64, value= <meta>)",
        "Tensor(shape=[2], dtype=Int64, value= <meta>)",
    ]
    assert {x.device for x in made} == {"meta"}
    assert all(x.is_meta for x in made)
    assert not any(x.asnumpy().any() for x in made)
    assert not Tensor([1], device="CPU").is_meta
    with pytest.raises(ValueError, match="device"):
        ms.tensor([1], device="cpu")


def test_released_values():
    x = Tensor([1.0, 2.0])
    assert x.delete_() is x
    assert x.asnumpy().tolist() == [0, 0]
    with pytest.raises(ValueError, match="non_blocking"):
        x.delete_(non_blocking=2)


def test_storages():
    x = Tensor([1.0, 2.0])
    storage = x.untyped_storage()
    assert isinstance(storage, ms.UntypedStorage)
    assert len(storage) == storage.size() == storage.nbytes() == 8
    storage.copy_(Tensor([3.0, 4.0]).storage())
    assert x.asnumpy().tolist() == [3, 4]
    with pytest.raises(TypeError, match="UntypedStorage"):
        ms.UntypedStorage(4)


def test_hooks_by_their_handles():
    def gradient(take_away):
        def f(x):
            y = x * 2
            handle = y.register_hook(lambda g: g * 10)
            if take_away:
                y.remove_hook(handle)
            return y * y

        return float(ms.grad(f)(Tensor(1.0)))

    assert (gradient(False), gradient(True)) == (80, 8)
    with pytest.raises(TypeError, match="handle"):
        Tensor(1.0).remove_hook(3)


def test_methods_that_are_other_functions():
    a, b = Tensor([[2.0, 1.0], [0.0, 4.0]]), Tensor([[4.0], [8.0]])
    assert b.triangular_solve(a)[0].asnumpy().tolist() == [[1], [2]]
    assert b.triangular_solve(A=a, transpose=True)[0].asnumpy().tolist() == [[2], [1.5]]
    assert b.assign_value_cpp(a) is b
    assert b.shape == (2, 2)


@pytest.mark.parametrize("arange", [ms.ops.arange, lambda n: ms.torch.arange(n)])
def test_a_view_lies_in_the_memory_of_its_base(arange):
    x = arange(12).reshape(3, 4)
    row = x[1:]
    assert row.data_ptr() - x.data_ptr() == 4 * x.itemsize
    assert row.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    assert row.untyped_storage().size() == x.untyped_storage().size() == 12 * x.itemsize


def test_the_storage_of_a_view_is_copied_to_whole():
    x, y = ms.Tensor([1, 2, 3]), ms.Tensor([4, 5, 6])
    x[1:].untyped_storage().copy_(y[:2].untyped_storage())
    assert x.asnumpy().tolist() == [4, 5, 6]
