"""Systems that OpenMM's own readers make, as system.xml, with structure.gro."""

import math
import random
import tempfile
from pathlib import Path

import openmm
from openmm import app, unit

from . import clusters, gro, openmm_topology, peptides, sites

NM = unit.nanometer


def write(folder, system, atoms, positions, title):
    """Writes system.xml and structure.gro; `atoms` as in gro.Gro."""
    folder.mkdir(exist_ok=True)
    (folder / "system.xml").write_text(openmm.XmlSerializer.serialize(system))
    gro.Gro(title, atoms, positions).write(folder / "structure.gro")


def atoms_of(topology):
    return [(int(a.residue.index) + 1, a.residue.name[:5], a.name[:5]) for a in topology.atoms()]


def relaxed(system, positions, seed, iterations=200, largest=0.003):
    """Positions after some steps of a minimiser and a random move of each coordinate; constraints hold."""
    context = openmm.Context(system, openmm.VerletIntegrator(0.001),
                             openmm.Platform.getPlatformByName("Reference"))
    context.setPositions(positions)
    openmm.LocalEnergyMinimizer.minimize(context, 1.0, iterations)
    x = context.getState(getPositions=True).getPositions(asNumpy=True).value_in_unit(NM)
    generator = random.Random(seed)
    context.setPositions([openmm.Vec3(*(float(c) + generator.uniform(-largest, largest) for c in r)) for r in x])
    context.applyConstraints(1e-12)
    context.computeVirtualSites()
    x = context.getState(getPositions=True).getPositions(asNumpy=True).value_in_unit(NM)
    lowest = x.min(axis=0)
    return [[float(c - low) + 1.0 for c, low in zip(r, lowest)] for r in x]


def peptide_in_water(pdb, force_field, n_waters, model):
    """The small peptide with hydrogens and a few waters around it."""
    start = app.PDBFile(str(pdb))
    modeller = app.Modeller(start.topology, start.positions)
    random.seed(model)  # Modeller starts hydrogens at random places
    modeller.addHydrogens(force_field, pH=7.0, platform=openmm.Platform.getPlatformByName("Reference"))
    x = [list(r.value_in_unit(NM)) for r in modeller.positions]
    centre = [sum(r[k] for r in x) / len(x) for k in range(3)]
    generator = random.Random(model)
    for _ in range(n_waters):
        while True:  # a place near the peptide, at least 0.3 nm from any atom
            place = [c + generator.uniform(-0.9, 0.9) for c in centre]
            if min(math.dist(place, r) for r in x) > 0.3:
                break
        turn = clusters.rotation(generator)
        water = [[place[k] + sum(turn[k][m] * r[m] for m in range(3)) for k in range(3)]
                 for r in clusters.water(0.09572, 104.52)]
        top = app.Topology()
        residue = top.addResidue("HOH", top.addChain())
        atoms = [top.addAtom(name, app.Element.getBySymbol(name[0]), residue) for name in ("O", "H1", "H2")]
        top.addBond(atoms[0], atoms[1])
        top.addBond(atoms[0], atoms[2])
        modeller.add(top, [openmm.Vec3(*r) for r in water] * NM)
        x += water
    return modeller


def amber14(folder, pdb):
    field = app.ForceField("amber14-all.xml", "amber14/tip3p.xml")
    modeller = peptide_in_water(pdb, field, 8, 21)
    system = field.createSystem(modeller.topology, nonbondedMethod=app.NoCutoff, constraints=app.HBonds,
                                rigidWater=True)
    write(folder, system, atoms_of(modeller.topology), relaxed(system, modeller.positions, 22), "AGPHK and water")


def charmm36(folder, pdb):
    field = app.ForceField("charmm36.xml", "charmm36/water.xml")
    modeller = peptide_in_water(pdb, field, 5, 23)
    system = field.createSystem(modeller.topology, nonbondedMethod=app.NoCutoff, constraints=None, rigidWater=False)
    write(folder, system, atoms_of(modeller.topology), relaxed(system, modeller.positions, 24), "AGPHK and water")


def geometric(folder, source):
    """OPLS-AA through OpenMM's reader of GROMACS files: Ryckaert-Bellemans torsions, and the geometric rule as
    A1*A2/r^12-C1*C2/r^6."""
    system, topology = openmm_topology.read(source / "topology.top")
    structure = gro.read(source / "structure.gro")
    write(folder, system, structure.atoms, structure.positions, structure.title)


