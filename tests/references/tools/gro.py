"""Reads and writes .gro structures with as many decimals as wanted (nm)."""

import re


class Gro:
    """Atoms of a .gro file: `atoms` has (residue number, residue name, atom name), `positions` [n][3] in nm."""

    def __init__(self, title, atoms, positions):
        self.title = title
        self.atoms = atoms
        self.positions = positions

    def write(self, path, decimals=9, box=(0.0, 0.0, 0.0)):
        width = decimals + 5
        lines = [self.title, f"{len(self.atoms):5d}"]
        for number, ((residue, residue_name, name), x) in enumerate(zip(self.atoms, self.positions), 1):
            columns = "".join(f"{c:{width}.{decimals}f}" for c in x)
            lines.append(f"{residue % 100000:5d}{residue_name:<5s}{name:>5s}{number % 100000:5d}{columns}")
        lines.append(" ".join(f"{edge:.5f}" for edge in box))
        path.write_text("\n".join(lines) + "\n")


def read(path):
    """Reads a .gro file. The width of its columns is the distance between the decimal points of a line."""
    lines = path.read_text().splitlines()
    n = int(lines[1])
    atoms, positions = [], []
    for line in lines[2 : 2 + n]:
        dots = [match.start() for match in re.finditer(r"\.", line[20:])]
        width = dots[1] - dots[0]
        atoms.append((int(line[0:5]), line[5:10].strip(), line[10:15].strip()))
        positions.append([float(line[20 + width * k : 20 + width * (k + 1)]) for k in range(3)])
    return Gro(lines[0], atoms, positions)
