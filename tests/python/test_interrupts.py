"""Ctrl-C during a step."""

import os
import signal
import threading

import dropmd
import pytest
from conftest import ARGON, lattice


def interrupt_after(seconds: float) -> None:
    threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT)).start()


def test_ctrl_c_leaves_a_checkpoint_and_a_simulation_that_goes_on(tmp_path):
    path = tmp_path / "interrupted.h5"
    cluster = dropmd.Simulation(ARGON, positions=lattice(5), checkpoint=path)
    interrupt_after(0.5)
    with pytest.raises(KeyboardInterrupt):
        cluster.step(10**9)
    stopped_at = cluster.step_number
    assert 0 < stopped_at < 10**9
    other = dropmd.Simulation.load(path)
    assert other.step_number == stopped_at
    cluster.step(10)
    other.step(10)
    assert other.positions.tobytes() == cluster.positions.tobytes()


def test_other_threads_run_meanwhile():
    cluster = dropmd.Simulation(ARGON, positions=lattice(5))
    ticks = []
    timer = threading.Timer(0.05, lambda: ticks.append(cluster))
    timer.start()
    interrupt_after(0.6)
    with pytest.raises(KeyboardInterrupt):
        cluster.step(10**9)
    assert ticks, "the lock of the interpreter was released"
