"""Arguments that PyTorch takes or refuses: dtypes and devices in `to`, and the types of errors."""

import numpy as np
import pytest

from msjax import torch
from msjax.torch.nn import functional as F

X = torch.ones(2, 3)
INDEX = torch.tensor([[0, 0, 0]])


@pytest.mark.parametrize(
    ("args", "named", "dtype"),
    [
        ((int,), {}, torch.int64),
        ((float,), {}, torch.float64),
        ((bool,), {}, torch.bool),
        ((complex,), {}, torch.complex128),
        (("cpu", torch.int16), {}, torch.int16),
        ((torch.ones(1, dtype=torch.int8),), {}, torch.int8),
        ((), {"device": "cpu", "dtype": int}, torch.int64),
        ((torch.device("cpu"),), {"non_blocking": True}, torch.float32),
        ((None,), {}, torch.float32),
    ],
)
def test_to(args, named, dtype):
    assert X.to(*args, **named).dtype == dtype


@pytest.mark.parametrize(("args", "named"), [(("cpu",), {"copy": True}), ((torch.float32, False, True), {})])
def test_a_copy_is_another_tensor(args, named):
    x = torch.zeros(2)
    x.to(*args, **named).add_(1)
    assert x.tolist() == [0, 0]
    x.to("cpu").add_(1)
    assert x.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("wanted", "dtype"),
    [(float, torch.float64), (torch.ones(1, dtype=torch.float16), torch.float16), ("cpu", torch.float32)],
)
def test_a_module_to(wanted, dtype):
    assert torch.nn.Linear(1, 1).to(wanted).weight.dtype == dtype


@pytest.mark.parametrize(
    "function", [torch.sum, torch.mean, lambda x, dtype: torch.softmax(x, 0, dtype=dtype)]
)
def test_numbers_of_python_are_dtypes(function):
    assert function(X, dtype=float).dtype == torch.float64


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: X.to("gpu"), RuntimeError),
        (lambda: torch.ones(2, device="float32"), RuntimeError),
        (lambda: X.to(1.5), TypeError),
        (lambda: X.to(copied=True), TypeError),
        (lambda: torch.nn.Linear(1, 1).to(int), TypeError),
        (lambda: X.softmax(5), IndexError),
        (lambda: X.squeeze(7), IndexError),
        (lambda: torch.where(X, X, X), RuntimeError),
        (lambda: torch.arange(0, 5, -1), RuntimeError),
        (lambda: torch.arange(0, 5, 0), RuntimeError),
        (lambda: X.gather(0, INDEX + 9), RuntimeError),
        (lambda: X.gather(0, INDEX.float()), RuntimeError),
        (lambda: F.mse_loss(X, torch.ones(3, 2)), RuntimeError),
        (lambda: F.pad(X, (1, 2, 3)), RuntimeError),
        (lambda: F.batch_norm(torch.ones(1, 2, 4), torch.ones(3), torch.ones(3)), RuntimeError),
        (lambda: torch.nn.Linear(3, 3)(X.double()), RuntimeError),
        (lambda: F.cross_entropy(X, torch.tensor([1, 2, 0])), ValueError),
        (lambda: X.__setitem__(0, torch.ones(4)), RuntimeError),
    ],
)
def test_errors_have_the_types_of_pytorch(call, error):
    with pytest.raises(error):
        call()


@pytest.mark.parametrize(
    ("layer", "inputs"),
    [
        ("ReLU", {"input": X}),
        ("MaxPool1d", {"input": X}),
        ("MSELoss", {"input": X, "target": X}),
        ("CrossEntropyLoss", {"input": X, "target": torch.tensor([0, 1])}),
        ("TripletMarginLoss", {"anchor": X, "positive": X, "negative": 2 * X}),
        ("PoissonNLLLoss", {"log_input": X, "target": X}),
        ("GaussianNLLLoss", {"input": X, "target": X, "var": X}),
        ("CosineSimilarity", {"x1": X, "x2": X}),
        (
            "CTCLoss",
            {
                "log_probs": torch.zeros(4, 1, 3),
                "targets": torch.tensor([[1, 2]]),
                "input_lengths": torch.tensor([4]),
                "target_lengths": torch.tensor([2]),
            },
        ),
    ],
)
def test_layers_take_their_inputs_by_name(layer, inputs):
    made = getattr(torch.nn, layer)(*(2,) * (layer == "MaxPool1d"))
    torch.testing.assert_close(made(**inputs), made(*inputs.values()))
    with pytest.raises(TypeError):
        made(*inputs.values(), None)


