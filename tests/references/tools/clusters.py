"""Structures of clusters: molecules of known geometry, turned at random, on the sites of a lattice (nm)."""

import math
import random

from . import gro

RIGHT = math.pi / 180


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def unit(a):
    length = math.sqrt(sum(c * c for c in a))
    return [c / length for c in a]


def from_internal(rows):
    """Positions from rows (parent, length, parent of the angle, degrees, parent of the torsion, degrees); the first
    three rows have fewer columns. Parents count from 0."""
    x = []
    for row in rows:
        if len(row) == 0:
            x.append([0.0, 0.0, 0.0])
        elif len(row) == 2:
            x.append([row[1], 0.0, 0.0])
        else:
            a, length, b, angle = row[:4]
            # A torsion needs a third atom: a point off the axis for the third row.
            far = x[row[4]] if len(row) == 6 else [x[b][0], x[b][1] + 1.0, x[b][2]]
            torsion = row[5] if len(row) == 6 else 0.0
            u = unit([p - q for p, q in zip(x[a], x[b])])
            n = unit(cross([p - q for p, q in zip(x[b], far)], u))
            m = cross(n, u)
            along, side = -math.cos(angle * RIGHT), math.sin(angle * RIGHT)
            x.append([x[a][k] + length * (along * u[k] + side * (math.cos(torsion * RIGHT) * m[k]
                      + math.sin(torsion * RIGHT) * n[k])) for k in range(3)])
    return x


def rotation(generator):
    """A random rotation matrix, from a unit quaternion."""
    w, x, y, z = unit([generator.gauss(0, 1) for _ in range(4)])
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]


def lattice(n, spacing, centre):
    """The n sites of a simple cubic lattice nearest to the centre."""
    reach = range(-4, 5)
    sites = [(i, j, k) for i in reach for j in reach for k in reach]
    sites.sort(key=lambda s: (s[0] ** 2 + s[1] ** 2 + s[2] ** 2, s))
    return [[centre + spacing * c for c in site] for site in sites[:n]]


def cluster(title, molecules, spacing, seed, jitter=0.02, centre=3.0):
    """A structure of [(residue name, [atom names], positions)] in their order, on shuffled lattice sites."""
    generator = random.Random(seed)
    sites = lattice(len(molecules), spacing, centre)
    generator.shuffle(sites)
    atoms, positions = [], []
    for number, ((residue, names, x), site) in enumerate(zip(molecules, sites), 1):
        turn = rotation(generator)
        origin = [c + generator.uniform(-jitter, jitter) for c in site]
        for name, r in zip(names, x):
            atoms.append((number, residue, name))
            positions.append([origin[k] + sum(turn[k][m] * r[m] for m in range(3)) for k in range(3)])
    return gro.Gro(title, atoms, positions)


def water(length, angle, site=None):
    """Water: O, H, H, and a site on the bisector at the distance `site` from O."""
    half = angle * RIGHT / 2
    x = [[0.0, 0.0, 0.0], [length * math.cos(half), length * math.sin(half), 0.0],
         [length * math.cos(half), -length * math.sin(half), 0.0]]
    return x + ([[site, 0.0, 0.0]] if site is not None else [])


def hydronium(length, angle, site):
    """H3O+: O, H, H, H, and a site on the axis at the distance `site` from O, on the side of the hydrogens."""
    # Distance of the hydrogens from the axis, from the H-H distance.
    radius = 2 * length * math.sin(angle * RIGHT / 2) / math.sqrt(3)
    height = math.sqrt(length**2 - radius**2)
    hydrogens = [[radius * math.cos(t), radius * math.sin(t), height] for t in (0, 2 * math.pi / 3, 4 * math.pi / 3)]
    return [[0.0, 0.0, 0.0], *hydrogens, [0.0, 0.0, site]]


METHANOL = from_internal([(), (0, 0.109), (0, 0.109, 1, 107.8), (0, 0.109, 1, 107.8, 2, 118.0),
                          (0, 0.141, 1, 109.5, 2, -121.0), (4, 0.0945, 0, 108.5, 1, 55.0)])
ETHANOL = from_internal([(), (0, 0.109), (0, 0.109, 1, 107.8), (0, 0.109, 1, 107.8, 2, 118.0),
                         (0, 0.1529, 1, 110.7, 2, -121.0), (4, 0.109, 0, 110.7, 1, 62.0),
                         (4, 0.109, 0, 110.7, 1, -57.0), (4, 0.141, 0, 109.5, 1, 178.0),
                         (7, 0.0945, 4, 108.5, 0, 65.0)])
