"""Which of a few PyTorch programs run unchanged, and give PyTorch's losses: msjax beside torchax, mindtorch and PaConvert.

    python benchmarks/side_by_side.py --torch PYTHON [--torchax PYTHON] [--mindtorch PYTHON] [--paddle PYTHON] [--only GAN]

Each library runs in the interpreter given for it; msjax in this one, as it is (`msjax run --as torch`) and ported
(`msjax port`). PaConvert's interpreter needs `paconvert` and `paddle`. Programs name the device by a variable; torchax calls
its own "jax". A program passes if it ends and all its losses agree with PyTorch's to a thousandth.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

HEAD = """
import os
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

device = torch.device(os.environ.get("DEVICE", "cpu"))
generator = np.random.default_rng(0)
losses = []


def array(*shape):
    return torch.tensor(generator.standard_normal(shape).astype(np.float32)).to(device)


def start(module):
    # The same weights everywhere, whatever the order of parameters.
    with torch.no_grad():
        for parameter in module.parameters():
            if parameter.requires_grad:
                shape = tuple(parameter.shape)
                values = np.random.default_rng(sum(shape)).standard_normal(shape)
                parameter.copy_(torch.tensor((0.1 * values).astype(np.float32)))
    return module.to(device)

"""
PROGRAMS = {
    "CNN: batch normalization, Adam": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.head = nn.Linear(8 * 16, 4)

    def forward(self, x):
        x = F.max_pool2d(torch.relu(self.norm(self.conv(x))), 2)
        return self.head(x.flatten(1))


net, x = start(Net()), array(16, 1, 8, 8)
y = torch.arange(16).to(device) % 4
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for _ in range(5):
    optimizer.zero_grad()
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
""",
    "LSTM: clipping, momentum, a schedule": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(6, 12, num_layers=2, batch_first=True)
        self.head = nn.Linear(12, 1)

    def forward(self, x):
        return self.head(self.lstm(x)[0][:, -1])


net, x, y = start(Net()), array(8, 5, 6), array(8, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)
for _ in range(5):
    optimizer.zero_grad()
    loss = F.mse_loss(net(x), y)
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 0.5)
    optimizer.step()
    schedule.step()
    losses.append(loss.item())
""",
    "transformer: AdamW, label smoothing": """
layer = nn.TransformerEncoderLayer(16, 4, 32, dropout=0.0, batch_first=True)
net = start(nn.Sequential(nn.Embedding(10, 16), nn.TransformerEncoder(layer, 2), nn.Linear(16, 10)))
tokens = (torch.arange(24).reshape(4, 6) % 10).to(device)
optimizer = torch.optim.AdamW(net.parameters(), lr=0.01, weight_decay=0.1)
for _ in range(5):
    optimizer.zero_grad(set_to_none=True)
    loss = F.cross_entropy(net(tokens).reshape(-1, 10), tokens.flip(1).reshape(-1), label_smoothing=0.1)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
""",
    "GAN: two optimizers, detach": """
maker = start(nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2)))
judge = start(nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1)))
first = torch.optim.Adam(maker.parameters(), lr=0.01)
second = torch.optim.Adam(judge.parameters(), lr=0.01)
real, noise = array(16, 2), array(16, 3)
for _ in range(5):
    drawn = maker(noise)
    second.zero_grad()
    loss = F.softplus(-judge(real)).mean() + F.softplus(judge(drawn.detach())).mean()
    loss.backward()
    second.step()
    first.zero_grad()
    fooled = F.softplus(-judge(drawn)).mean()
    fooled.backward()
    first.step()
    losses += [loss.item(), fooled.item()]
""",
    "gradient penalty: create_graph": """
net, x = start(nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))), array(8, 3)
x.requires_grad_(True)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(5):
    optimizer.zero_grad()
    (gradient,) = torch.autograd.grad(net(x).sum(), x, create_graph=True)
    loss = ((gradient.norm(dim=1) - 1) ** 2).mean()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
""",
    "a gradient of one's own, hooks": """
class Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, limit):
        ctx.save_for_backward(x)
        ctx.limit = limit
        return x.round()

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return gradient.clamp(-ctx.limit, ctx.limit) * (x.abs() < 2), None