@pytest.mark.parametrize("size", [(5, 6), (1, 3, 5, 6)])
def test_transposed_convolutions_give_the_size_that_is_asked_for(size):
    layer = torch.nn.ConvTranspose2d(2, 3, 3, stride=2, padding=1)
    x = torch.linspace(-1, 1, 18).reshape(1, 2, 3, 3)
    made = layer(x, output_size=size)
    torch.testing.assert_close(
        made, F.conv_transpose2d(x, layer.weight, layer.bias, 2, 1, output_padding=(0, 1))
    )
    assert layer(x).shape == (1, 3, 5, 5)
    assert torch.nn.ConvTranspose1d(2, 3, 3, stride=2)(X, output_size=[8]).shape == (3, 8)
    with pytest.raises(ValueError, match=r"must have 2 or 4 elements \(got 1\)"):
        layer(x, output_size=[5])
    with pytest.raises(ValueError, match=r"valid sizes range from \[5, 5\] to \[6, 6\]"):
        layer(x, output_size=(9, 9))


def test_attributes_of_modules_are_found_by_getattr_itself():
    class Wrapped(torch.nn.Module):
        def __init__(self, module):
            super().__init__()
            self.module = module

        def __getattr__(self, name):
            try:
                return super().__getattr__(name)
            except AttributeError:
                return getattr(self.module, name)

    layer = torch.nn.Linear(2, 3)
    assert layer.__getattr__("weight") is layer.weight
    wrapped = Wrapped(layer)
    assert wrapped.__getattr__("module") is layer
    assert wrapped.out_features == 3
    assert wrapped.state_dict().keys() == {"module.weight", "module.bias"}
    with pytest.raises(AttributeError, match="'Linear' object has no attribute 'wieght'"):
        _ = wrapped.wieght
    assert not hasattr(layer, "wieght")


X23 = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
BELOW = torch.tensor([-1, 1])


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: torch.nn.functional.cross_entropy(X23, BELOW), IndexError),
        (lambda: torch.nn.functional.nll_loss(X23, BELOW), IndexError),
        (lambda: torch.nn.functional.embedding(BELOW, X23), IndexError),
        (lambda: torch.nn.Embedding(3, 2)(BELOW), IndexError),
        (lambda: X23.gather(1, BELOW[:, None]), RuntimeError),
        (lambda: X23.scatter(1, BELOW[:, None], 9.0), RuntimeError),
        (lambda: X23.clone().scatter_(1, BELOW[:, None], 9.0), RuntimeError),
        (lambda: X23.scatter_add(1, BELOW[:, None], X23), RuntimeError),
        (lambda: X23.index_add(1, BELOW, X23[:, :2]), RuntimeError),
        (lambda: X23.index_select(1, BELOW), RuntimeError),
        (lambda: X23.index_copy(1, BELOW, X23[:, :2]), IndexError),
    ],
)
def test_positions_below_zero_are_refused(call, error):
    with pytest.raises(error, match="-1"):
        call()


@pytest.mark.parametrize("ignored", [-1, -100])
def test_the_ignored_class_is_accepted(ignored):
    loss = torch.nn.functional.cross_entropy(
        X23, torch.tensor([ignored, 1]), ignore_index=ignored, reduction="none"
    )
    assert loss[0] == 0
    assert loss[1] > 1


