"""OpenMM's own reader of GROMACS topologies, as a second opinion."""

import math
import re
import tempfile
from pathlib import Path

import openmm
from openmm import app

from .reduce_topology import lines_of


def in_openmm_words(text):
    """Rewrites what OpenMM's reader does not know or reads differently from GROMACS:

    Pairs without a function get function 1; those of function 2 are left out. Bonds of function 5 become harmonic ones
    without a force constant. Dihedrals of multiplicity 0, whose energy is constant, become Ryckaert-Bellemans terms.
    Improper types given by two atoms are those of the outer atoms. Dihedral types of function 9 that are defined a
    second time, on lines that do not follow the first, are dropped: CHARMM27 of GROMACS has some (histidine), which
    GROMACS takes once, while OpenMM adds both.
    """
    section, seen, last, out = "", set(), None, []
    for line in lines_of(text):
        words = line.split()
        if words[0] == "[":
            section, last = words[1], None
        elif section == "pairs" and len(words) == 2:
            line += " 1"
        elif section == "pairs" and words[2] == "2":
            continue  # add_pairs has them
        elif section == "bonds" and words[2:] == ["5"]:
            line = f"{words[0]} {words[1]} 1 0.1 0"
        elif section == "dihedrals" and words[4] in "149" and words[7:] == ["0"]:
            constant = float(words[6]) * (1 + math.cos(math.radians(float(words[5]))))
            line = " ".join(words[:4]) + f" 3 {constant:.17g} 0 0 0 0 0"
        elif section == "dihedraltypes" and words[2] == "2" and len(words) == 5:
            line = " ".join([words[0], "X", "X", *words[1:]])
        elif section == "dihedraltypes":
            key = tuple(words[:5]) if len(words) > 5 and words[4] == "9" else None
            if key in seen and key != last:
                continue
            if key:
                seen.add(key)
            last = key
        out.append(line)
    return "\n".join(out) + "\n"


def pairs_of_function_2(text):
    """Returns [(i, j, product of charges, sigma, epsilon)] of all molecules, for combination rules 2 and 3."""
    section, molecule, sizes, pairs, found, first = "", "", {}, {}, [], 0
    for line in lines_of(text):
        words = line.split()
        if words[0] == "[":
            section = words[1]
        elif section == "moleculetype":
            molecule = words[0]
            sizes[molecule], pairs[molecule] = 0, []
        elif section == "atoms":
            sizes[molecule] += 1
        elif section == "pairs" and words[2:3] == ["2"]:
            fudge, qi, qj, sigma, epsilon = (float(word) for word in words[3:8])
            pairs[molecule].append((int(words[0]) - 1, int(words[1]) - 1, fudge * qi * qj, sigma, epsilon))
        elif section == "molecules":
            for _ in range(int(words[1])):
                found += [(first + i, first + j, *rest) for i, j, *rest in pairs[words[0]]]
                first += sizes[words[0]]
    return found


def add_pairs(system, pairs):
    """Adds pairs of function 2, as a force of each component."""
    lj = openmm.CustomBondForce("4*epsilon*((sigma/r)^12-(sigma/r)^6)")
    coulomb = openmm.CustomBondForce("138.93545764438198*q/r")  # OpenMM's constant
    for force, name, parameters in ((lj, "LennardJones14", ("sigma", "epsilon")), (coulomb, "Coulomb14", ("q",))):
        force.setName(name)
        for parameter in parameters:
            force.addPerBondParameter(parameter)
        system.addForce(force)
    for i, j, q, sigma, epsilon in pairs:
        lj.addBond(i, j, [sigma, epsilon])
        coulomb.addBond(i, j, [q])


def read(topology, define=()):
    """Returns the OpenMM System of a topology and its Topology. The file must have no #include."""
    text = source = topology.read_text()
    if not re.search(r"^#", text, re.M):
        text = in_openmm_words(text)
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "a.top"
        path.write_text(text)
        top = app.GromacsTopFile(str(path), defines={word: "1" for word in define})
    system = top.createSystem(removeCMMotion=False, rigidWater=False)
    pairs = pairs_of_function_2(source) if "#" not in source else []
    if pairs:
        add_pairs(system, pairs)
    return system, top.topology
