#!/usr/bin/env python3
"""Write the OpenMM Systems of this folder, and their energies by OpenMM's Reference platform.

Needs OpenMM 8 (pip install openmm). For each system, NAME.xml and NAME.txt are written; NAME.txt has the potential
energy in kcal/mol, then x y z in A of each particle, virtual sites included. Usage: make_systems.py [FOLDER]
"""

import math
import random
import sys
from pathlib import Path

import openmm as mm
from openmm import unit

FOLDER = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent)
CHAIN = [(0.15 * k, 0.04 * (k % 2) + 0.03 * math.sin(k), 0.05 * math.cos(2 * k)) for k in range(8)]
WATER = [(0.3, 0.6, 0.1), (0.39572, 0.6, 0.1), (0.276, 0.69266, 0.1)]


def smooth_map(size):
    """Energies of a map, with the first angle as the fastest index."""
    turn = 2 * math.pi / size
    return [3 * math.sin(a * turn + 0.3) + 2 * math.cos(2 * b * turn - a * turn) + b for b in range(size) for a in range(size)]


def write(name, system, positions):
    integrator = mm.VerletIntegrator(0.001)
    context = mm.Context(system, integrator, mm.Platform.getPlatformByName("Reference"))
    context.setPositions([mm.Vec3(*x) for x in positions])
    context.computeVirtualSites()
    state = context.getState(getEnergy=True, getPositions=True)
    energy = state.getPotentialEnergy().value_in_unit(unit.kilojoule_per_mole) / 4.184
    lines = [f"{energy:.17g}"]
    for x in state.getPositions().value_in_unit(unit.angstrom):
        lines.append(" ".join(f"{c:.17g}" for c in x))
    (FOLDER / f"{name}.xml").write_text(mm.XmlSerializer.serialize(system))
    (FOLDER / f"{name}.txt").write_text("\n".join(lines) + "\n")


def chain():
    """A system of eight atoms, and the bonds of their chain, which have no energy."""
    system, bonds = mm.System(), mm.HarmonicBondForce()
    for _ in range(8):
        system.addParticle(12.011)
    for i in range(7):
        bonds.addBond(i, i + 1, 0.15, 0)
    return system, bonds


def chain_exceptions():
    """Pairs of the chain by their distance in bonds: 1 to 2, and 3."""
    near = [(i, i + d) for d in (1, 2) for i in range(8 - d)]
    return near, [(i, i + 3) for i in range(5)]


def terms():
    """Every bonded force, and 1-4 pairs as exceptions."""
    system, _ = chain()
    system.addConstraint(0, 1, 0.16)
    bonds, angles = mm.HarmonicBondForce(), mm.HarmonicAngleForce()
    for i in range(1, 7):
        bonds.addBond(i, i + 1, 0.15, 200000 + 1000 * i)
    bonds.addBond(2, 4, 0.28, 5000)
    for i in range(6):
        angles.addAngle(i, i + 1, i + 2, 1.9, 400 + i)
    periodic, rb = mm.PeriodicTorsionForce(), mm.RBTorsionForce()
    periodic.addTorsion(0, 1, 2, 3, 3, 0.4, 5.5)
    periodic.addTorsion(1, 2, 3, 4, 2, math.pi, -7.25)
    rb.addTorsion(2, 3, 4, 5, 9.3, 12.2, -13.1, -3.1, 26.2, -31.5)
    cmap = mm.CMAPTorsionForce()
    cmap.addMap(4, smooth_map(4))
    cmap.addMap(6, smooth_map(6))
    cmap.addTorsion(1, 0, 1, 2, 3, 1, 2, 3, 4)
    cmap.addTorsion(0, 3, 4, 5, 6, 4, 5, 6, 7)
    pi = math.pi
    harmonic = [
        "k*(theta-theta0)^2",
        "k*min(dtheta, 2*pi-dtheta)^2; dtheta = abs(theta-theta0);pi = %f;" % pi,
        f"k*min(dtheta, 2*{pi}-dtheta)^2; dtheta = abs(theta-theta0)",
        "0.5*k*(thetap-theta0)^2; thetap = step(-(theta-theta0+pi))*2*pi+theta+step(theta-theta0-pi)*(-2*pi); pi = %.15g" % pi,
    ]
    forces = [bonds, angles, periodic, rb, cmap]
    for number, energy in enumerate(harmonic):
        force = mm.CustomTorsionForce(energy)
        names = ("k", "theta0") if number % 2 == 0 else ("theta0", "k")
        for name in names:
            force.addPerTorsionParameter(name)
        values = {"k": 40 + number, "theta0": 0.2 if number == 0 else 3.1}
        force.addTorsion(number, number + 1, number + 2, number + 3, [values[name] for name in names])
        forces.append(force)
    nonbonded = mm.NonbondedForce()
    for i in range(8):
        nonbonded.addParticle(0.1 * (i % 3 - 1), (0.3, 0.34)[i % 2], (0.4, 0.2, 0)[i % 3])
    near, far = chain_exceptions()
    for i, j in near:
        nonbonded.addException(i, j, 0, 1, 0)
    for i, j in far:
        nonbonded.addException(j, i, 0.01 * i, 0.3, 0.1 * (i % 2))
    for force in [*forces, nonbonded, mm.CMMotionRemover()]:
        system.addForce(force)
    write("terms", system, CHAIN)


