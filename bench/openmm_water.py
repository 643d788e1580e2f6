#!/usr/bin/env python3
"""Time OpenMM and dropmd in the same run with the same droplet of molecules, and print the ratio.

    dropmd generate water --model spce --waters 4000 -o water.gro     # then settle it
    python3 bench/openmm_water.py water.gro --dropmd build/release/dropmd --exact
    python3 bench/openmm_water.py water.gro --dropmd build/release/dropmd --mesh 1e-4
    python3 bench/openmm_water.py water.gro --dropmd build/release/dropmd --cutoff 12

The structure has velocities, and a GROMACS topology without #include beside it. Constraints are the topology's; steps
of 2 fs. --exact: every pair, at constant energy (OpenMM: NoCutoff). --mesh A: Lennard-Jones within 12 A, in dropmd by
force-shift, and untruncated Coulomb, at constant energy; dropmd with a mesh of accuracy A, OpenMM with PME in a periodic
box of three diameters, direct part 12 A, its default tolerance. --cutoff R: Lennard-Jones cut and reaction field with a
dielectric constant of 78.5 at R, Langevin at 300 K and 1/ps, since a plain cut heats at constant energy.

OpenMM is timed with energies every 100 steps, as dropmd is. A time is the median over five pieces of about half a
second. Energies of the start are compared, except with --mesh, where the physics differs.
"""

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))  # Python omits it when it runs isolated (-I)
from openmm_step import import_openmm, openmm_us_per_step, platform_settings, potential_energy  # noqa: E402
from step_race import SEED, positive, run_script, time_dropmd  # noqa: E402

TIMESTEP, TEMPERATURE, FRICTION, DIELECTRIC, CUTOFF = 2.0, 300.0, 0.001, 78.5, 12.0  # fs, K, 1/fs, A


def run_file(arguments):
    """dropmd's run file."""
    structure = arguments.structure.resolve()
    if arguments.cutoff:
        cut = f"cutoff = {arguments.cutoff}\n"
        forces = (f'[lennard-jones]\nat-cutoff = "cut"\n{cut}'
                  f'[coulomb]\nform = "reaction-field"\n{cut}dielectric = {DIELECTRIC}\n')
        integrator = f'form = "langevin"\ntemperature = {TEMPERATURE}\nfriction = {FRICTION}\n'
    else:
        integrator = 'form = "velocity-verlet"\n'
        forces = ""
        if arguments.mesh:
            forces = (f'[lennard-jones]\nat-cutoff = "force-shift"\ncutoff = {CUTOFF}\n'
                      f'[coulomb]\nmethod = "mesh"\naccuracy = {arguments.mesh}\n')
    return ('units = "real"\n'
            f"[system]\nstructure = {json.dumps(str(structure))}\n"
            f"topology = {json.dumps(str(structure.with_suffix('.top')))}\nrandom-seed = {SEED}\n{forces}"
            f"[integrator]\n{integrator}timestep = {TIMESTEP}\n[run]\nrecenter-every = 100\n")


