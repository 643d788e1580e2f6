"""The arguments of Simulation.replace() as the engine takes them."""

from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

Places = Mapping[str, npt.ArrayLike]  #: by the name of the atom within its molecule


def replacement(molecules: Any, kinds: Union[str, Sequence[str]], ids: Any, positions: Any,
                velocities: Any) -> tuple[list[int], list[str], list[list[int]], list[list[str]], Any, Any]:
    """Ids and kinds of the molecules, the ids of their atoms, and the names of those that are placed, with positions and
    velocities [n_placed][3], where NaN means that none is given."""
    single = np.ndim(molecules) == 0
    numbers = np.atleast_1d(np.asarray(molecules))
    if numbers.size > 0 and not np.issubdtype(numbers.dtype, np.integer):
        raise TypeError(f"molecules are {molecules!r} (expected: ids of molecules, then their kinds)")
    which = [int(m) for m in numbers]
    if any(m < 1 or m > 0xFFFFFFFF for m in which):
        raise ValueError("the id of a molecule is that of its first atom, from 1 on")
    if kinds is None:
        raise TypeError("kinds are None (expected: the name of a kind of molecules)")
    names = [kinds] * len(which) if isinstance(kinds, str) else [str(kind) for kind in kinds]

    def of_each(value: Any, empty: Any, name: str) -> list[Any]:
        values = [empty] * len(which) if value is None else [value] if single else list(value)
        if len(values) != len(which):
            raise ValueError(f"{len(values)} {name} for {len(which)} molecules (give one for each)")
        return [empty if v is None else v for v in values]

    if len(names) != len(which):
        raise ValueError(f"{len(names)} kinds for {len(which)} molecules (give one for each)")
    atoms = [[int(i) for i in of] for of in of_each(ids, [], "lists of ids")]
    places: list[Places] = of_each(positions, {}, "mappings of positions")
    speeds: list[Places] = of_each(velocities, {}, "mappings of velocities")
    for place, speed in zip(places, speeds):
        if not (isinstance(place, Mapping) and isinstance(speed, Mapping)):
            raise TypeError('positions and velocities of a molecule are a dictionary such as {"HW3": [x, y, z]}')
        if lost := [name for name in speed if name not in place]:
            raise ValueError(f"a velocity of {lost[0]!r} is given without a position")
    placed = [list(place) for place in places]
    x = [_vector(place[name], name) for place in places for name in place]
    v = [_vector(speed[name], name) if name in speed else np.full(3, np.nan)
         for place, speed in zip(places, speeds) for name in place]
    return which, names, atoms, placed, np.array(x).reshape(-1, 3), np.array(v).reshape(-1, 3)


def _vector(value: npt.ArrayLike, name: str) -> npt.NDArray[np.float64]:
    vector = np.asarray(value, dtype=np.float64)
    if vector.shape != (3,) or not np.all(np.isfinite(vector)):
        raise ValueError(f"position or velocity of {name!r} is {value!r} (expected: three finite numbers)")
    return vector
