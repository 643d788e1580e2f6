"""Signals during a step."""

import os
import signal
import subprocess
import sys
import threading
import time

import dropmd
import pytest
from conftest import ARGON, lattice

MANY = 10**9


def interrupt_after(seconds: float, number: int = signal.SIGINT) -> None:
    threading.Timer(seconds, lambda: os.kill(os.getpid(), number)).start()


def test_ctrl_c_leaves_a_checkpoint_and_a_simulation_that_goes_on(tmp_path):
    path = tmp_path / "interrupted.h5"
    cluster = dropmd.Simulation(ARGON, positions=lattice(5), checkpoint=path)
    with pytest.raises(KeyboardInterrupt):
        interrupt_after(0.5)
        cluster.step(MANY)
    stopped_at = cluster.step_number
    assert 0 < stopped_at < MANY
    other = dropmd.Simulation.load(path)
    assert other.step_number == stopped_at
    cluster.step(10)
    other.step(10)
    assert other.positions.tobytes() == cluster.positions.tobytes()


def test_ctrl_c_in_a_callback_leaves_one_too(tmp_path):
    path = tmp_path / "interrupted.h5"
    cluster = dropmd.Simulation(ARGON, positions=lattice(2), checkpoint=path)
    with pytest.raises(KeyboardInterrupt):
        interrupt_after(0.3)
        cluster.step(MANY, callback=lambda _: time.sleep(0.05))
    assert dropmd.Simulation.load(path).step_number == cluster.step_number
    cluster.checkpoint = tmp_path / "no folder" / "interrupted.h5"
    with pytest.raises(KeyboardInterrupt), pytest.warns(UserWarning, match="not saved"):
        interrupt_after(0.3)
        cluster.step(MANY)


def test_a_handler_may_use_the_simulation(tmp_path):
    """For example, a handler of a batch system's signal that saves the simulation."""
    cluster = dropmd.Simulation(ARGON, positions=lattice(5))
    seen = []

    def handler(*_):
        cluster.save(tmp_path / "term.h5")
        seen.append(cluster.step_number)
        raise InterruptedError

    before = signal.signal(signal.SIGUSR1, handler)
    try:
        with pytest.raises(InterruptedError):
            interrupt_after(0.3, signal.SIGUSR1)
            cluster.step(MANY)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert seen == [cluster.step_number] == [dropmd.Simulation.load(tmp_path / "term.h5").step_number]


def test_other_threads_run_meanwhile():
    cluster = dropmd.Simulation(ARGON, positions=lattice(5))
    ticks = []

    def tick():
        while len(ticks) < 20:
            ticks.append(cluster)
            time.sleep(0.01)

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.monotonic()
    while len(ticks) < 20 and time.monotonic() - begin < 60:
        cluster.step(2_000)
    thread.join()
    assert len(ticks) == 20


@pytest.mark.parametrize("work", ["sim.step(10**9)", "[(sim.step(1), sim.positions) for _ in range(10**9)]"])
def test_a_daemon_thread_does_not_survive_the_program(work):
    program = f"""
import threading, time, dropmd
sim = dropmd.Simulation({{"units": "lj", "lennard-jones": {{"epsilon": 1.0, "sigma": 1.0}},
    "engine": {{"backend": "cpu", "threads": 1}}}}, positions=[[1.12 * i, 0, 0] for i in range(50)])
threading.Thread(target=lambda: {work}, daemon=True).start()
time.sleep(0.4)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
