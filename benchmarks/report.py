"""Draw one picture for each question of `compiled.py` and `eager.py`.

python benchmarks/report.py FOLDER RESULTS.json ...
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


PEERS = {
    "mindspore": "MindSpore",
    "torch": "PyTorch",
    "nnx, cached": "flax (cached)",
    "equinox": "equinox",
    "msjax": "msjax",
}
MARKERS = dict(zip(PEERS, "sDvo*", strict=True))


def draw_front(found: dict[str, dict[str, float]], file: Path) -> None:
    """One picture of `warm` for the front page: a row for each model, a mark for each peer."""
    figure, axes = plt.subplots(figsize=(6.4, 2.5), layout="constrained")
    for peer, name in PEERS.items():
        points = [
            (seconds[peer] / seconds["hand"], -row)
            for row, seconds in enumerate(found.values())
            if peer in seconds
        ]
        ours = peer == "msjax"
        axes.scatter(
            *zip(*points, strict=True),
            s=130 if ours else 32,
            marker=MARKERS[peer],
            label=name,
            facecolors="tab:orange" if ours else "none",
            edgecolors="black" if ours else "dimgray",
            linewidths=0.6 if ours else 1.1,
            zorder=3 if ours else 2,
        )
    axes.set_yticks([-row for row in range(len(found))], list(found), fontsize=9)
    axes.set_ylim(0.6 - len(found), 0.4)
    axes.set_xscale("log")
    ticks = [0.5, 1, 2, 4, 8]
    axes.set_xticks(ticks, [f"{tick:g}x" for tick in ticks], fontsize=9)
    axes.minorticks_off()
    axes.axvline(1, color="black", linewidth=0.8)
    axes.grid(axis="y", color="0.9")
    axes.set_xlabel("time of a step; the line is the same step by hand in JAX (left is faster)", fontsize=9)
    axes.legend(fontsize=8, ncols=5, loc="lower center", bbox_to_anchor=(0.45, 1), frameon=False)
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
    if "warm" in results:
        draw_front(results["warm"], folder / "front.svg")
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
