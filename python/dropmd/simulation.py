"""The class Simulation."""

import operator
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from ._dropmd import DeviceError, Error, InputError, OutputError, Session
from .clusters import Clusters, Droplet, DropletEvent
from .file_path import Path, file_path
from .replacement import Places, replacement
from .toml_text import run_file_text, settings_list

Array = npt.NDArray[np.float64]
Ids = npt.NDArray[np.uint32]


class GpuArray:
    """An array in the memory of a GPU, without a copy, for CuPy (cupy.asarray), PyTorch (torch.as_tensor), Numba and
    others that know __cuda_array_interface__ or DLPack. It must not be written to. The simulation's steps work in this
    memory; once the simulation goes on elsewhere, as after remove(), the array keeps what was there."""

    def __init__(self, memory: Any, address: int, shape: tuple[int, ...], dtype: npt.DTypeLike) -> None:
        self._memory = memory
        self.shape = shape
        self.dtype = np.dtype(dtype)
        self.address = address  #: of the first element on the device
        self.__cuda_array_interface__ = {
            "shape": shape, "typestr": self.dtype.str, "data": (address, False), "strides": None, "stream": None, "version": 3}

    def __dlpack__(self, **options: Any) -> Any:
        return self._memory.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._memory.__dlpack_device__()


@dataclass(frozen=True)
class Change:
    """What remove(), add(), add_molecules() or replace() has changed."""

    step: int  #: number of the step
    ids: Ids  #: of the atoms that were removed or added; of those that replaced molecules have now
    mass: float  #: of the atoms that were removed or added; what replaced molecules have gained
    charge: float  #: likewise
    energy: float  #: total energy after the change less that before it