N, B = torch.arange(3), torch.tensor([True, False, True])


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: torch.add(N, N, alpha=1.5), "must not be a floating point number"),
        (lambda: torch.sub(N, N, alpha=2.0), "must not be a floating point number"),
        (lambda: torch.rsub(N, N, alpha=1.5), "must not be a floating point number"),
        (lambda: N.clone().add_(N, alpha=0.5), "must not be a floating point number"),
        (lambda: torch.add(N, B, alpha=True), "Boolean alpha only"),
        (lambda: torch.add(torch.ones(3), 1, alpha=1j), "must not be a complex number"),
        (lambda: B - 1, "with a bool tensor is not supported"),
        (lambda: 1 - B, "with a bool tensor is not supported"),
        (lambda: torch.sub(B, N), "with a bool tensor is not supported"),
        (lambda: N - B, "with a bool tensor is not supported"),
        (lambda: B - B, "with two bool tensors is not supported"),
        (lambda: torch.addcdiv(N, N, N + 1), "Integer division with addcdiv"),
        (lambda: torch.addcdiv(torch.ones(3), N, N + 1), "Integer division with addcdiv"),
        (lambda: N // torch.tensor([1, 0, 1]), "ZeroDivisionError"),
        (lambda: N % 0, "ZeroDivisionError"),
        (lambda: 7 // N, "ZeroDivisionError"),
        (lambda: torch.fmod(N, 0), "ZeroDivisionError"),
        (lambda: torch.remainder(N, N), "ZeroDivisionError"),
        (lambda: torch.div(N, 0, rounding_mode="trunc"), "ZeroDivisionError"),
        (lambda: N.std(), "only support floating point and complex"),
        (lambda: N.var(0), "only support floating point and complex"),
    ],
)
def test_arithmetic_refuses(call, text):
    with pytest.raises(RuntimeError, match=text):
        call()


def test_arithmetic_of_bools_and_zeros():
    assert torch.add(B, B, alpha=2).dtype == torch.bool
    assert torch.add(N, 1.5, alpha=0.5).tolist() == [0.75, 1.75, 2.75]
    assert (torch.tensor([7.0, -7.0]) // 0).tolist() == [float("inf"), -float("inf")]
    assert torch.div(N, 2, rounding_mode="floor").tolist() == [0, 0, 1]
    assert (N / 0).isinf().tolist() == [False, True, True]


@pytest.mark.parametrize("dim", [0, None])
def test_all_of_bytes(dim):
    x = torch.tensor([1, 2], dtype=torch.uint8)
    assert torch.all(x, dim).dtype == torch.uint8
    assert torch.all(x, dim).item() == 1


def test_empty_tensors_count_in_the_dtype_of_cat():
    assert torch.cat([torch.tensor([]), N]).dtype == torch.float32
    assert torch.cat([torch.empty(0, dtype=torch.float64), torch.ones(2, 2)]).dtype == torch.float64
    assert torch.cat([torch.empty(0, dtype=torch.int32), N]).dtype == torch.int64


def test_nan_goes_through_clamp_and_median():
    x = torch.tensor([3.0, 1.0, 2.0], requires_grad=True)
    assert torch.clamp(x, float("nan")).isnan().all()
    assert torch.clamp(x, max=float("nan")).isnan().all()
    x.median().backward()
    assert x.grad.tolist() == [0, 0, 1]
    assert torch.tensor([3.0, float("nan"), 1.0]).median().isnan()
    assert torch.tensor([]).median().isnan()


def test_arange_multiplies_in_float64():
    assert torch.arange(0, 1, 0.3).tolist() == [float(np.float32(0.3 * i)) for i in range(4)]
    assert torch.arange(1, 2, 0.1, dtype=torch.float64).tolist() == [1 + 0.1 * i for i in range(10)]
    assert torch.arange(2, 0, -0.5).tolist() == [2.0, 1.5, 1.0, 0.5]
    assert torch.arange(0, 3, 0.5, dtype=torch.bfloat16).dtype == torch.bfloat16


def test_out_of_another_shape_is_resized():
    out = torch.ones(2)
    with pytest.warns(UserWarning, match="was resized"):
        torch.add(N, 1, out=out)
    assert out.tolist() == [1.0, 2.0, 3.0]


def test_result_type_of_a_number_first():
    assert torch.result_type(1, torch.tensor(1, dtype=torch.int32)) == torch.int32
    assert torch.result_type(1.5, torch.tensor([1], dtype=torch.int32)) == torch.float32


def test_make_tensor_repeats():
    drawn = []
    for _ in range(2):
        torch.manual_seed(3)
        drawn.append(torch.testing.make_tensor(4, dtype=torch.float32))
    assert torch.equal(*drawn)
    assert not torch.equal(drawn[0], torch.testing.make_tensor(4, dtype=torch.float32))