def opls_lj(folder, source):
    """The same with the force that OPLS-AA users of OpenMM write: sigma and epsilon by geometric means."""
    system, topology = openmm_topology.read(source / "topology.top")
    forces = {force.getName(): k for k, force in enumerate(system.getForces())}
    lj = system.getForce(forces["LennardJonesForce"])
    nonbonded = system.getForce(forces["NonbondedForce"])
    exceptions = system.getForce(forces["LennardJonesExceptions"])
    geometric = openmm.CustomNonbondedForce(
        "4*epsilon*((sigma/r)^12-(sigma/r)^6); sigma=sqrt(sigma1*sigma2); epsilon=sqrt(epsilon1*epsilon2)")
    geometric.setNonbondedMethod(openmm.CustomNonbondedForce.NoCutoff)
    geometric.addPerParticleParameter("sigma")
    geometric.addPerParticleParameter("epsilon")
    for i in range(lj.getNumParticles()):
        c, a = lj.getParticleParameters(i)  # roots of C6 and C12
        geometric.addParticle([(a / c) ** (1 / 3) if c else 1.0, c**4 / a**2 / 4 if c else 0.0])
    for k in range(lj.getNumExclusions()):
        geometric.addExclusion(*lj.getExclusionParticles(k))
    pairs = {}
    for k in range(exceptions.getNumBonds()):
        i, j, (c6, c12) = exceptions.getBondParameters(k)
        pairs[min(i, j), max(i, j)] = ((c12 / c6) ** (1 / 6), c6**2 / c12 / 4)
    for k in range(nonbonded.getNumExceptions()):
        i, j, q, sigma, epsilon = nonbonded.getExceptionParameters(k)
        if (min(i, j), max(i, j)) in pairs:
            nonbonded.setExceptionParameters(k, i, j, q, *pairs[min(i, j), max(i, j)])
    for k in sorted((forces["LennardJonesForce"], forces["LennardJonesExceptions"]), reverse=True):
        system.removeForce(k)
    system.addForce(geometric)
    structure = gro.read(source / "structure.gro")
    write(folder, system, structure.atoms, structure.positions, structure.title)


def nbfix_by_gromacs(folder, source):
    system, _ = openmm_topology.read(source / "topology.top")
    structure = gro.read(source / "structure.gro")
    write(folder, system, structure.atoms, structure.positions, structure.title)


# Butane of united atoms with charges, flexible water and salt; numbers in the range of CHARMM's, made for this test.
PARAMETERS = """* parameters
*

ATOMS
MASS  1 CA3    15.035
MASS  2 CA2    14.027
MASS  3 OT     15.9994
MASS  4 HT      1.008
MASS  5 SOD    22.98977
MASS  6 CLA    35.45

BONDS
CA3  CA2   225.0   1.54
CA2  CA2   225.0   1.53
OT   HT    450.0   0.9572
HT   HT      0.0   1.5139

ANGLES
CA3  CA2  CA2   45.0   112.0   8.0   2.561
HT   OT   HT    55.0   104.52

DIHEDRALS
CA3  CA2  CA2  CA3   0.6  1    0.0
CA3  CA2  CA2  CA3   0.2  2  180.0
CA3  CA2  CA2  CA3   1.6  3    0.0

IMPROPER
CA2  CA3  CA2  CA3   2.0  0   40.0

NONBONDED nbxmod  5 atom cdiel fshift vatom vdistance vfswitch -
cutnb 14.0 ctofnb 12.0 ctonnb 10.0 eps 1.0 e14fac 1.0 wmin 1.5
CA3   0.0   -0.1750   2.165   0.0   -0.01   1.9
CA2   0.0   -0.1180   2.235   0.0   -0.02   1.8
OT    0.0   -0.1521   1.7682
HT    0.0   -0.0460   0.2245
SOD   0.0   -0.0469   1.41075
CLA   0.0   -0.1500   2.27

NBFIX
SOD  CLA  -0.083875  3.731
SOD  OT   -0.0840    3.18
CA3  CLA  -0.11      4.35

END
"""


def psf_of(molecules):
    """A PSF of molecules: (segment, residue, [(name, type, charge, mass)], bonds, angles, dihedrals, impropers)."""
    atoms, terms = [], {name: [] for name in ("bonds", "angles", "dihedrals", "impropers")}
    for number, (segment, residue, members, *lists) in enumerate(molecules, 1):
        first = len(atoms)
        atoms += [(segment, number, residue, *member) for member in members]
        for name, rows in zip(terms, lists):
            terms[name] += [[first + k for k in row] for row in rows]
    heads = {"bonds": "!NBOND: bonds", "angles": "!NTHETA: angles", "dihedrals": "!NPHI: dihedrals",
             "impropers": "!NIMPHI: impropers"}
    lines = ["PSF", "", f"{1:8d} !NTITLE", " REMARKS reference", "", f"{len(atoms):8d} !NATOM"]
    for k, (segment, number, residue, name, kind, charge, mass) in enumerate(atoms, 1):
        lines.append(f"{k:8d} {segment:<4s} {number:<4d} {residue:<4s} {name:<4s} {kind:<4s} {charge:10.6f} "
                     f"{mass:13.4f} {0:11d}")
    for name, rows in terms.items():
        lines += ["", f"{len(rows):8d} {heads[name]}"]
        flat = [k for row in rows for k in row]
        lines += ["".join(f"{k:8d}" for k in flat[a : a + 8]) for a in range(0, len(flat), 8)]
    lines += ["", f"{0:8d} !NDON: donors", "", "", f"{0:8d} !NACC: acceptors", "", "", f"{0:8d} !NNB", "",
              "".join(f"{0:8d}" for _ in atoms), "", f"{0:8d}{0:8d} !NGRP NST2", "", ""]
    return "\n".join(lines) + "\n"