class Simulation:
    """A droplet that is simulated in memory, with the steps of `dropmd run`, bit for bit. No file is written unless
    save() is called, or `checkpoint` is given and Ctrl-C interrupts a step().

    Units are those of the run: length, time, energy, mass, charge and temperature are A, fs, kcal/mol, g/mol, e and K
    in units "real", and reduced ones in units "lj". Arrays are in the order of the atoms, which never changes; added
    atoms follow. They are read-only copies of one moment, which stay as they are when the simulation goes on or ends.
    Until the next change, reading one again costs nothing.

    Methods may be called from several threads, which wait for each other, and release the interpreter's lock
    meanwhile. Errors are `dropmd.Error` and its subclasses with the messages of the program; impossible values raise
    ValueError.
    """

    def __init__(self, run: Union[Path, Mapping[str, Any]], *, settings: Optional[Mapping[str, Any]] = None,
                 positions: Optional[npt.ArrayLike] = None, velocities: Optional[npt.ArrayLike] = None,
                 masses: Optional[npt.ArrayLike] = None, charges: Optional[npt.ArrayLike] = None,
                 species: Optional[Sequence[str]] = None, checkpoint: Optional[Path] = None) -> None:
        """Prepares a simulation at step 0.

        run: the path of a run file, or its contents as a dictionary: {"units": "real", "coulomb": {"form": "exact"}}.
        settings: keys that replace those of the run file: {"integrator.timestep": 1.0}.
        positions: [n_atoms][3], length: atoms in memory instead of the structure that the run file names, if any;
            with them velocities [n_atoms][3] (length/time), masses, charges and the names of species, [n_atoms]. What is
            left out comes from the run file, as for a structure file without these columns.
        checkpoint: where to save the simulation when Ctrl-C interrupts a step().

        The output and the number of steps in the run file are not used. With [droplet], clusters are labelled at each
        step that its `every` divides. From them follow take_events() and what `remove-beyond`, `recenter` and
        `applies-to` ask for: the latter when steps go on from there, so at a last step clusters to be removed are still
        present.
        """
        self._start(session_of(run, settings, positions, velocities, masses, charges, species), checkpoint)

    @classmethod
    def load(cls, path: Path, *, settings: Optional[Mapping[str, Any]] = None,
             checkpoint: Optional[Path] = None) -> "Simulation":
        """Continues from a checkpoint of save() or of `dropmd run`, or from the folder of such a run, bit for bit.
        settings: keys other than those of the physics, such as {"engine.threads": 1}."""
        simulation = cls.__new__(cls)
        simulation._start(Session.of_checkpoint(file_path(path), settings_list(settings or {})), checkpoint)
        return simulation

    __slots__ = ("__weakref__", "_cache", "_session", "checkpoint")  # so that a misspelt attribute is an error

    def _start(self, session: Session, checkpoint: Optional[Path]) -> None:
        if checkpoint is not None:
            _require_place(checkpoint)
        self._session = session
        self._cache: dict[str, Any] = {}  # of the present step; replaced, not emptied, since threads may still fill it
        self.checkpoint = checkpoint  #: where to save the simulation when Ctrl-C interrupts a step(); None: nowhere
        for text in session.warnings():
            warnings.warn(text, stacklevel=3)

    def step(self, n: int = 1, callback: Optional[Callable[["Simulation"], Any]] = None, every: int = 1) -> bool:
        """Performs n steps. Returns whether a minimiser has reached its minimum, where it stops; False for other
        integrators.

        callback: is called with the simulation at each step number that `every` divides, after the present one; the run
        ends early if it returns a true value.
        On Ctrl-C, KeyboardInterrupt is raised at a complete step, from which the simulation can go on.
        """
        n = _whole(n, "n")
        if not 0 <= n < 2**63:
            raise ValueError(f"n is {n} (expected: a number of steps from 0 to 2**63 - 1)")
        if every < 1 or every != int(every):
            raise ValueError(f"every is {every} (expected: a whole number of steps, at least 1)")
        try:
            return self._session.step(n) if callback is None else self._step_with(n, callback, int(every))
        except KeyboardInterrupt:
            if self.checkpoint is not None:
                try:
                    self.save(self.checkpoint)
                except Error as reason:
                    warnings.warn(f"the interrupted simulation was not saved: {reason}", stacklevel=2)
            raise
        finally:
            self._cache = {}

    def _step_with(self, n: int, callback: Callable[["Simulation"], Any], every: int) -> bool:
        last = self.step_number + n
        while True:
            now = self.step_number
            converged = self._session.step(min(last, (now // every + 1) * every) - now)
            self._cache = {}
            if self.step_number > now and self.step_number % every == 0 and callback(self):
                return converged
            if converged or self.step_number >= last:
                return converged

    def save(self, path: Path) -> None:
        """Writes a checkpoint, completely or not at all, from which load() and `dropmd run --resume` continue. An
        existing file becomes NAME-previous.h5 beside it."""
        self._session.save(file_path(path, OutputError))

    def _cached(self, name: str) -> Any:
        cache = self._cache
        if name not in cache:
            cache[name] = getattr(self._session, name)()
        return cache[name]

    def _change(self, change: Callable[..., Any], *values: Any) -> Any:
        try:
            return change(*values)
        finally:
            self._cache = {}

    @property
    def step_number(self) -> int:
        """Number of the present step; 0 at the start."""
        return self._session.step_number()

    @property
    def time(self) -> float:
        """Time of the present step; 0 for a minimiser."""
        return self._session.time()

    @property
    def n_atoms(self) -> int:
        """Present number of atoms, virtual sites included."""
        return self._session.n_atoms()

    @property
    def units(self) -> str:
        """"real" or "lj"."""
        return self._session.units()

    @property
    def run_file(self) -> str:
        """The run file with every default written out."""
        return self._session.run_file()

    @property
    def positions(self) -> Array:
        """[n_atoms][3], length. Values that are set are moved to satisfy constraints, and virtual sites are placed;
        atoms that overlap raise PhysicsError, and the simulation is then as it was. The energy gained is not booked."""
        return self._cached("positions")

    @positions.setter
    def positions(self, values: npt.ArrayLike) -> None:
        self._change(self._session.set_positions, _finite(_vectors(values, "positions"), "positions"))

    @property
    def velocities(self) -> Array:
        """[n_atoms][3], length/time. Of velocities that are set, the components along constraints are removed. The
        energy gained is not booked."""
        return self._cached("velocities")

    @velocities.setter
    def velocities(self, values: npt.ArrayLike) -> None:
        self._change(self._session.set_velocities, _finite(_vectors(values, "velocities"), "velocities"))

    @property
    def forces(self) -> Array:
        """[n_atoms][3], energy/length."""
        return self._cached("forces")

    @property
    def positions_gpu(self) -> GpuArray:
        """[n_atoms][3], length, without a copy, where the GPU has them: in the order of order_gpu. Raises DeviceError on
        a CPU."""
        return self._gpu_arrays()[0]

    @property
    def velocities_gpu(self) -> GpuArray:
        """[n_atoms][3], length/time; see positions_gpu."""
        return self._gpu_arrays()[1]

    @property
    def order_gpu(self) -> GpuArray:
        """[n_atoms], uint32: which atom of positions each row of positions_gpu is. Steps change it."""
        return self._gpu_arrays()[2]

    def _gpu_arrays(self) -> tuple[GpuArray, GpuArray, GpuArray]:
        arrays: Any = self._session.arrays_on_device()
        if arrays is None:
            raise DeviceError("this simulation runs on a CPU, so no GPU has its arrays (use positions, a copy)")
        n, (x, at_x), (v, at_v), (order, at_order) = arrays
        return (GpuArray(x, at_x, (n, 3), np.float64), GpuArray(v, at_v, (n, 3), np.float64),
                GpuArray(order, at_order, (n,), np.uint32))

    @property
    def masses(self) -> Array:
        """[n_atoms]; 0 for virtual sites."""
        return self._cached("masses")

    @property
    def charges(self) -> Array:
        """[n_atoms]."""
        return self._cached("charges")

    @property
    def ids(self) -> Ids:
        """[n_atoms]: 1 to n_atoms at the start. An atom keeps its id, which no other atom ever gets."""
        return self._cached("ids")

    @property
    def molecule_ids(self) -> Ids:
        """[n_atoms]: the id of each atom's molecule, which is the id of that molecule's first atom."""
        return self._cached("molecules")[0]

    @property
    def molecules(self) -> dict[int, str]:
        """The names of the molecules by their ids, in the order of the atoms. Atoms without a topology are molecules
        that have the names of their species."""
        return dict(self._cached("molecules")[1])

    @property
    def atom_names(self) -> list[str]:
        """[n_atoms]: the atoms' names within their molecules, such as "HW1"; without a topology, those of their
        species."""
        return list(self._cached("atom_names"))

    @property
    def species(self) -> list[str]:
        """[n_atoms]: the names of the atoms' species."""
        return list(self._cached("species"))

    @property
    def energies(self) -> dict[str, float]:
        """Energies by term, and "potential", "kinetic" and "total"."""
        return dict(self._cached("energies"))

    @property
    def ledger(self) -> dict[str, float]:
        """Energy that came in from outside since step 0, by cause, such as "bath" or "removed"; causes that the
        simulation does not have are missing."""
        return dict(self._cached("ledger"))

    @property
    def conserved(self) -> float:
        """Total energy less all that came in from outside. Only the integrator's error changes it, and positions and
        velocities that are set."""
        return self._cached("conserved")

    @property
    def temperature(self) -> float:
        """Kinetic temperature."""
        return self._cached("temperature")

    def clusters(self, link_distance: Optional[float] = None) -> Clusters:
        """The clusters of molecules at the present positions, and the droplet. link_distance: of molecules that belong
        together; by default that of [droplet], else 3.5 A, or 1.5 in units "lj"."""
        link = None if link_distance is None else float(link_distance)
        distance, droplet, *numbers = self._session.clusters(link)
        return Clusters(distance, Droplet(**droplet), *numbers)

    def take_events(self) -> list[DropletEvent]:
        """What happened to the droplet since the last call, as in events.csv: which molecules left it, joined it or
        were removed beyond `remove-beyond`. Without [droplet] in the run file there are no events."""
        return [DropletEvent(**event) for event in self._session.take_events()]

    def remove(self, ids: npt.ArrayLike) -> Change:
        """Removes the atoms with these ids, molecules as a whole. The others keep ids and order; steps, time and random
        numbers go on. An id that no atom has raises ValueError, and the simulation is then as it was."""
        return Change(**self._change(self._session.remove, _ids(ids)))

    def add(self, positions: npt.ArrayLike, *, masses: npt.ArrayLike, species: Union[str, Sequence[str]],
            velocities: Optional[npt.ArrayLike] = None, charges: npt.ArrayLike = 0.0) -> Change:
        """Adds atoms, [n][3], of species that the simulation has; they get the next unused ids. A single mass, charge
        or species applies to all of them. Without velocities they are at rest. Atoms within others raise PhysicsError,
        and a simulation with a topology, which needs add_molecules(), ValueError; the simulation is then as it was."""
        x = _vectors(positions, "positions")
        n = len(x)
        mass, charge = (np.ascontiguousarray(np.broadcast_to(np.asarray(v, float), n)) for v in (masses, charges))
        names = [species] * n if isinstance(species, str) else _names(species)
        v = None if velocities is None else _vectors(velocities, "velocities")
        return Change(**self._change(self._session.add, x, v, mass, charge, names))

    def add_molecules(self, kind: str, positions: npt.ArrayLike, velocities: Optional[npt.ArrayLike] = None) -> Change:
        """Adds a molecule of the topology, such as "SOL", or several; their atoms follow all others and get the next
        unused ids.

        positions, velocities: [n_atoms][3] of one molecule, or [n_molecules][n_atoms][3], in the order of the kind's
            atoms. Without velocities they are at rest. What is given for virtual sites is not used.
        Constraints are then satisfied and virtual sites placed. Atoms within others, or constraints too far from being
        satisfied, raise PhysicsError, and impossible values ValueError; the simulation is then as it was.
        """
        if not isinstance(kind, str):
            raise TypeError(f"kind is {kind!r} (expected: the name of one kind of molecules; call add_molecules once "
                            "for each)")
        x = _of_molecules(positions, "positions")
        v = None if velocities is None else _of_molecules(velocities, "velocities")
        if v is not None and len(v) != len(x):
            raise ValueError(f"velocities of {len(v)} molecules for positions of {len(x)}")
        rows = [None if a is None else a.reshape(-1, 3) for a in (x, v)]
        return Change(**self._change(self._session.add_molecules, kind, len(x), *rows))

    def replace(self, molecules: Union[int, Sequence[int]], kinds: Union[str, Sequence[str]], *,
                ids: Optional[Sequence[Any]] = None,
                positions: Union[None, Places, Sequence[Optional[Places]]] = None,
                velocities: Union[None, Places, Sequence[Optional[Places]]] = None) -> Change:
        """Turns a molecule into one of another kind, at the same place in the order of atoms: replace(7, "SOL"). For
        several at once, every argument is a sequence with one element for each molecule.

        molecules: its id (molecule_ids). kinds: the name of a molecule of the topology.
        ids: of the atoms that it then has, in the order of its kind: of atoms of the molecules that are replaced
            together, or 0 for an atom that gets an id that no atom has had. Without it, atoms whose names both kinds
            have are kept.
        positions, velocities: {"HW3": [x, y, z]} for atoms that are placed anew; atoms with new ids must be. A new atom
            without a velocity has that of the molecule's first atom.
        Atoms that are kept stay where they are, except that constraints are satisfied; virtual sites are placed. Atoms
        within others raise PhysicsError, and impossible values ValueError; the simulation is then as it was. The gain
        in total energy is booked in the ledger as "added".
        """
        return Change(**self._change(self._session.replace, *replacement(molecules, kinds, ids, positions, velocities)))

    def __repr__(self) -> str:
        try:
            return f"<dropmd.Simulation: {self.n_atoms} atoms, units {self.units}, step {self.step_number}>"
        except (AttributeError, RuntimeError):
            return "<dropmd.Simulation: not complete>"


def session_of(run: Union[Path, Mapping[str, Any]], settings: Optional[Mapping[str, Any]] = None,
               positions: Optional[npt.ArrayLike] = None, velocities: Optional[npt.ArrayLike] = None,
               masses: Optional[npt.ArrayLike] = None, charges: Optional[npt.ArrayLike] = None,
               species: Optional[Sequence[str]] = None, topology_name: Optional[str] = None) -> Session:
    """Returns the session of a simulation with these arguments. topology_name: what the run file calls a topology whose
    file is not kept."""
    if not isinstance(run, (str, os.PathLike, Mapping)):
        raise TypeError(f"run is {run!r} (expected: the path of a run file, or a dictionary)")
    if positions is None and any(x is not None for x in (velocities, masses, charges, species)):
        raise ValueError("velocities, masses, charges and species belong to positions, which are not given")
    arguments = (settings_list(settings or {}), None if positions is None else _vectors(positions, "positions"),
                 None if velocities is None else _vectors(velocities, "velocities"),
                 None if masses is None else _numbers(masses, "masses"),
                 None if charges is None else _numbers(charges, "charges"),
                 None if species is None else _names(species), topology_name)
    if isinstance(run, Mapping):
        return Session.of_text(run_file_text(run), *arguments)
    path = file_path(run)
    if os.path.splitext(path)[1] in _STRUCTURES:
        raise InputError(f"{path}: a structure is not a run file (python -m dropmd generate run {path} -o run.toml "
                         "writes one for it)")
    return Session.of_file(path, *arguments)


#: Endings of structures, which a user may take for the file of a run.
_STRUCTURES = {".xyz", ".extxyz", ".gro", ".pdb", ".ent", ".cif", ".mmcif", ".drop"}


def _whole(value: Any, name: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r} (expected: a whole number, such as {name} = 10)") from None


def _require_place(checkpoint: Path) -> None:
    path = file_path(checkpoint, OutputError)
    if os.path.isdir(path):
        raise OutputError(f"checkpoint: {path} is a folder (give the name of a file)")
    if not os.path.isdir(os.path.dirname(path) or "."):
        raise OutputError(f"checkpoint: the folder of {path} does not exist")


def _finite(array: Array, name: str) -> Array:
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite")
    return array


def _names(values: Sequence[str]) -> list[str]:
    if isinstance(values, str):
        raise TypeError(f"species are {values!r} (expected: a name for each atom)")
    names = list(values)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"a species is {name!r} (expected: a name)")
        if not name or any(c.isspace() or not c.isprintable() for c in name):
            raise ValueError(f"a species is {name!r} (expected: a name without white space, which files can hold)")
    return [str(name) for name in names]


def _vectors(values: npt.ArrayLike, name: str) -> Array:
    if values is None:
        raise TypeError(f"{name} are None (expected: an array, [n_atoms][3])")
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(f"{name} have the shape {array.shape} (expected: (n_atoms, 3))")
    return array


def _of_molecules(values: npt.ArrayLike, name: str) -> Array:
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.ndim not in (2, 3) or array.shape[-1] != 3:
        raise ValueError(f"{name} have the shape {array.shape} (expected: (n_atoms, 3) or (n_molecules, n_atoms, 3))")
    return array if array.ndim == 3 else array[np.newaxis]


def _numbers(values: npt.ArrayLike, name: str) -> Array:
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise ValueError(f"{name} have the shape {array.shape} (expected: (n_atoms,))")
    return array


def _ids(values: npt.ArrayLike) -> Ids:
    array = np.atleast_1d(np.asarray(values)).ravel()
    if array.size > 0 and not np.issubdtype(array.dtype, np.integer):
        raise TypeError("ids are whole numbers (those of a mask are sim.ids[mask])")
    if np.any(array < 0) or np.any(array > np.iinfo(np.uint32).max):
        raise ValueError("an id is at least 1 and at most 4294967295")
    return np.ascontiguousarray(array, dtype=np.uint32)
