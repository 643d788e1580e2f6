"""Comparisons between programs, and of forces with their own energies."""

import random


def combined(energies, key):
    """The energy of a component, or of a sum such as "angle+urey_bradley"; missing terms count as 0."""
    if key in energies:
        return energies[key]
    return sum(energies.get(name, 0.0) for name in key.split("+"))


def energy_differences(a, b):
    """{component: difference} of two programs' energies, over the components of the first and the potential."""
    return {key: combined(b, key) - combined(a, key) for key in a}


def largest_difference(a, b):
    return max(abs(p - q) for row, other in zip(a, b) for p, q in zip(row, other))


def net(forces):
    return max(abs(sum(f[k] for f in forces)) for k in range(3))


def slope_error(compute, positions, forces, sites, step=1e-5, seed=1):
    """The difference between -F.d and the central difference of the energy along a random direction d, kcal/mol/A.

    `compute` returns the potential (kcal/mol) at positions in nm; `sites` are indices of virtual sites, which follow.
    """
    generator = random.Random(seed)
    d = [[0.0] * 3 if i in sites else [generator.uniform(-1, 1) for _ in range(3)] for i in range(len(positions))]
    ends = []
    for sign in (1, -1):
        moved = [[c + sign * step * e for c, e in zip(x, row)] for x, row in zip(positions, d)]
        ends.append(compute(moved))
    slope = (ends[0] - ends[1]) / (2 * step * 10)
    return slope + sum(f * e for row, other in zip(forces, d) for f, e in zip(row, other))
