"""Simulations of Systems of OpenMM, which come from AMBER, CHARMM, OpenFF and other force fields."""

import tempfile
from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any, Optional

import numpy as np

from ._dropmd import OutputError
from .file_path import Path, file_path
from .simulation import Simulation, session_of


#: What a run file calls a System that is in no file.
NO_FILE = "/no-file/system-of-openmm.xml"


def from_openmm(system: Any, positions: Any, velocities: Any = None, *, run: Optional[Mapping[str, Any]] = None,
                topology: Optional[Path] = None, checkpoint: Optional[Path] = None, **options: Any) -> Simulation:
    """Returns a simulation of an openmm.System, whose forces are those that docs/molecules.md lists.

    positions, velocities: [n_atoms][3], as Quantities of OpenMM, or in nm and nm/ps; without velocities the atoms are at
    rest, or, with a temperature in [system], have those of that temperature.
    run: further keys of a run file, as a dictionary, such as {"integrator": {"form": "langevin", ...}}.
    topology: where to write the System (.xml); the simulation's run_file names this file. An existing file is replaced.
        Without it the System is in no file, and run_file alone does not describe the run; a checkpoint does.
    checkpoint, options: as for Simulation. Raises InputError for parts of a System that dropmd does not support.
    """
    import openmm  # type: ignore[import-untyped,import-not-found]

    sections = {**(run or {})}
    if sections.setdefault("units", "real") != "real":
        raise ValueError('a System of OpenMM has A, kcal/mol and g/mol (set units = "real")')
    options["positions"] = 10 * _in_units(positions, openmm.unit.nanometer)
    if velocities is not None:
        options["velocities"] = 0.01 * _in_units(velocities, openmm.unit.nanometer / openmm.unit.picosecond)
    with tempfile.TemporaryDirectory() as folder:
        file = FilePath(folder) / "system.xml" if topology is None else FilePath(file_path(topology, OutputError))
        file.write_text(openmm.XmlSerializer.serialize(system))
        sections["system"] = {**sections.get("system", {}), "topology": str(file)}
        session = session_of(sections, topology_name=NO_FILE if topology is None else None, **options)
    simulation = Simulation.__new__(Simulation)
    simulation._start(session, checkpoint)
    return simulation


def _in_units(values: Any, unit: Any) -> np.ndarray:
    if hasattr(values, "value_in_unit"):
        values = values.value_in_unit(unit)
    rows = [v.value_in_unit(unit) if hasattr(v, "value_in_unit") else v for v in values]
    return np.array([[float(c) for c in row] for row in rows], dtype=float)