w, x = array(4, 4).requires_grad_(True), array(8, 4)
for _ in range(5):
    hidden = x @ w
    hidden.register_hook(lambda gradient: gradient * 2)
    loss = ((Round.apply(hidden, 0.3) - x) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.5 * w.grad
        w.grad.zero_()
    losses.append(loss.item())
""",
    "views changed in place": """
w, x = array(6).requires_grad_(True), array(6, 6)
for _ in range(5):
    table = x * 1.0
    table[::2] *= w
    table[:, 1] = w.sin()
    rows = table.view(3, 12)
    rows[1].add_(1.0).mul_(w[0])
    loss = table.tril().pow(2).mean()
    (gradient,) = torch.autograd.grad(loss, w)
    w.data.sub_(0.1 * gradient)
    losses.append(loss.item())
""",
}
TAIL = "\nimport json\nprint(json.dumps(losses))\n"
STARTS = {
    "torch": "import runpy, sys; runpy.run_path(sys.argv[1])",
    "msjax": ("import runpy, sys, msjax; msjax.install_as('torch'); runpy.run_path(sys.argv[1])"),
    "msjax port": "import runpy, sys, msjax; msjax.install_as('mindspore'); runpy.run_path(sys.argv[1])",
    "torchax": "import runpy, sys, torchax; torchax.enable_globally(); runpy.run_path(sys.argv[1])",
    # Before 0.5 a package of its own, since then part of mindnlp: importing it puts it in PyTorch's place.
    "mindtorch": (
        "import importlib.util, runpy, sys, mindtorch\n"
        "if importlib.util.find_spec('mindtorch.tools'): import mindtorch.tools.mstorch_enable\n"
        "runpy.run_path(sys.argv[1])"
    ),
    "PaConvert": "import runpy, sys; runpy.run_path(sys.argv[1])",
}
SECONDS = 600


def run(library: str, python: str, program: Path) -> list[float] | str:
    """The losses of a program, or why there are none."""
    env = {**os.environ, "DEVICE": "jax" if library == "torchax" else "cpu", "JAX_PLATFORMS": "cpu"}
    if library not in ("msjax", "msjax port"):
        env.pop("PYTHONPATH", None)
    try:
        process = subprocess.run(
            [python, "-c", STARTS[library], str(program)],
            capture_output=True, text=True, env=env, cwd=program.parent, timeout=SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"no end after {SECONDS} s"
    if process.returncode:
        return (process.stderr.strip().splitlines() or ["no message"])[-1][:200]
    try:
        return json.loads(process.stdout.strip().splitlines()[-1])
    except (IndexError, json.JSONDecodeError):
        return f"printed {process.stdout[-100:]!r}"


def convert(library: str, python: str, program: Path) -> Path:
    """The program that a library runs in place of this one."""
    target = program.with_name(f"{program.stem}_{library.replace(' ', '_')}.py")
    if library == "msjax port":
        command = [sys.executable, "-m", "msjax", "port", str(program), "-o", str(target)]
    elif library == "PaConvert":
        tool = Path(python).with_name("paconvert")
        command = [str(tool), "--in_dir", str(program), "--out_dir", str(target)]
    else:
        return program
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
    print(
        library,
        program.stem,
        *(done.stdout + done.stderr).strip().splitlines()[-1:],
        sep=": ",
        file=sys.stderr,
    )
    return target


def main() -> None:
    """Run what there is; prints a table in Markdown, and reasons below it."""
    parser = argparse.ArgumentParser(description="PyTorch programs in libraries beside msjax.")
    for name in ("torch", "torchax", "mindtorch", "paddle"):
        parser.add_argument(f"--{name}", required=name == "torch")
    parser.add_argument("--only", default="", help="programs whose names begin so")
    args = parser.parse_args()
    pythons = {"msjax": sys.executable, "msjax port": sys.executable, "torchax": args.torchax,
               "mindtorch": args.mindtorch, "PaConvert": args.paddle}  # fmt: skip
    pythons = {library: python for library, python in pythons.items() if python}
    reasons = []
    print("| program | " + " | ".join(pythons) + " |\n" + "|---" * (len(pythons) + 1) + "|")
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, text) in enumerate(PROGRAMS.items()):
            if not name.startswith(args.only):
                continue
            program = Path(folder, f"program{number}.py")
            program.write_text(HEAD + text + TAIL)
            expected = run("torch", args.torch, program)
            assert isinstance(expected, list), (name, expected)
            cells = []
            for library, python in pythons.items():
                found = run(library, python, convert(library, python, program))
                if isinstance(found, str):
                    cells.append("stops")
                    reasons.append(f"- {library}, {name}: `{found}`")
                else:
                    error = np.max(np.abs(np.subtract(found, expected)) / np.abs(expected))
                    cells.append("same losses" if error < 1e-3 else f"other losses ({error:.1g})")
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    print("\n".join(["", *reasons]))


if __name__ == "__main__":
    main()