def read_positions(path):
    """Positions in nm; OpenMM's own reader takes only three decimals."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [[float(word) for word in line[20:].split()[:3]] for line in lines[2:2 + int(lines[1])]]


def openmm_context(openmm, arguments):
    from openmm import app, unit

    positions = read_positions(arguments.structure)
    span = max(max(axis) - min(axis) for axis in zip(*positions))
    box = [openmm.Vec3(*(3 * span if i == j else 0 for j in range(3))) for i in range(3)]
    topology = app.GromacsTopFile(str(arguments.structure.with_suffix(".top")), periodicBoxVectors=box * unit.nanometer)
    if arguments.cutoff:
        settings = {"nonbondedMethod": app.CutoffNonPeriodic, "nonbondedCutoff": arguments.cutoff * unit.angstrom}
    elif arguments.mesh:
        settings = {"nonbondedMethod": app.PME, "nonbondedCutoff": CUTOFF * unit.angstrom}
    else:
        settings = {"nonbondedMethod": app.NoCutoff}
    system = topology.createSystem(rigidWater=True, removeCMMotion=False, **settings)
    for force in system.getForces():
        if isinstance(force, openmm.NonbondedForce):
            force.setUseDispersionCorrection(False)
            force.setReactionFieldDielectric(DIELECTRIC)
    timestep = TIMESTEP * unit.femtosecond
    if arguments.cutoff:
        integrator = openmm.LangevinMiddleIntegrator(TEMPERATURE * unit.kelvin, FRICTION / unit.femtosecond, timestep)
        integrator.setRandomNumberSeed(SEED)
    else:
        integrator = openmm.VerletIntegrator(timestep)
    platform = openmm.Platform.getPlatformByName(arguments.platform)
    context = openmm.Context(system, integrator, platform, platform_settings(platform, arguments))
    shift = 1.5 * span if arguments.mesh else 0
    context.setPositions([openmm.Vec3(*(x + shift for x in position)) for position in positions])
    context.computeVirtualSites()
    context.setVelocitiesToTemperature(TEMPERATURE * unit.kelvin, SEED)
    return context, system.getNumParticles()


def compare(arguments):
    openmm = import_openmm()
    options = ["--backend", "cuda" if arguments.platform in ("CUDA", "OpenCL", "HIP") else "cpu"]
    if arguments.threads:
        options += ["--threads", str(arguments.threads)]
    if arguments.neighbor:
        options += ["--neighbor", arguments.neighbor]
    run = run_file(arguments)
    dropmd = time_dropmd(arguments.dropmd, run, run, "mixed", ["--energy-every", "100"], options)
    context, n_atoms = openmm_context(openmm, arguments)
    theirs = potential_energy(openmm, context)
    us, steps = openmm_us_per_step(context, 100, None)
    fastest = min(row["us_per_step"] for row in dropmd["rows"])
    ours = dropmd["potential_kcal_per_mol"]
    physics = f"cut at {arguments.cutoff:g} A" if arguments.cutoff else f"mesh {arguments.mesh:g}" if arguments.mesh else "exact"
    return {
        "structure": str(arguments.structure), "n_atoms": n_atoms, "physics": physics,
        "openmm": {"version": openmm.version.version, "platform": arguments.platform, "potential_kcal_per_mol": theirs,
                   "us_per_step": us, "steps": steps},
        "dropmd": dropmd,
        "relative_energy_difference": 0 if arguments.mesh else abs(ours - theirs) / abs(ours),
        "openmm_over_dropmd": us / fastest,
    }


def table(report):
    """The report as text."""
    openmm, dropmd = report["openmm"], report["dropmd"]
    lines = [f"{report['structure']}: {report['n_atoms']} atoms, {report['physics']}, {TIMESTEP:g} fs",
             f"start: OpenMM {openmm['potential_kcal_per_mol']:.8g}, dropmd {dropmd['potential_kcal_per_mol']:.8g} kcal/mol",
             f"OpenMM {openmm['version']}, {openmm['platform']}: {openmm['us_per_step']:.2f} us/step"]
    for row in dropmd["rows"]:
        lines.append(f"dropmd {dropmd['commit']}, {row['device']}, {row['precision']}, {row['neighbor']}: "
                     f"{row['us_per_step']:.2f} us/step, {openmm['us_per_step'] / row['us_per_step']:.2f} times as fast")
    return "\n".join(lines)


def arguments_of(words):
    parser = argparse.ArgumentParser(prog="openmm_water", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("structure", type=Path, help="GRO file with a .top of the same name beside it")
    parser.add_argument("--dropmd", default="dropmd", metavar="PATH", help="the program (default: on the path)")
    physics = parser.add_mutually_exclusive_group(required=True)
    physics.add_argument("--exact", action="store_true", help="every pair, no cutoff")
    physics.add_argument("--mesh", type=positive(float), metavar="A", help="untruncated Coulomb by a mesh of this accuracy")
    physics.add_argument("--cutoff", type=positive(float), metavar="R", help="cutoff of both terms in A, such as 12")
    parser.add_argument("--platform", choices=("CUDA", "OpenCL", "HIP", "CPU", "Reference"), default="CUDA")
    parser.add_argument("--precision", choices=("single", "mixed", "double"), default="mixed", help="OpenMM's")
    parser.add_argument("--device", type=int, default=0, metavar="N", help="number of the GPU")
    parser.add_argument("--threads", type=positive(int), metavar="N", help="CPU threads of both")
    parser.add_argument("--neighbor", metavar="WORD", help="only this method of dropmd, such as pair-list")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    return parser.parse_args(words)


if __name__ == "__main__":
    sys.exit(run_script("openmm_water", arguments_of(sys.argv[1:]), compare, table))
