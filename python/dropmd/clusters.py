"""What a simulation reports about its clusters and its droplet."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Droplet:
    """The largest cluster, with the names of `dropmd clusters --json`."""

    molecules: int
    atoms: int
    charge: float
    mass: float
    centre: Array  #: [3], centre of mass
    radius: float  #: equimolar
    radius_of_gyration: float
    gyration: Array  #: [3], principal values of the gyration tensor by mass, descending, length²


@dataclass(frozen=True, eq=False)
class Clusters:
    """The clusters of molecules at one step, numbered from 1 by size: 1 is the droplet."""

    link_distance: float  #: molecules with sites nearer than this link
    droplet: Droplet
    sizes: npt.NDArray[np.uint32] = field(repr=False)  #: [n_clusters] number of molecules, descending
    labels: npt.NDArray[np.uint32] = field(repr=False)  #: [n_atoms] the number of each atom's cluster
    of_molecule: dict[int, int] = field(repr=False)  #: the number of each molecule's cluster, by the molecule's id

    @property
    def n_clusters(self) -> int:
        return len(self.sizes)


@dataclass(frozen=True, eq=False)
class DropletEvent:
    """Molecules that left the droplet or the simulation together, or one that joined the droplet: a row of events.csv."""

    step: int
    time: float
    event: str  #: "evaporated", "condensed", "ejected" (with an ion) or "removed"
    molecule: int  #: id: of the ion of the largest charge, else the smallest
    name: str  #: of that molecule
    charge: float  #: of all of them
    centre: Array  #: [3], centre of mass of all of them
    velocity: Array  #: [3], of that centre
    kinetic: float  #: kinetic energy of all their atoms
    cluster_molecules: int  #: their number