def sites():
    """Every kind of virtual site that can be read, and charges on them."""
    random.seed(7)
    system = mm.System()
    for mass in (15.999, 1.008, 1.008):
        system.addParticle(mass)
    for a, b, d in ((0, 1, 0.09572), (0, 2, 0.09572), (1, 2, 0.15139)):
        system.addConstraint(a, b, d)
    local = mm.LocalCoordinatesSite
    kinds = [
        mm.TwoParticleAverageSite(0, 2, 0.7, 0.3),
        mm.ThreeParticleAverageSite(1, 0, 2, 0.106676721, 0.786646558, 0.106676721),
        mm.OutOfPlaneSite(0, 1, 2, 0.34, 0.36, 6.5),
        local((0, 1, 2), (1, 0, 0), (1, -1, 0), (0, -1, 1), (0.05, 0, 0)),  # CharmmPsfFile, colinear: 2fd
        local((0, 1, 2), (1, 0, 0), (-1, 0.4, 0.6), (0, -1, 1), (0.015, 0, 0)),  # bisector: 3fd
        local((0, 1, 2), (0, 1, 0), (-0.5, 1, -0.5), (-1, 0, 1), (0.03, 0, 0)),
        local((0, 1, 2), (1, 0, 0), (-1, 1, 0), (0, -1, 1), (0.1 * math.cos(2), 0.1 * math.sin(2), 0)),  # GromacsTopFile
        local((0, 1, 2), (0, 0, 1), (0, 1, -1), (1, 0, -1), (-0.02, 0.07, 0)),  # 3fad
        local((0, 1, 2), (0, 0, 1), (-2, 0, 2), (1, -1, 0), (0.02, 0.07, 0)),
        local((0, 1, 2), (0.5, 0.25, 0.25), (-1, 1, 0), (-1, 0, 1), (0, 0, 0)),  # 3
    ]
    for kind in kinds:
        system.setVirtualSite(system.addParticle(0), kind)
    ion = system.addParticle(22.99)
    nonbonded = mm.NonbondedForce()
    n = system.getNumParticles()
    for i in range(n):
        nonbonded.addParticle(1 if i == ion else round(random.uniform(-0.5, 0.5), 3), 0.3, 0.5 if i in (0, ion) else 0)
    for i in range(ion):
        for j in range(i):
            nonbonded.addException(i, j, 0, 1, 0)
    nonbonded.setNonbondedMethod(mm.NonbondedForce.NoCutoff)
    system.addForce(nonbonded)
    write("sites", system, WATER + [(0, 0, 0)] * len(kinds) + [(0.6, 0.3, 0.35)])


