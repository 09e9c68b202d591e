"""Record shape and dtype, or the exception, of calls that draw random numbers under MindSpore 2.10.0.

    python tests/goldens/record_random.py      # in an environment with mindspore==2.10.0, numpy<2

writes random.json. What the numbers are distributed like is tested against the distributions themselves.
"""

import json
import pathlib
from typing import Any

HERE = pathlib.Path(__file__).parent
CALLS = """
ops.rand()
ops.rand(2, 3)
ops.rand((2, 3))
ops.rand([2, 3])
ops.rand(2, dtype=ms.float16)
ops.rand(2, dtype=ms.float64)
ops.rand(2, dtype=ms.int32)
ops.rand(2.5)
ops.rand(-1)
ops.rand(2, seed=3)
ops.rand(2, seed='a')
ops.rand(2, seed=-1)
ops.randn()
ops.randn(2, 3, dtype=ms.float16)
ops.randint(0, 5, (2, 2))
ops.randint(0, 5, (2,), dtype=ms.int32)
ops.randint(0, 5, (2,), dtype=ms.float32)
ops.randint(0, 5, [2])
ops.randint(0, 3, 2)
ops.randint(0.5, 1, (2,))
ops.randint(5, 5, (2,))
ops.rand_like(Tensor([1.0, 2.0]))
ops.rand_like(Tensor([1, 2]))
ops.rand_like(Tensor([1, 2]), dtype=ms.float32)
ops.rand_like([1.0, 2.0])
ops.randn_like(Tensor([1.0, 2.0], ms.float16))
ops.randint_like(Tensor([1, 2], ms.int32), 0, 5)
ops.randint_like(Tensor([1.0, 2.0]), 0, 5)
ops.randint_like(Tensor([1.0, 2.0]), 0, 5, dtype=ms.int32)
ops.standard_normal(())
ops.standard_normal((2, 3))
ops.standard_normal(Tensor([2, 3], ms.int32))
ops.standard_normal((-1,))
ops.standard_laplace((2,))
ops.normal((2, 1), Tensor([0.0, 0.0, 0.0]), Tensor(1.0))
ops.normal((2,), 0.0, 1.0)
ops.normal((2,), 0, 1)
ops.normal((2,), Tensor(3.0, ms.float16), Tensor(1.0, ms.float16))
ops.normal(2, 0.0, 1.0)
ops.uniform((2, 1), Tensor([0.0, 0.0, 0.0]), Tensor(1.0))
ops.uniform((5,), Tensor(0, ms.int32), Tensor(10, ms.int32), dtype=ms.int32)
ops.uniform((5,), Tensor(0.0), Tensor(10.0), dtype=ms.float16)
ops.laplace((2, 1), Tensor([0.0, 0.0, 0.0]), Tensor([1.0]))
ops.random_gamma(Tensor([3], ms.int32), Tensor([1.0, 2.0]))
ops.random_poisson(Tensor([3], ms.int32), Tensor([1.0, 2.0]))
ops.random_poisson(Tensor([3], ms.int32), Tensor([1.0, 2.0]), dtype=ms.int32)
ops.bernoulli(Tensor([1.0, 2.0]), 0.5)
ops.bernoulli(Tensor([1, 2], ms.int32), Tensor([0.5]))
ops.bernoulli(Tensor([True, False]), 0.5)
ops.bernoulli(Tensor([1.0, 2.0]), Tensor([0.5, 0.1, 0.3]))
ops.multinomial(Tensor([1.0, 2.0]), 3)
ops.multinomial(Tensor([[1.0, 2.0], [3.0, 4.0]]), 3)
ops.multinomial(Tensor([[1.0, 2.0, 3.0]]), 2, False)
ops.multinomial(Tensor([[1.0, 2.0, 3.0]]), 4, False)
ops.multinomial(Tensor([[[1.0, 2.0]]]), 2)
ops.multinomial(Tensor([1, 2]), 2)
ops.multinomial(Tensor([1.0, 2.0]), 1.5)
ops.random_categorical(Tensor([[1.0, 2.0], [3.0, 4.0]]), 5)
ops.shuffle(Tensor([[1, 2], [3, 4]]))
ops.shuffle(Tensor(3.0))
ops.randperm(5)
ops.randperm(5, dtype=ms.int32)
ops.randperm(-1)
ops.randperm(1.5)
ops.dropout(Tensor([1.0, 2.0]))
ops.dropout(Tensor([1.0, 2.0], ms.float16), 0.1)
ops.dropout(Tensor([1.0, 2.0]), 0.0)
ops.dropout(Tensor([1, 2]), 0.5)
ops.dropout(Tensor([1.0, 2.0]), 'a')
ops.dropout(Tensor([1.0, 2.0]), 0.5, training='a')
ops.dropout(Tensor([1.0, 2.0]), 0.5, seed='a')
ops.dropout1d(Tensor([[[1.0, 2.0]]]))
ops.dropout1d(Tensor([[1.0, 2.0]]))
ops.dropout1d(Tensor([1.0, 2.0]))
ops.dropout1d(Tensor([[1.0, 2.0]]), 1.5)
ops.dropout2d(Tensor([[[[1.0, 2.0]]]]), 1.0)
ops.dropout2d(Tensor([[[[1.0, 2.0]]]]), 1.5)
ops.dropout2d(Tensor([[1.0, 2.0]]))
ops.dropout3d(Tensor([[1.0, 2.0]]))
""".strip().splitlines()


def main() -> None:
    import mindspore as ms

    ms.set_context(pynative_synchronize=True)

    def outcome(text: str) -> Any:
        try:
            tensor = eval(text, {"ms": ms, "ops": ms.ops, "Tensor": ms.Tensor})
            tensor.asnumpy()
        except Exception as error:
            return {"error": type(error).__name__}
        return {"shape": list(tensor.shape), "dtype": str(tensor.dtype)}

    (HERE / "random.json").write_text(json.dumps({text: outcome(text) for text in CALLS}, indent=1))


if __name__ == "__main__":
    main()
