"""Draw one picture for each question of `compiled.py` and `eager.py`.

python benchmarks/pictures.py RESULTS.json FOLDER
"""

import json
import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("svg")
import matplotlib.pyplot as plt

mpl.rcParams["svg.hashsalt"] = "msjax"
TITLES = {
    "warm": ("A warm compiled step, as multiples of jax.jit + optax by hand", "hand"),
    "calls": ("Python's time for a call, as multiples of the hand-written step's", "hand"),
    "first": ("The first step (trace and compile), as multiples of the hand-written one", "hand"),
    "linear": ("The first step of deep models, as multiples of the hand-written one", "hand"),
    "options": ("What options cost and save, as multiples of the plain step", ""),
    "formulations": (
        "The same GPT by hand, one thing written otherwise, as multiples of the plain way",
        "hand",
    ),
    "step": ("An eager training step, as multiples of torch's", "torch"),
    "chain": ("An eager operator of a chain, forward and backward, as multiples of torch's", "torch"),
}


def draw(title: str, floor: str, found: dict[str, dict[str, float]], file: Path) -> None:
    """A bar for each peer, in groups for each row, on a logarithmic axis with the floor at 1."""
    bars = []
    for row, seconds in found.items():
        base = seconds.get(floor) or next(iter(seconds.values()))
        bars += [(f"{row}: {peer}", value / base, peer) for peer, value in seconds.items()]
        bars.append(("", 1.0, ""))
    bars = bars[:-1][::-1]
    figure, axes = plt.subplots(figsize=(8, 0.6 + 0.2 * len(bars)), layout="constrained")
    colours = ["tab:orange" if peer == "msjax" else "tab:gray" for _, _, peer in bars]
    axes.barh(range(len(bars)), [value - 1 for _, value, _ in bars], left=1, color=colours)
    axes.set_yticks(range(len(bars)), [name for name, _, _ in bars], fontsize=7)
    axes.tick_params("y", length=0)
    for i, (name, value, _) in enumerate(bars):
        if name:
            axes.text(
                value, i, f" {value:.2f} ", va="center", ha="right" if value < 1 else "left", fontsize=6
            )
    axes.set_xscale("log")
    axes.axvline(1, color="black", linewidth=0.8)
    axes.margins(x=0.15)
    axes.set_title(title, fontsize=9)
    figure.savefig(file, metadata={"Date": None})
    plt.close(figure)


def table(title: str, floor: str, found: dict[str, dict[str, float]]) -> str:
    """Multiples of the floor, and the floor's time in ms."""
    names = list(dict.fromkeys(peer for seconds in found.values() for peer in seconds))
    heads = [name for name in names if name != floor]
    lines = [
        f"{title}.",
        "",
        "| | " + " | ".join(heads) + f" | {floor or 'first'} (ms) |",
        "|---" * (len(heads) + 2) + "|",
    ]
    for row, seconds in found.items():
        base = seconds.get(floor) or next(iter(seconds.values()))
        cells = [f"{seconds[name] / base:.2f}" if name in seconds else "" for name in heads]
        lines.append(f"| {row} | " + " | ".join(cells) + f" | {base * 1e3:.3g} |")
    return "\n".join(lines)


def main() -> None:
    folder, *files = map(Path, sys.argv[1:])
    results: dict[str, dict] = {}
    for file in files:
        for question, found in json.loads(file.read_text()).items():
            if isinstance(found, dict):
                results.setdefault(question, {}).update(found)
    folder.mkdir(exist_ok=True)
    for question, (title, floor) in TITLES.items():
        if question in results:
            draw(title, floor, results[question], folder / f"{question}.svg")
            print(
                table(title, floor, results[question]),
                f"\n![{title}]({folder.name}/{question}.svg)\n",
                sep="\n",
            )


if __name__ == "__main__":
    main()
