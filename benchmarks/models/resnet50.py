"""ResNet-50 (He et al., 2015) in MindSpore's names: four stages of bottlenecks, normalized by the batch."""

from typing import Any

# (bottlenecks, channels inside, stride of the first) of the four stages.
STAGES = [(3, 64, 1), (4, 128, 2), (6, 256, 2), (3, 512, 2)]


def mindspore(ms: Any) -> Any:
    nn, ops = ms.nn, ms.ops

    def normalized(into: int, out: int, size: int, stride: int = 1) -> Any:
        conv = nn.Conv2d(into, out, size, stride, pad_mode="pad", padding=size // 2)
        return nn.SequentialCell(conv, nn.BatchNorm2d(out))

    class Bottleneck(nn.Cell):
        def __init__(self, into: int, inner: int, stride: int) -> None:
            super().__init__()
            self.a, self.b = normalized(into, inner, 1), normalized(inner, inner, 3, stride)
            self.c = normalized(inner, 4 * inner, 1)
            changes = stride > 1 or into != 4 * inner
            self.way = normalized(into, 4 * inner, 1, stride) if changes else nn.Identity()

        def construct(self, x: Any) -> Any:
            return ops.relu(self.c(ops.relu(self.b(ops.relu(self.a(x))))) + self.way(x))

    def blocks() -> list[Any]:
        found, into = [], 64
        for count, inner, stride in STAGES:
            for i in range(count):
                found.append(Bottleneck(into, inner, 1 if i else stride))
                into = 4 * inner
        return found

    class ResNet(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.pool = normalized(3, 64, 7, 2), nn.MaxPool2d(3, 2, pad_mode="pad", padding=1)
            self.blocks, self.fc = nn.SequentialCell(blocks()), nn.Dense(2048, 1000)

        def construct(self, x: Any) -> Any:
            return self.fc(self.blocks(self.pool(ops.relu(self.first(x)))).mean((2, 3)))

    return ResNet()
