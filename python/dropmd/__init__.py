"""Molecular dynamics of droplets and clusters in open space.

>>> import dropmd
>>> argon = dropmd.Simulation(
...     {"units": "lj", "lennard-jones": {"epsilon": 1.0, "sigma": 1.0}, "integrator": {"timestep": 0.004}},
...     positions=[[0, 0, 0], [1.2, 0, 0]])
>>> converged = argon.step(10)
>>> argon.n_atoms, argon.step_number
(2, 10)
"""

from ._dropmd import DeviceError, Error, InputError, OutputError, PhysicsError, UsageError
from ._dropmd import version as __version__
from .clusters import Clusters, Droplet, DropletEvent
from .frames import Frame, Frames, read
from .openmm import from_openmm
from .simulation import Change, GpuArray, Simulation

__all__ = [
    "Change", "Clusters", "DeviceError", "Droplet", "DropletEvent", "Error", "Frame", "Frames", "GpuArray", "InputError",
    "OutputError", "PhysicsError", "Simulation", "UsageError", "from_openmm", "read",
    "__version__"
]
