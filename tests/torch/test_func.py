"""`torch.func`: jacobians by lists and dicts of tensors. Expected values: PyTorch 2.13."""

import pytest

from msjax import torch
from msjax.torch.func import functional_call, hessian, jacfwd, jacrev, jvp, vmap

A, B = torch.tensor([1.0, 2.0]), torch.tensor([3.0])


def weighted(p, x):
    return (p["w"] * x).sum(0, keepdim=True) * p["b"][0]


def lists(tree):
    """The numbers of a tree, in the order of its dicts."""
    if isinstance(tree, dict):
        return {name: lists(part) for name, part in tree.items()}
    return [*map(lists, tree)] if isinstance(tree, list | tuple) else tree.tolist()


@pytest.mark.parametrize("jacobian", [jacrev, jacfwd])
def test_jacobians_by_trees(jacobian):
    by_dict = {"w": [[3.0, 6.0]], "b": [[5.0]]}
    assert lists(jacobian(weighted)({"w": A, "b": B}, A)) == by_dict
    assert list(jacobian(weighted)({"w": A, "b": B}, A)) == ["w", "b"]
    assert lists(jacobian(weighted, argnums=(0, 1))({"w": A, "b": B}, A)) == [by_dict, [[3.0, 6.0]]]
    of_list = jacobian(lambda p: (p[0] ** 2, p[1] * p[0][0]))([A, B])
    assert lists(of_list) == [[[[2.0, 0.0], [0.0, 4.0]], [[0.0], [0.0]]], [[[3.0, 0.0]], [[1.0]]]]
    found, aux = jacobian(lambda p: (p["w"] ** 2, p["w"].sum()), has_aux=True)({"w": A})
    assert (lists(found), aux.item()) == ({"w": [[2.0, 0.0], [0.0, 4.0]]}, 3.0)
    to_dict = jacobian(lambda p: {"u": p["w"] * 2, "a": p["b"].sum()})({"w": A, "b": B})
    assert lists(to_dict) == {
        "u": {"w": [[2.0, 0.0], [0.0, 2.0]], "b": [[0.0], [0.0]]},
        "a": {"w": [0.0, 0.0], "b": [1.0]},
    }


def test_jvp_along_trees():
    value, moved = jvp(
        weighted, ({"w": A, "b": B}, A), ({"w": torch.ones(2), "b": torch.zeros(1)}, torch.zeros(2))
    )
    assert (value.tolist(), moved.tolist()) == ([15.0], [9.0])


def test_hessian_by_a_dict():
    found = hessian(lambda p: (p["w"] ** 3).sum() * p["b"][0])({"w": A, "b": B})
    assert lists(found) == {
        "w": {"w": [[18.0, 0.0], [0.0, 36.0]], "b": [[3.0], [12.0]]},
        "b": {"w": [[3.0, 12.0]], "b": [[0.0]]},
    }
    assert list(found) == ["w", "b"]


def test_jacobians_of_a_module_for_each_sample():
    net = torch.nn.Linear(3, 2)
    parameters = {name: p.detach() for name, p in net.named_parameters()}
    single = jacrev(lambda p, x: functional_call(net, p, (x.unsqueeze(0),)).squeeze(0))
    x = torch.arange(12.0).reshape(4, 3)
    found = vmap(single, (None, 0))(parameters, x)
    expected = torch.zeros(4, 2, 2, 3)
    expected[:, 0, 0] = expected[:, 1, 1] = x
    assert torch.equal(found["weight"], expected)
    assert torch.equal(found["bias"], torch.eye(2).expand(4, 2, 2))


def test_backward_hooks_of_a_module_whose_input_nobody_keeps():
    seen = []
    net = torch.nn.Sequential(torch.nn.Linear(2, 2))
    net[0].register_full_backward_hook(lambda module, inputs, outputs: seen.append(inputs[0].shape))
    net(torch.ones(1, 2, requires_grad=True)).sum().backward()
    assert seen == [(1, 2)]


def test_dicts_keep_their_order():
    given = {"w": A, "b": B}
    f = lambda p, x: (p["w"] * x).sum() + p["b"].sum() * 2  # noqa: E731
    rows = {name: t.expand(3, *t.shape) for name, t in given.items()}
    found = torch.func.vmap(torch.func.grad(f), in_dims=(0, None))(rows, A)
    assert list(found) == ["w", "b"]
    assert lists(found["w"]) == [lists(A)] * 3
    seen = []
    out, pull = torch.func.vjp(lambda p: seen.append(list(p)) or {"z": p["w"] * 2, "y": p["b"]}, given)
    assert (seen, list(out), list(pull({"z": A, "y": B})[0])) == ([["w", "b"]], ["z", "y"], ["w", "b"])
    torch.func.grad(lambda p: seen.append(list(p)) or p["w"].sum())(given)
    assert seen[1] == ["w", "b"]
    assert list(torch.func.vmap(lambda p: {"v": p["w"], "u": p["b"]})(rows)) == ["v", "u"]
