#!/usr/bin/env python3
"""Time OpenMM and dropmd in the same run with the same droplet, and print the ratio.

    python3 bench/openmm_step.py data/droplet-4139.drop --dropmd build/release/dropmd --exact
    python3 bench/openmm_step.py data/droplet-4139.drop --dropmd build/cpu/dropmd --cutoff 12 --platform CPU

Physics of both: real units, one species with epsilon 0.2 kcal/mol and r_min 2.5 A, mass 20 g/mol, the file's charges,
no wall, velocities of 100 K, 1 fs. --exact: every pair. --cutoff R: plain Lennard-Jones cut and reaction field with a
dielectric constant of 1 at R. The potential energies of the start are compared first; the two use constants of their
own (2e-7).

What differs: OpenMM's verlet is leapfrog, its langevin is LangevinMiddleIntegrator (BAOAB, like dropmd's); dropmd also
recentres the droplet every 100 steps. OpenMM is timed with energies as often as dropmd (its State is fetched) and once
more without any. A time is the median over five pieces of about half a second, after a warm-up; both are wall times.
Exit status 1 if the energies of the start differ.
"""

import argparse
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))  # Python omits it when it runs isolated (-I)
from step_race import (  # noqa: E402
    EPSILON,
    FRICTION,
    MASS,
    R_MIN,
    SEED,
    TEMPERATURE,
    TIMESTEP,
    Failure,
    positive,
    read_droplet,
    run_file,
    run_script,
    time_dropmd,
)

PIECES, PIECE_SECONDS = 5, 0.5
INSTALL = "OpenMM is not installed (pip install openmm, for NVIDIA GPUs openmm[cuda12] or openmm[cuda13])"


def import_openmm():
    try:
        import openmm
    except ImportError as error:
        raise Failure(f"{INSTALL}: {error}") from error
    return openmm


def openmm_context(openmm, positions, charges, arguments):
    """A Context at the start of the run."""
    unit = openmm.unit
    system, forces = openmm.System(), openmm.NonbondedForce()
    sigma = R_MIN / 2 ** (1 / 6) * unit.angstrom
    for charge in charges:
        system.addParticle(MASS * unit.dalton)
        forces.addParticle(charge, sigma, EPSILON * unit.kilocalorie_per_mole)
    if arguments.cutoff:
        forces.setNonbondedMethod(openmm.NonbondedForce.CutoffNonPeriodic)
        forces.setCutoffDistance(arguments.cutoff * unit.angstrom)
        forces.setReactionFieldDielectric(1.0)
    else:
        forces.setNonbondedMethod(openmm.NonbondedForce.NoCutoff)
    forces.setUseSwitchingFunction(False)
    forces.setUseDispersionCorrection(False)
    system.addForce(forces)
    timestep = TIMESTEP * unit.femtosecond
    if arguments.integrator == "langevin":
        integrator = openmm.LangevinMiddleIntegrator(
            TEMPERATURE * unit.kelvin, FRICTION / unit.femtosecond, timestep
        )
        integrator.setRandomNumberSeed(SEED)
    else:
        integrator = openmm.VerletIntegrator(timestep)
    try:
        platform = openmm.Platform.getPlatformByName(arguments.platform)
        settings = platform_settings(platform, arguments)
        context = openmm.Context(system, integrator, platform, settings)
    except openmm.OpenMMException as error:
        names = [openmm.Platform.getPlatform(i).getName() for i in range(openmm.Platform.getNumPlatforms())]
        raise Failure(f"OpenMM, platform {arguments.platform}: {error} (there are: {', '.join(names)})") from error
    context.setPositions(positions * unit.angstrom)
    context.setVelocitiesToTemperature(TEMPERATURE * unit.kelvin, SEED)
    return context


