"""Reading trajectories and structures, frame by frame."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Optional

import numpy as np
import numpy.typing as npt

from ._dropmd import FrameReader, InputError
from .file_path import Path, file_path

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Frame:
    """One frame of a trajectory. Arrays are read-only. What the file does not say is None; names are then empty. Units
    are A, fs, g/mol and e where `units` is "real"."""

    step: Optional[int]  #: number of the step
    time: Optional[float]
    units: Optional[str]  #: "real", "lj", or None: the file, such as .drop, or .gsd of other programs, does not state them
    title: str
    positions: Array = field(repr=False)  #: [n_atoms][3]
    velocities: Optional[Array] = field(repr=False)  #: [n_atoms][3]
    masses: Optional[Array] = field(repr=False)  #: [n_atoms]
    charges: Optional[Array] = field(repr=False)  #: [n_atoms]
    ids: Optional[npt.NDArray[np.uint32]] = field(repr=False)  #: [n_atoms] of the atoms in the run, which they keep for good;
    # None where the file has none, or only 1 to n_atoms (.pdb, .cif): no atom has left yet
    species: list[str] = field(repr=False)  #: [n_atoms]; "X" where the file has no names
    atom_names: list[str] = field(repr=False)  #: [n_atoms] within the residue, or empty
    residue_names: list[str] = field(repr=False)  #: [n_atoms], or empty
    residue_numbers: Optional[npt.NDArray[np.int32]] = field(repr=False)  #: [n_atoms]

    @property
    def n_atoms(self) -> int:
        return len(self.positions)


class Frames(Iterator[Frame]):
    """The frames of a file, one after another; only one is in memory. The file is closed after the last frame, after an
    error, by close(), at the end of a `with` block, and when nothing refers to the object."""

    def __init__(self, path: Path, units: Optional[str]) -> None:
        self._reader: Optional[FrameReader] = FrameReader(file_path(path), units)
        self._path, self._units = file_path(path), units
        self._has_warned = self._is_closed = False

    def __iter__(self) -> "Frames":
        return self

    def __next__(self) -> Frame:
        reader = self._reader
        if self._is_closed:
            raise ValueError(f"{self._path} was closed")
        if reader is None:
            raise StopIteration
        try:
            read = reader.next()
        except BaseException:
            self._reader = None
            raise
        if read is None:
            self._reader = None
            raise StopIteration
        values, texts = read
        if self._units and values["units"] and values["units"] != self._units:
            self._reader = None
            raise InputError(f"{self._path} is in units {values['units']}, not {self._units} (leave units out)")
        if not self._has_warned:
            for text in texts:
                warnings.warn(text, stacklevel=2)
        self._has_warned = True
        return Frame(**values)

    def close(self) -> None:
        """Closes the file; asking for further frames then raises ValueError."""
        self._reader = None
        self._is_closed = True

    def __enter__(self) -> "Frames":
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()


def read(path: Path, *, units: Optional[str] = None) -> Frames:
    """Opens a trajectory (.xyz .gro .pdb .cif .dcd .xtc .gsd) or a .drop file, whose frames follow one after another as
    the iteration asks for them.

    units: "real" or "lj", for files that do not state them: .xtc, .pdb, and .dcd, .cif and .gsd of other programs. Times
        and lengths of all but .gsd are converted to real ones unless this is "lj". InputError if a file says others.
    A mistake in the file raises InputError when the iteration reaches it, after the frames before it. So does a last
    frame that is cut off, as in the file of a run that goes on.
    """
    return Frames(path, units)
