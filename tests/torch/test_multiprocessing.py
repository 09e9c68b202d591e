"""`torch.multiprocessing.spawn`: processes of a program, and what one that fails says."""

import subprocess
import sys

PROGRAM = """
import torch.multiprocessing as mp

def work(rank, bad):
    if rank == bad:
        raise ValueError(f"no batch for {rank}")
    print("done", rank)

if __name__ == "__main__":
    mp.spawn(work, args=(-1,), nprocs=2)
    try:
        mp.spawn(work, args=(1,), nprocs=2)
    except mp.ProcessRaisedException as error:
        print(error.error_index, "ValueError: no batch for 1" in str(error))
"""


def test_spawn_runs_processes_and_raises_what_one_raised(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    command = [sys.executable, "-m", "msjax", "run", "--as", "torch", str(path)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    lines = result.stdout.splitlines()
    assert {"done 0", "done 1"} <= set(lines), result.stderr
    assert lines[-1] == "1 True"