def platform_settings(platform, arguments):
    """The requested settings that the platform has."""
    wanted = {"Precision": arguments.precision, "DeviceIndex": str(arguments.device)}
    if arguments.threads:
        wanted["Threads"] = str(arguments.threads)
    return {name: value for name, value in wanted.items() if name in platform.getPropertyNames()}


def potential_energy(openmm, context):
    """kcal/mol"""
    return context.getState(energy=True).getPotentialEnergy().value_in_unit(openmm.unit.kilocalorie_per_mole)


def openmm_us_per_step(context, energy_every, fixed_steps):
    """Median over the pieces, and the steps of a piece. energy_every: steps between energies; 0: none."""
    integrator = context.getIntegrator()

    def piece(steps):
        begin = time.perf_counter()
        for done in range(0, steps, energy_every or steps):
            integrator.step(min(energy_every or steps, steps - done))
            if energy_every:
                context.getState(energy=True)
        context.getState(positions=True)  # waits for the device
        return time.perf_counter() - begin

    steps = fixed_steps or max(10, energy_every)
    piece(steps)  # compiles kernels, finds block sizes
    while not fixed_steps and (seconds := piece(steps)) < 0.8 * PIECE_SECONDS:
        longer = steps * min(20, PIECE_SECONDS / max(seconds, 1e-6))
        interval = energy_every or 1
        steps = max(steps + interval, round(longer / interval) * interval)
    return statistics.median(piece(steps) for _ in range(PIECES)) * 1e6 / steps, steps


def time_openmm(openmm, arguments, positions, charges):
    context = openmm_context(openmm, positions, charges, arguments)
    platform = context.getPlatform()
    settings = {name: platform.getPropertyValue(context, name) for name in platform.getPropertyNames()}
    result = {
        "version": openmm.version.version,
        "platform": platform.getName(),
        "settings": {name: value for name, value in settings.items() if value},
        "integrator": type(context.getIntegrator()).__name__,
        "potential_kcal_per_mol": potential_energy(openmm, context),
    }
    with_energies, steps = openmm_us_per_step(context, arguments.energy_every, arguments.steps)
    without, _ = openmm_us_per_step(context, 0, arguments.steps)
    return {**result, "steps": steps, "us_per_step": with_energies, "us_per_step_without_energies": without}


def time_dropmd_beside(arguments):
    on_gpu = arguments.platform in ("CUDA", "OpenCL", "HIP")
    backend = arguments.dropmd_backend or ("cuda" if on_gpu else "cpu")
    precision = arguments.dropmd_precision or ("double" if arguments.precision == "double" else "mixed")
    options = ["--backend", backend, "--device", str(arguments.device)]
    if arguments.threads:
        options += ["--threads", str(arguments.threads)]
    plan = ["--energy-every", str(arguments.energy_every)]
    if arguments.steps:
        plan += ["--steps", str(arguments.steps)]
    run = run_file(arguments.droplet, arguments.cutoff, arguments.integrator)
    return time_dropmd(arguments.dropmd, run, run, precision, plan, options)


