#!/usr/bin/env python3
"""Time single steps from Python beside steps of one long call, with the package dropmd installed.

    python3 bench/python_steps.py                      # three samples on the processor that dropmd chooses
    python3 bench/python_steps.py --backend cpu

Each line has the best of three repeats in us per step: a call of many steps, step(1), step(1) with positions_gpu (on a
GPU), step(1) with positions.
"""

import argparse
import time
from pathlib import Path

import dropmd

SAMPLES = Path(__file__).resolve().parents[1] / "inputs" / "samples"


def best_us(steps_per_call, calls, call):
    """Best of three repeats, us per step."""
    times = []
    for _ in range(3):
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        times.append((time.perf_counter() - begin) / (calls * steps_per_call))
    return 1e6 * min(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", default="auto", choices=["auto", "cpu", "cuda"])
    parser.add_argument("--calls", type=int, default=2000, help="calls of step(1) in a repeat")
    options = parser.parse_args()
    for sample in ("water-na", "droplet-4139", "hydronium"):
        sim = dropmd.Simulation(SAMPLES / f"{sample}.toml",
                                settings={"engine.backend": options.backend, "run.recenter": "none"})
        sim.step(options.calls)
        columns = [("many", best_us(10 * options.calls, 1, lambda: sim.step(10 * options.calls))),
                   ("step(1)", best_us(1, options.calls, lambda: sim.step(1)))]
        try:
            sim.positions_gpu  # noqa: B018
            columns.append(("positions_gpu", best_us(1, options.calls, lambda: (sim.step(1), sim.positions_gpu))))
        except dropmd.DeviceError:
            pass
        columns.append(("positions", best_us(1, options.calls, lambda: (sim.step(1), sim.positions))))
        print(f"{sample}, {sim.n_atoms} atoms: " + ", ".join(f"{name} {us:.1f}" for name, us in columns), flush=True)


if __name__ == "__main__":
    main()
