"""Energies by component and forces of an OpenMM System, on the Reference platform (double precision)."""

import copy

import openmm
from openmm import unit

from . import units

KJ = unit.kilojoule_per_mole
CUSTOM = {  # names that OpenMM's readers give to custom forces
    "LennardJonesForce": "vdw", "LennardJones": "vdw", "CustomNonbondedForce": "vdw",
    "LennardJonesExceptions": "lj_14", "LennardJones14": "lj_14", "Coulomb14": "coulomb_14",
    "HarmonicTorsionForce": "improper", "CustomTorsionForce": "improper", "ImproperTorsionForce": "improper",
}


def version():
    return openmm.version.full_version


def potential(system, positions):
    """Returns the energy in kcal/mol and forces in kcal/mol/A; positions [n][3] in nm."""
    context = openmm.Context(system, openmm.VerletIntegrator(0.001),
                             openmm.Platform.getPlatformByName("Reference"))
    context.setPositions([openmm.Vec3(*x) for x in positions])
    state = context.getState(getEnergy=True, getForces=True)
    forces = state.getForces(asNumpy=True).value_in_unit(KJ / unit.nanometer)
    return (units.energy(state.getPotentialEnergy().value_in_unit(KJ)),
            [[units.force(float(c)) for c in f] for f in forces])


def placed(system, positions):
    """The positions with virtual sites placed; nm."""
    context = openmm.Context(system, openmm.VerletIntegrator(0.001),
                             openmm.Platform.getPlatformByName("Reference"))
    context.setPositions([openmm.Vec3(*x) for x in positions])
    context.computeVirtualSites()
    x = context.getState(getPositions=True).getPositions(asNumpy=True).value_in_unit(unit.nanometer)
    return [[float(c) for c in row] for row in x]


def nonbonded_parts(force):
    """The parts vdw, coulomb, lj_14, coulomb_14 of a NonbondedForce, each a NonbondedForce."""
    parts = {}
    for name in ("vdw", "coulomb", "lj_14", "coulomb_14"):
        part = copy.deepcopy(force)
        for i in range(part.getNumParticles()):
            q, sigma, epsilon = part.getParticleParameters(i)
            part.setParticleParameters(i, q if name == "coulomb" else 0, sigma, epsilon if name == "vdw" else 0)
        for k in range(part.getNumExceptions()):
            i, j, qq, sigma, epsilon = part.getExceptionParameters(k)
            part.setExceptionParameters(k, i, j, qq if name == "coulomb_14" else 0, sigma,
                                        epsilon if name == "lj_14" else 0)
        parts[name] = [part]
    return parts


def bond_parts(force, outer):
    """Splits bonds from Urey-Bradley terms, which OpenMM also keeps as bonds: those between outer atoms of an angle."""
    bonds, urey_bradley = copy.deepcopy(force), copy.deepcopy(force)
    for k in range(force.getNumBonds()):
        i, j, length, _ = force.getBondParameters(k)
        part = bonds if (min(i, j), max(i, j)) in outer else urey_bradley
        part.setBondParameters(k, i, j, length, 0)
    return {"bond": [bonds], "urey_bradley": [urey_bradley]}


def parts_of(system):
    """{component: [forces]} of a System."""
    parts, outer = {}, set()
    for force in system.getForces():
        if isinstance(force, openmm.HarmonicAngleForce):
            for k in range(force.getNumAngles()):
                i, _, j, _, _ = force.getAngleParameters(k)
                outer.add((min(i, j), max(i, j)))
    for force in system.getForces():
        kind = type(force).__name__
        if kind == "NonbondedForce":
            found = nonbonded_parts(force)
        elif kind == "HarmonicBondForce":
            found = bond_parts(force, outer)
        elif kind == "HarmonicAngleForce":
            found = {"angle": [force]}
        elif kind in ("PeriodicTorsionForce", "RBTorsionForce"):
            found = {"dihedral": [force]}
        elif kind == "CMAPTorsionForce":
            found = {"cmap": [force]}
        elif kind == "CMMotionRemover":
            continue
        else:
            found = {CUSTOM[force.getName()]: [force]}
        for name, forces in found.items():
            parts.setdefault(name, []).extend(forces)
    return parts


def with_forces(system, forces):
    """The System with these forces instead of its own."""
    other = copy.deepcopy(system)
    for k in reversed(range(other.getNumForces())):
        other.removeForce(k)
    for force in forces:
        other.addForce(copy.deepcopy(force))
    return other


def compute(system, positions):
    """Returns ({component: kcal/mol}, forces [n][3]); forces of virtual sites are spread, theirs are zero."""
    energies = {name: potential(with_forces(system, forces), positions)[0]
                for name, forces in parts_of(system).items()}
    energies["potential"], forces = potential(system, positions)
    for i in range(system.getNumParticles()):
        if system.isVirtualSite(i):
            forces[i] = [0.0, 0.0, 0.0]
    return energies, forces