def table(report):
    """The report as text."""
    openmm, dropmd = report["openmm"], report["dropmd"]
    settings = ", ".join(f"{name} {value}" for name, value in openmm["settings"].items())
    physics = f"cut at {report['cutoff_angstrom']:g} A" if report["cutoff_angstrom"] else "exact"
    label = f"OpenMM {openmm['platform']}"
    lines = [
        f"{report['droplet']}: {report['n_atoms']} atoms, {physics}, {report['integrator']}, {TIMESTEP:g} fs",
        f"OpenMM {openmm['version']}, {openmm['platform']}, {openmm['integrator']}; {settings}",
        f"dropmd {dropmd['version']} ({dropmd['commit']})",
        f"start: {openmm['potential_kcal_per_mol']:.10g} and {dropmd['potential_kcal_per_mol']:.10g} kcal/mol, "
        f"relative difference {report['relative_energy_difference']:.1e}",
        "",
        f"{'':<44} {'energies':>14} {'us/step':>12} {'OpenMM/this':>12}",
        f"{label:<44} {'every ' + str(report['energy_every_steps']):>14} {openmm['us_per_step']:>12.2f} {1:>12.2f}",
        f"{label:<44} {'never':>14} {openmm['us_per_step_without_energies']:>12.2f} "
        f"{openmm['us_per_step'] / openmm['us_per_step_without_energies']:>12.2f}",
    ]
    for row in dropmd["rows"]:
        name = f"dropmd {row['device']}, {row['precision']}, {row['neighbor']}"
        lines.append(
            f"{name:<44} {'every ' + str(row['energy_every_steps']):>14} {row['us_per_step']:>12.2f} "
            f"{openmm['us_per_step'] / row['us_per_step']:>12.2f}"
        )
    lines.append(
        f"fastest dropmd: {report['openmm_over_dropmd']:.2f} times as fast as OpenMM with energies, "
        f"{report['openmm_without_energies_over_dropmd']:.2f} times as fast as OpenMM without"
    )
    return "\n".join(lines)


def compare(arguments):
    positions, charges = read_droplet(arguments.droplet)
    module = import_openmm()
    dropmd = time_dropmd_beside(arguments)
    openmm = time_openmm(module, arguments, positions, charges)
    fastest = min(row["us_per_step"] for row in dropmd["rows"])
    ours, theirs = dropmd["potential_kcal_per_mol"], openmm["potential_kcal_per_mol"]
    return {
        "droplet": str(arguments.droplet),
        "n_atoms": len(positions),
        "cutoff_angstrom": arguments.cutoff,
        "integrator": arguments.integrator,
        "timestep_fs": TIMESTEP,
        "energy_every_steps": arguments.energy_every,
        "relative_energy_difference": abs(ours - theirs) / abs(ours),
        "openmm": openmm,
        "dropmd": dropmd,
        "openmm_over_dropmd": openmm["us_per_step"] / fastest,
        "openmm_without_energies_over_dropmd": openmm["us_per_step_without_energies"] / fastest,
    }


def arguments_of(words):
    parser = argparse.ArgumentParser(
        prog="openmm_step", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("droplet", type=Path, help="droplet file (.drop), as dropmd generate droplet writes it")
    parser.add_argument("--dropmd", default="dropmd", metavar="PATH", help="the program (default: on the path)")
    physics = parser.add_mutually_exclusive_group(required=True)
    physics.add_argument("--exact", action="store_true", help="every pair, no cutoff")
    physics.add_argument("--cutoff", type=positive(float), metavar="R", help="cutoff of both terms in A, such as 12")
    parser.add_argument("--integrator", choices=("verlet", "langevin"), default="verlet")
    parser.add_argument("--platform", choices=("CUDA", "OpenCL", "HIP", "CPU", "Reference"), default="CUDA")
    parser.add_argument("--precision", choices=("single", "mixed", "double"), default="mixed", help="OpenMM's")
    parser.add_argument("--device", type=int, default=0, metavar="N", help="number of the GPU")
    parser.add_argument("--threads", type=positive(int), metavar="N", help="CPU threads of both")
    parser.add_argument("--steps", type=positive(int), metavar="N", help="steps of a timed piece (default: by time)")
    parser.add_argument("--energy-every", type=positive(int), default=100, metavar="N", help="steps between energies")
    parser.add_argument("--dropmd-backend", choices=("auto", "cpu", "cuda"), help="default: as the platform")
    parser.add_argument("--dropmd-precision", choices=("mixed", "double"), help="default: mixed; double as OpenMM")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    arguments = parser.parse_args(words)
    if arguments.steps and arguments.steps > arguments.energy_every and arguments.steps % arguments.energy_every:
        parser.error("--steps is not a multiple of --energy-every")
    return arguments


if __name__ == "__main__":
    sys.exit(run_script("openmm_step", arguments_of(sys.argv[1:]), compare, table))
