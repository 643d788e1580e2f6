"""Simulations that several tests use."""

import signal
import sys
from pathlib import Path

import dropmd
import numpy as np
import pytest

# A shell starts background jobs with SIGINT ignored, which their children inherit; tests of Ctrl-C would then never
# end.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

SAMPLES = Path(__file__).resolve().parents[2] / "inputs" / "samples"

CPU = {"engine": {"backend": "cpu", "threads": 1}}
ARGON = {"units": "lj", "lennard-jones": {"epsilon": 1.0, "sigma": 1.0}, "integrator": {"timestep": 0.002}, **CPU}


def lattice(n: int) -> np.ndarray:
    """[n³][3]: places 1.12 σ apart."""
    return 1.12 * np.stack(np.meshgrid(*[np.arange(n)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)


@pytest.fixture
def argon() -> dropmd.Simulation:
    """27 atoms with random velocities."""
    velocities = np.random.default_rng(3).normal(0, 0.3, (27, 3))
    return dropmd.Simulation(ARGON, positions=lattice(3), velocities=velocities)


@pytest.fixture
def water() -> dropmd.Simulation:
    """200 TIP4P/2005 waters with 3 H3O+."""
    return dropmd.Simulation(SAMPLES / "hydronium.toml", settings={"engine.backend": "cpu", "engine.threads": 1})


@pytest.fixture
def program():
    """Returns the command line of `python -m dropmd`."""
    return [sys.executable, "-m", "dropmd"]
