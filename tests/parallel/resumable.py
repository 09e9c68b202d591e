"""A training run that saves after each step: `test_resume.py` kills it in the middle, and starts it again.

Arguments: folder; "die" (process 1 kills itself in the fourth step), or "resume" (from the last checkpoint, and afresh).
"""

import json
import os
import signal
import sys

import numpy as np

import msjax as ms
from msjax import communication, nn
from msjax.parallel.auto_parallel import AutoParallel

FOLDER, WHAT = sys.argv[1:]
STEPS, ROWS = 5, 8


def make():
    ms.set_seed(1)
    net = nn.SequentialCell(nn.Dense(8, 16), nn.Dropout(p=0.2), nn.ReLU(), nn.Dense(16, 4))
    optimizer = nn.AdamWeightDecay(net.trainable_params(), 0.01)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer).set_train()
    parallel = AutoParallel(step)
    parallel.hsdp(threshold=0)
    return step, parallel


def train(parallel, first, saved=None):
    rank, size = communication.get_rank(), communication.get_group_size()
    losses = []
    for i in range(first, STEPS):
        if WHAT == "die" and i == 3 and rank == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        draw = np.random.default_rng(i)
        own = slice(rank * ROWS // size, (rank + 1) * ROWS // size)
        x, y = (ms.Tensor(draw.normal(size=(ROWS, width)).astype("f")[own]) for width in (8, 4))
        losses.append(float(parallel(x, y).asnumpy()))
        if saved is not None:  # whole arrays, which all processes gather
            ms.save_checkpoint(saved, f"{FOLDER}/{rank}.tmp.ckpt", append_dict={"step": i})
            np.save(f"{FOLDER}/{rank}.seeds.npy", np.array(ms.get_rng_state().asnumpy()))
            os.replace(f"{FOLDER}/{rank}.tmp.ckpt", f"{FOLDER}/{rank}.ckpt")
    return losses


def main():
    communication.init()
    step, parallel = make()
    if WHAT == "die":
        print("pid", os.getpid(), flush=True)
        train(parallel, 0, step)
        return
    report = {"whole": train(parallel, 0), "weights": [p.asnumpy().tolist() for p in step.trainable_params()]}
    step, parallel = make()
    rank = communication.get_rank() % 2
    found = ms.load_checkpoint(f"{FOLDER}/{rank}.ckpt")
    last = int(found.pop("step").asnumpy())
    missing = ms.load_param_into_net(step, found)
    assert missing == ([], []), missing
    ms.set_rng_state(ms.Tensor(np.load(f"{FOLDER}/{rank}.seeds.npy")))
    report |= {"last": last, "rest": train(parallel, last + 1)}
    report["resumed"] = [p.asnumpy().tolist() for p in step.trainable_params()]
    with open(f"{FOLDER}/{communication.get_group_size()}.{communication.get_rank()}.json", "w") as file:
        json.dump(report, file)


if __name__ == "__main__":
    main()
