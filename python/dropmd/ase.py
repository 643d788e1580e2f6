"""dropmd as a calculator of ASE, and simulations of ASE's Atoms."""

import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np
from ase import Atoms, units
from ase.calculators.calculator import Calculator, all_changes
from ase.data import atomic_numbers

from ._dropmd import names_topology
from .file_path import Path, file_path
from .simulation import Simulation
from .toml_text import settings_list

#: Energies of units "real" in eV.
KCAL_PER_MOL = units.kcal / units.mol
#: Velocities of units "real", A/fs, in those of ASE.
A_PER_FS = 1 / units.fs


def simulation_of(run: Union[Path, Mapping[str, Any]], atoms: Atoms, **options: Any) -> Simulation:
    """Returns a simulation, in units "real", of these atoms: positions, masses, initial charges, velocities and, as
    species, symbols. Beside a topology, which has all the rest, only positions and velocities are used, and the symbols
    must be the elements of its atoms. options: as for Simulation. Raises ValueError for a periodic cell and for
    constraints of ASE, which dropmd does not support. The run file decides whether the atoms are recentred."""
    if not isinstance(atoms, Atoms):
        raise TypeError(f"atoms are {type(atoms).__name__} (expected: Atoms of ASE, after the run file)")
    if atoms.constraints:
        raise ValueError("a simulation does not support constraints of ASE (del atoms.constraints, or use ASE's own "
                         "dynamics with DropmdCalculator, which keeps them)")
    return _simulation_of(run, atoms, options)


def _simulation_of(run: Union[Path, Mapping[str, Any]], atoms: Atoms, options: Mapping[str, Any]) -> Simulation:
    if np.any(atoms.pbc):
        raise ValueError("dropmd does not support periodic boundaries (set atoms.pbc = False)")
    given: dict[str, Any] = {"positions": atoms.positions, **options}
    momenta = atoms.get_momenta()
    if np.any(momenta):
        masses = atoms.get_masses()[:, None]
        given["velocities"] = np.divide(momenta, masses, out=np.zeros_like(momenta), where=masses > 0) / A_PER_FS
    topology = _has_topology(run, options.get("settings"))
    if not topology:
        given.update(masses=atoms.get_masses(), charges=atoms.get_initial_charges(), species=atoms.get_chemical_symbols())
    simulation = Simulation(run, **given)
    if topology:
        _require_elements(atoms, simulation)
    if simulation.units != "real":
        raise ValueError('the run file has reduced units, but Atoms have A, eV and u (set units = "real")')
    return simulation


def _require_elements(atoms: Atoms, simulation: Simulation) -> None:
    """Species of a topology's atoms are elements where they have one; virtual sites have no mass."""
    symbols = atoms.get_chemical_symbols()
    for k, (symbol, species, mass) in enumerate(zip(symbols, simulation.species, simulation.masses)):
        if mass > 0 and symbol != species and species in atomic_numbers:
            raise ValueError(f"atom {k} is {symbol}, but the topology has {species} there (both must have the same "
                             "molecules in the same order)")


class DropmdCalculator(Calculator):
    """Energies (eV) and forces (eV/A) of a run file's force terms, in units "real". ASE's constraints are left to ASE.

    run: the path of a run file, or its contents as a dictionary, as for Simulation; settings: keys that replace its own.
    Forces on rigid molecules and virtual sites are those before constraints act, and positions are first moved to
    satisfy the constraints: such molecules need simulation_of, not ASE's optimisers and integrators. A warning says
    when atoms were moved by more than 0.01 A.
    """

    implemented_properties = ["energy", "free_energy", "forces"]
    #: A. Structure files round positions by less.
    _most_moved = 0.01

    def __init__(self, run: Union[Path, Mapping[str, Any]], *, settings: Optional[Mapping[str, Any]] = None,
                 **options: Any) -> None:
        if unknown := set(options) - {"restart", "label", "atoms", "directory"}:
            raise TypeError(f"{unknown.pop()!r} is not an option of DropmdCalculator (expected: settings, or label, "
                            "atoms or directory of ASE)")
        if not isinstance(run, (str, os.PathLike, Mapping)):
            raise TypeError(f"run is {run!r} (expected: the path of a run file, or a dictionary)")
        super().__init__(**options)
        self._run = run
        self._has_warned = False
        self._settings = settings
        self._simulation: Optional[Simulation] = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_simulation": None}  # a copy makes its own

    def calculate(self, atoms: Optional[Atoms] = None, properties: Sequence[str] = ("energy",),
                  system_changes: Sequence[str] = tuple(all_changes)) -> None:
        """Called by ASE."""
        super().calculate(atoms, properties, system_changes)
        same_atoms = set(system_changes) <= {"positions"}
        if self._simulation is not None and same_atoms:
            self._simulation.positions = self.atoms.positions
        else:
            self._simulation = None  # frees its memory first
            settings = {**(self._settings or {}), "run.recenter": "none"}  # ASE decides where the atoms are
            self._simulation = _simulation_of(self._run, self.atoms, {"settings": settings})
        self._warn_of_moved_atoms(self._simulation)
        energy = self._simulation.energies["potential"] * KCAL_PER_MOL
        self.results = {"energy": energy, "free_energy": energy, "forces": self._simulation.forces * KCAL_PER_MOL}


    def _warn_of_moved_atoms(self, simulation: Simulation) -> None:
        with_mass = simulation.masses > 0
        moved = np.abs(simulation.positions - self.atoms.positions)[with_mass]
        if self._has_warned or moved.size == 0 or moved.max() < self._most_moved:
            return
        self._has_warned = True
        warnings.warn(f"constraints of the topology move atoms by up to {moved.max():.2g} A, so energy and forces are "
                      "those of other positions than ASE's (rigid molecules need dropmd.ase.simulation_of, not ASE's "
                      "optimisers and integrators)", stacklevel=3)


def _has_topology(run: Union[Path, Mapping[str, Any]], settings: Optional[Mapping[str, Any]]) -> bool:
    if settings and "system.topology" in settings:
        return True
    if isinstance(run, Mapping):
        return "topology" in run.get("system", {})
    return names_topology(file_path(run), settings_list(settings or {}))
