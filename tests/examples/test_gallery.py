"""Each example program learns something in a small form and saves its picture; docstrings say what the full forms reach."""

import importlib.util
import re

import numpy as np
import pytest

import msjax
from msjax.cli.example_programs import find_examples

pytest.importorskip("sklearn")
pytest.importorskip("matplotlib")


def falls(result, at=0):
    losses = result[at]
    return np.mean(losses[-5:]) < 0.9 * np.mean(losses[:5])


# name -> arguments of a form of seconds, and what its result must show
SMALL = {
    "bert_reference": (
        "--pretraining 4 --fine-tuning 30 --length 24 --width 48 --layers 1 --pages 3",
        lambda right: right > 0.5,  # a third by chance
    ),
    "cartpole": (
        "--updates 12 --carts 16 --steps 32",
        lambda ages: np.mean(ages[-3:]) > 1.2 * np.mean(ages[:3]),
    ),
    "char_gpt": (
        "--steps 20 --length 24 --width 32 --layers 1 --words 50 --tokens 5 --lr 0.01",
        lambda result: (
            falls(result) and 0 < result[1] < 3 and re.match("The value of.{5}", result[2], re.DOTALL)
        ),
    ),
    "forecast_series": (
        "--steps 100 --past 24 --width 24 --lr 0.01",
        lambda errors: errors["lstm"] < errors["the week before"],
    ),
    "fourier_operator": (
        "--steps 40 --functions 96 --resolution 32 --modes 8 --width 16 --layers 2",
        # learnt on 32 points, as good on 64
        lambda errors: errors[0] < 0.5 and abs(errors[1] - errors[0]) < 0.05,
    ),
    "gan_digits": ("--epochs 1 --width 8", lambda result: 0 < result[0] <= 1 <= result[1] <= 10),
    "pinn_burgers": ("--steps 60 --points 128 --width 16 --layers 2", falls),
    "unet_shapes": ("--steps 40 --size 16 --width 4 --batch-size 4", falls),
    "vae_digits": ("--epochs 3", lambda results: results[-1] < 30),
    "vit_digits": ("--epochs 2 --layers 1 --width 32", lambda result: result[0][1] < result[0][0]),
}


def load(name):
    spec = importlib.util.spec_from_file_location(name, find_examples()[name])
    module = importlib.util.module_from_spec(spec)
    with msjax.install_as("mindspore"):
        spec.loader.exec_module(module)
    return module


def test_every_example_is_here():
    assert {*SMALL, "resnet_digits", "train_digits"} == set(find_examples())


@pytest.mark.parametrize("name", SMALL)
def test_a_small_form_learns_and_draws(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments, check = SMALL[name]
    with msjax.install_as("mindspore"):
        result = load(name).main([*arguments.split(), "--plot", "picture.png"])
    assert check(result), result
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


def test_a_resumed_run_goes_on_where_the_first_ended(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    small = ["--width", "4", "--batch-size", "128", "--amp-level", "O2"]
    with msjax.install_as("mindspore"):
        program = load("resnet_digits")
        first, _ = program.main([*small, "--epochs", "1"])
        losses, accuracies = program.main([*small, "--epochs", "2", "--resume"])
    assert (tmp_path / "resnet_digits.png").read_bytes().startswith(b"\x89PNG")
    assert len(accuracies) == 1
    assert len(losses) == len(first) == 1437 // 128
    assert np.mean(losses) < np.mean(first)


@pytest.mark.parametrize("words", [0, 3])
def test_a_text_comes_back_from_its_tokens(words):
    text = "the cat and  the\n    dog, the cat_s"
    tokenizer = load("char_gpt").Tokenizer(text, words)
    numbers = tokenizer.encode(text)
    assert tokenizer.decode(numbers) == text
    assert len(numbers) == len(text) if not words else len(numbers) < len(text)