def tables(root):
    """Van der Waals terms by tables of types, and 1-4 terms of their own, as ForceField (root: as CharmmPsfFile)."""
    system, bonds = chain()
    sigma, epsilon = (0.3, 0.34, 0.25), (0.4, 0.2, 0)
    c6, c12 = [0] * 9, [0] * 9
    for m in range(3):
        for n in range(3):
            s, e = (sigma[m] + sigma[n]) / 2, math.sqrt(epsilon[m] * epsilon[n])
            if {m, n} == {0, 1}:
                s, e = 0.31, 0.7  # NBFIX
            c6[m + 3 * n], c12[m + 3 * n] = 4 * e * s**6, 4 * e * s**12
    if root:
        energy = "(a/r6)^2-b/r6; r6=r^6;a=acoef(type1, type2);b=bcoef(type1, type2)"
        c12 = [math.sqrt(c) for c in c12]
    else:
        energy = "acoef(type1, type2)/r^12 - bcoef(type1, type2)/r^6;"
    lj = mm.CustomNonbondedForce(energy)
    lj.addTabulatedFunction("acoef", mm.Discrete2DFunction(3, 3, c12))
    lj.addTabulatedFunction("bcoef", mm.Discrete2DFunction(3, 3, c6))
    lj.addPerParticleParameter("type")
    nonbonded = mm.NonbondedForce()
    for i in range(8):
        lj.addParticle([i % 3])
        nonbonded.addParticle(0.1 * (i % 3 - 1), 1, 0)
    bonded = mm.CustomBondForce("%g*epsilon*((sigma/r)^12-(sigma/r)^6)" % (4 * 0.5))
    bonded.addPerBondParameter("sigma")
    bonded.addPerBondParameter("epsilon")
    near, far = chain_exceptions()
    for i, j in near:
        nonbonded.addException(i, j, 0, 1, 0)
        lj.addExclusion(i, j)
    for i, j in far:
        nonbonded.addException(i, j, 0.02 * (i - 1), 1, 0)
        lj.addExclusion(j, i)
        bonded.addBond(i, j, [0.28, 0.3])
    for force in (bonds, bonded, lj, nonbonded):
        system.addForce(force)
    write("root_tables" if root else "tables", system, CHAIN)


def geometric(products):
    """Van der Waals terms by geometric means, as GromacsTopFile (products) or OPLS."""
    system, bonds = chain()
    nonbonded = mm.NonbondedForce()
    sigma, epsilon = (0.3, 0.34, 0.25), (0.4, 0.2, 0)
    if products:
        lj = mm.CustomNonbondedForce("A1*A2/r^12-C1*C2/r^6")
        lj.addPerParticleParameter("C")
        lj.addPerParticleParameter("A")
    else:
        lj = mm.CustomNonbondedForce("4*epsilon*((sigma/r)^12-(sigma/r)^6); sigma=sqrt(sigma1*sigma2); "
                                     "epsilon=sqrt(epsilon1*epsilon2)")
        lj.addPerParticleParameter("sigma")
        lj.addPerParticleParameter("epsilon")
    for i in range(8):
        s, e = sigma[i % 3], epsilon[i % 3]
        nonbonded.addParticle(0.1 * (i % 3 - 1), 1, 0)
        lj.addParticle([math.sqrt(4 * e * s**6), math.sqrt(4 * e * s**12)] if products else [s, e])
    pairs = mm.CustomBondForce("-C/r^6+A/r^12")
    pairs.addPerBondParameter("C")
    pairs.addPerBondParameter("A")
    near, far = chain_exceptions()
    for i, j in near + far:
        nonbonded.addException(i, j, 0.02 * (i - 1) if (i, j) in far else 0, 1, 0)
        lj.addExclusion(i, j)
    for i, j in far:
        pairs.addBond(i, j, [4 * 0.3 * 0.28**6, 4 * 0.3 * 0.28**12])
    for force in (nonbonded, lj, bonds, pairs):
        system.addForce(force)
    write("products" if products else "geometric", system, CHAIN)


if __name__ == "__main__":
    terms()
    sites()
    tables(False)
    tables(True)
    geometric(True)
    geometric(False)
