"""`generator=`: the same numbers from the same seed, others from another, and the process's own state stays."""

import pytest

from msjax import torch
from msjax.torch.nn import init
from msjax.torch.utils import data

HALF, ZERO = torch.full((20,), 0.5), torch.zeros(20)
DRAWS = {
    "rand": lambda g: torch.rand(20, generator=g),
    "randn": lambda g: torch.randn(20, generator=g),
    "randint": lambda g: torch.randint(0, 100, (20,), generator=g),
    "randperm": lambda g: torch.randperm(20, generator=g),
    "rand_like": lambda g: torch.rand_like(ZERO, generator=g),
    "randn_like": lambda g: torch.randn_like(ZERO, generator=g),
    "randint_like": lambda g: torch.randint_like(ZERO, 0, 100, generator=g),
    "normal": lambda g: torch.normal(ZERO, HALF, generator=g),
    "bernoulli": lambda g: torch.bernoulli(HALF, generator=g),
    "Tensor.bernoulli": lambda g: HALF.bernoulli(generator=g),
    "multinomial": lambda g: torch.multinomial(HALF, 10, generator=g),
    "poisson": lambda g: torch.poisson(HALF * 20, generator=g),
    "binomial": lambda g: torch.binomial(HALF * 40, HALF, generator=g),
    **{
        name: lambda g, name=name: getattr(init, name)(torch.zeros(5, 6), generator=g)
        for name in "uniform_ normal_ trunc_normal_ xavier_uniform_ kaiming_normal_ orthogonal_".split()
    },
    "sparse_": lambda g: init.sparse_(torch.zeros(5, 6), 0.5, generator=g),
    **{
        f"Tensor.{name}": lambda g, name=name, args=args: getattr(torch.zeros(20), name)(*args, generator=g)
        for name, args in {
            "normal_": (), "uniform_": (), "exponential_": (), "cauchy_": (), "geometric_": (0.3,), "random_": (0, 100),
        }.items()
    },
    "random_split": lambda g: torch.tensor(data.random_split(range(20), [10, 10], generator=g)[0].indices),
    "RandomSampler": lambda g: torch.tensor(list(data.RandomSampler(range(20), generator=g))),
    "DataLoader": lambda g: torch.cat([*data.DataLoader(torch.arange(20), 5, shuffle=True, generator=g)]),
}  # fmt: skip


@pytest.mark.parametrize("name", DRAWS)
def test_generators(name):
    draw, seeded = DRAWS[name], torch.Generator().manual_seed
    kept = torch.get_rng_state()
    first, generator = draw(seeded(3)), seeded(3)
    assert torch.equal(draw(generator), first)
    assert not torch.equal(draw(generator), first)  # it goes on
    assert not torch.equal(draw(seeded(4)), first)
    assert torch.equal(torch.get_rng_state(), kept)


def test_orders_differ_from_call_to_call():
    torch.manual_seed(1)
    orders = [torch.randperm(30).tolist() for _ in range(3)]
    assert orders[0] != orders[1] != orders[2]
    assert sorted(orders[0]) == list(range(30))
    torch.manual_seed(1)
    assert torch.randperm(30).tolist() == orders[0]


def test_orthogonal_and_sparse():
    q = init.orthogonal_(torch.empty(3, 5), gain=2.0)
    torch.testing.assert_close(q @ q.T, 4 * torch.eye(3), atol=1e-5, rtol=0)
    s = init.sparse_(torch.empty(10, 4), 0.3, std=1.0)
    assert (s == 0).sum(0).tolist() == [3] * 4
    with pytest.raises(ValueError, match="2 dimensions"):
        init.sparse_(torch.empty(3), 0.5)


def test_the_seed_of_the_process():
    seed = torch.seed()
    assert torch.initial_seed() == seed == torch.default_generator.initial_seed()
    first = torch.rand(3)
    torch.manual_seed(seed)
    assert torch.equal(torch.rand(3), first)
    torch.manual_seed(2**32 + 5)
    assert torch.initial_seed() == 2**32 + 5
    with torch.random.fork_rng():
        torch.manual_seed(3)
        assert torch.initial_seed() == 3
    assert torch.initial_seed() == 2**32 + 5
    torch.manual_seed(-1)
    assert torch.initial_seed() == 2**64 - 1


@pytest.mark.parametrize("enabled", [False, True])
def test_a_fork_goes_back_if_it_is_enabled(enabled):
    torch.manual_seed(0)
    first, second = torch.rand(3), torch.rand(3)
    torch.manual_seed(0)
    with torch.random.fork_rng(enabled=enabled):
        torch.rand(3)
    assert torch.equal(torch.rand(3), first if enabled else second)