def nbfix_by_charmm(folder):
    """NBFIX as OpenMM writes it for CHARMM files: tables acoef, bcoef by type; 1-4 parameters of their own."""
    butane = ("BUT", "BUT", [("C1", "CA3", 0.12, 15.035), ("C2", "CA2", -0.20, 14.027), ("C3", "CA2", 0.18, 14.027),
                             ("C4", "CA3", -0.10, 15.035)],
              [(1, 2), (2, 3), (3, 4)], [(1, 2, 3), (2, 3, 4)], [(1, 2, 3, 4)], [(2, 1, 3, 4)])
    water = ("WAT", "WTR", [("OH2", "OT", -0.834, 15.9994), ("H1", "HT", 0.417, 1.008), ("H2", "HT", 0.417, 1.008)],
             [(1, 2), (1, 3)], [(2, 1, 3)], [], [])
    sodium = ("ION", "SOD", [("SOD", "SOD", 1.0, 22.98977)], [], [], [], [])
    chloride = ("ION", "CLA", [("CLA", "CLA", -1.0, 35.45)], [], [], [], [])
    molecules = [butane] * 3 + [water] * 4 + [sodium] * 2 + [chloride] * 2
    shapes = {"BUT": clusters.from_internal([(), (0, 0.154), (1, 0.153, 0, 112.0), (2, 0.154, 1, 113.0, 0, 62.0)]),
              "WTR": clusters.water(0.09572, 104.52), "SOD": [[0.0] * 3], "CLA": [[0.0] * 3]}
    structure = clusters.cluster("Butane, water and salt with NBFIX",
                                 [(m[1], [a[0] for a in m[2]], shapes[m[1]]) for m in molecules], 0.5, 25)
    peptides.displaced(structure, 0.004, 26)
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "a.psf").write_text(psf_of(molecules))
        (Path(name) / "a.prm").write_text(PARAMETERS)
        psf = app.CharmmPsfFile(str(Path(name) / "a.psf"))
        system = psf.createSystem(app.CharmmParameterSet(str(Path(name) / "a.prm")), nonbondedMethod=app.NoCutoff,
                                  rigidWater=False)
    write(folder, system, structure.atoms, structure.positions, structure.title)


def virtual_sites(folder):
    """Virtual sites of OpenMM: averages of two and three atoms and out of plane, or in local coordinates."""
    system, x = sites.openmm_system(folder.name), sites.POSITIONS
    n_sites = (system.getNumParticles() - 10) // 2
    names = ["A1", "B1", "A2", "B2"] + [f"V{k}" for k in range(1, n_sites + 1)]
    atoms = [(k, "MOL", name) for k in (1, 2) for name in names] + [(3, "ION", "I"), (4, "ION", "I")]
    positions = x[0:4] + [x[0]] * n_sites + x[4:8] + [x[4]] * n_sites + x[8:10]
    write(folder, system, atoms, positions, "Virtual sites; not yet placed")


def tip4pew(folder):
    """Rigid water with a virtual site and ions, by OpenMM's ForceField."""
    water = ("HOH", ["O", "H1", "H2", "M"], clusters.water(0.09572, 104.52, 0.0125))
    ion = [[0.0, 0.0, 0.0]]
    structure = clusters.cluster("TIP4P-Ew water and ions",
                                 [water] * 9 + [("NA", ["Na"], ion)] * 2 + [("CL", ["Cl"], ion)], 0.31, 27)
    top = app.Topology()
    for residue_name, names in [("HOH", water[1])] * 9 + [("NA", ["NA"])] * 2 + [("CL", ["CL"])]:
        residue = top.addResidue(residue_name, top.addChain())
        elements = {"O": "O", "H1": "H", "H2": "H", "NA": "Na", "CL": "Cl"}
        atoms = [top.addAtom(name, app.Element.getBySymbol(elements[name]) if name in elements else None, residue)
                 for name in names]
        for other in atoms[1:3]:
            top.addBond(atoms[0], other)
    system = app.ForceField("amber14/tip4pew.xml").createSystem(top, nonbondedMethod=app.NoCutoff, rigidWater=True)
    write(folder, system, structure.atoms, structure.positions, structure.title)
