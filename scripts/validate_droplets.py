#!/usr/bin/env python3
"""Runs droplets that evaporate, cool, eject ions and coexist with their vapour, and prints what docs/validation.md
says of them, as Markdown.

    scripts/validate_droplets.py [--dropmd PATH] [--folder DIR] [--devices 0,1] [--seeds N] [CASE...]

CASE: evaporation, cooling, ejection, drying, coexistence; all if none is given. The runs of a case are shared out among
the GPUs. Runs whose output exists are not repeated. On two H100s evaporation took 6 minutes; on four H200s ejection,
drying and coexistence together took 3.5.
"""

import argparse
import concurrent.futures
import csv
import math
import pathlib
import re
import statistics
import subprocess

# SI constants, and kcal/mol in J per particle.
BOLTZMANN, AVOGADRO, WATER_MASS = 1.380649e-23, 6.02214076e23, 18.015e-3 / 6.02214076e23
VACUUM_PERMITTIVITY, ELEMENTARY_CHARGE = 8.8541878128e-12, 1.602176634e-19

# TIP4P/2005: saturation pressure in Pa and density of the liquid in kg/m3 (NIST, standard reference simulations), and
# surface tension in N/m (Vega and de Miguel, J. Chem. Phys. 126, 154707, 2007, interpolated).
TIP4P2005 = {300: (801.8, 996.5, 0.0693), 350: (13260.0, 972.2, 0.060), 375: (39160.0, 954.4, 0.055)}

WATER = """title = "{title}"
units = "real"

[system]
structure = "{structure}"
topology = "{topology}"
temperature = {temperature}
random-seed = {seed}

[integrator]
{integrator}

[run]
steps = {steps}
recenter = "droplet"
recenter-every = 500

[droplet]
every = 500
surface-tension = {tension}
{droplet}

[output]
directory = "out"
energy-every = 500
trajectory-every = 0
checkpoint-minutes = 0
checkpoint-every = 0
"""

LANGEVIN = 'form = "langevin"\ntimestep = 2.0\ntemperature = {}\nfriction = {}\napplies-to = "{}"'
VERLET = 'form = "velocity-verlet"\ntimestep = 2.0'


class Case:
    """A folder of runs, which are performed once."""

    def __init__(self, options, name):
        self.options, self.folder = options, options.folder / name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.jobs = []

    def dropmd(self, *words, device=None, folder=None):
        line = [str(self.options.dropmd), *map(str, words)]
        if device is not None:
            line += ["--device", str(device)]
        with open((folder or self.folder) / "log.txt", "w", encoding="utf-8") as log:
            subprocess.run(line, cwd=folder or self.folder, check=True, stdout=log, stderr=subprocess.STDOUT)

    def water(self, name, waters, ions):
        """Generates a water droplet once; returns the path of its structure."""
        path = self.folder / f"{name}.gro"
        if not path.exists():
            words = ["--ions", f"Na:{ions}"] if ions else []
            self.dropmd("generate", "water", "--waters", waters, "--model", "tip4p2005", *words, "-o", path, "-q")
        return path

    def add(self, name, text):
        """Adds a run of a run file with this text; returns its output folder."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        if not (folder / "out" / "final.gro").exists() and not (folder / "out" / "final.xyz").exists():
            (folder / "run.toml").write_text(text)
            self.jobs.append(folder)
        return folder / "out"

    def add_water(self, name, structure, **values):
        values = {"droplet": "", "title": name, "structure": structure, "topology": structure.with_suffix(".top"),
                  **values}
        return self.add(name, WATER.format(**values))

    def run(self):
        """Performs the runs, one at a time on each GPU."""
        devices = self.options.devices
        def on_device(k):
            for folder in self.jobs[k :: len(devices)]:
                self.dropmd("run", "run.toml", "--force", *self.options.run, device=devices[k], folder=folder)
        with concurrent.futures.ThreadPoolExecutor(len(devices)) as pool:
            list(pool.map(on_device, range(len(devices))))
        self.jobs = []


def rows_of(path):
    """Returns the rows of a table of a run, as dictionaries."""
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def column(rows, name):
    return [float(row[name]) for row in rows]


def mean_and_error(values):
    """Returns the mean and its standard error."""
    error = statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else float("nan")
    return statistics.fmean(values), error


def hertz_knudsen(radius, temperature, properties):
    """Molecules per ns that leave a droplet of this radius in nm for vacuum, with Kelvin's factor (shared/physics)."""
    pressure, density, tension = properties
    r, kt = radius * 1e-9, BOLTZMANN * temperature
    kelvin = math.exp(2 * tension * WATER_MASS / density / (r * kt))
    return 4 * math.pi * r * r * pressure * kelvin / math.sqrt(2 * math.pi * WATER_MASS * kt) * 1e-9


def rayleigh_charge(radius, tension):
    """Rayleigh's limit in elementary charges; radius in nm."""
    return 8 * math.pi * math.sqrt(VACUUM_PERMITTIVITY * tension * (radius * 1e-9) ** 3) / ELEMENTARY_CHARGE


def evaporation(options):
    """A droplet of R = 2.5 nm, held at a temperature, whose vapour is removed."""
    case, outs = Case(options, "evaporation"), {}
    start = case.water("droplet", 2127, 0)
    for temperature in (350, 375):
        for seed in range(1, options.seeds + 1):
            outs[temperature, seed] = case.add_water(
                f"{temperature}-{seed}", start, temperature=temperature, seed=seed, steps=1_050_000,
                tension=TIP4P2005[temperature][2], droplet="remove-beyond = 20.0",
                integrator=LANGEVIN.format(temperature, 0.002, "droplet"))
    case.run()
    print("| T, K | seed | T of the droplet | R, nm, first and last | molecules lost in 2 ns | rate, 1/ns | "
          "Hertz-Knudsen | ratio |\n|---|---|---|---|---|---|---|---|")
    for temperature in (350, 375):
        ratios = []
        for seed in range(1, options.seeds + 1):
            rows = [r for r in rows_of(outs[temperature, seed] / "droplet.csv") if float(r["time"]) >= 100_000]
            radius, molecules = column(rows, "radius"), column(rows, "molecules")
            ns = (float(rows[-1]["time"]) - float(rows[0]["time"])) * 1e-6
            tenth = max(1, len(rows) // 10)
            lost = statistics.fmean(molecules[:10]) - statistics.fmean(molecules[-10:])
            expected = statistics.fmean(hertz_knudsen(r / 10, temperature, TIP4P2005[temperature]) for r in radius)
            ratios.append(lost / ns / expected)
            print(f"| {temperature} | {seed} | {statistics.fmean(column(rows, 'temperature')):.1f} | "
                  f"{statistics.fmean(radius[:tenth]) / 10:.3f}, {statistics.fmean(radius[-tenth:]) / 10:.3f} | "
                  f"{lost:.0f} | {lost / ns:.1f} | {expected:.1f} | {ratios[-1]:.2f} |")
        print(f"\n{temperature} K: ratio {mean_and_error(ratios)[0]:.2f} ± {mean_and_error(ratios)[1]:.2f}\n")


def drift_of(out):
    """Returns the slope of `conserved` in kcal/mol per ns."""
    rows = rows_of(out / "ledger.csv") if (out / "ledger.csv").exists() else rows_of(out / "energy.csv")
    time, energy = column(rows, "time"), column(rows, "conserved" if "conserved" in rows[0] else "total")
    t, e = statistics.fmean(time), statistics.fmean(energy)
    return 1e6 * sum((a - t) * (b - e) for a, b in zip(time, energy)) / sum((a - t) ** 2 for a in time)


def cooling(options):
    """A droplet that evaporates without a bath, beside the same run without removals."""
    case = Case(options, "cooling")
    start = case.water("droplet", 2127, 0)
    warm = case.add_water("warm", start, temperature=350, seed=1, steps=10_000, tension=0.06,
                          integrator=LANGEVIN.format(350, 0.01, "all"))
    case.run()
    outs = {name: case.add_water(name, warm / "final.gro", topology=start.with_suffix(".top"), temperature=350, seed=1,
                                 steps=500_000, tension=0.06, integrator=VERLET, droplet=words)
            for name, words in (("kept", ""), ("removed", "remove-beyond = 20.0"))}
    case.run()
    rows = rows_of(outs["removed"] / "droplet.csv")
    print("| time, ps | molecules | T, K |\n|---|---|---|")
    for k in range(10):
        part = rows[k * len(rows) // 10 : (k + 1) * len(rows) // 10]
        print(f"| {statistics.fmean(column(part, 'time')) / 1000:.0f} | {statistics.fmean(column(part, 'molecules')):.0f} | "
              f"{statistics.fmean(column(part, 'temperature')):.1f} |")
    ledger = rows_of(outs["removed"] / "ledger.csv")
    n_removed = sum(r["event"] == "removed" for r in rows_of(outs["removed"] / "events.csv"))
    print(f"\n{n_removed} clusters of {float(ledger[-1]['removed_mass']):.1f} g/mol removed, energy booked "
          f"{float(ledger[-1]['removed']):.6f} kcal/mol; total {float(ledger[-1]['total']):.6f}. Drift of `conserved`: "
          f"{drift_of(outs['removed']):.3f} with removals, {drift_of(outs['kept']):.3f} without, kcal/mol per ns.")


# Sodium ions in a droplet of R = 2 nm.
EJECTION = (8, 12)


def ejection(options):
    """Charged droplets of R = 2 nm at 0.7 and 1.1 of Rayleigh's limit, for 1 ns."""
    case, outs = Case(options, "ejection"), {}
    for ions in EJECTION:
        start = case.water(f"na{ions}", 1116, ions)
        for seed in range(1, 11):
            outs[ions, seed] = case.add_water(f"{ions}-{seed}", start, temperature=300, seed=seed, steps=500_000,
                                              tension=0.0693, integrator=LANGEVIN.format(300, 0.001, "all"))
    case.run()
    print("| Na⁺ | share of the limit | runs with an ejection within 0.1 ns | within 1 ns | time of the first, ps |\n"
          "|---|---|---|---|---|")
    for ions in EJECTION:
        first, shares = [], []
        for seed in range(1, 11):
            shares.append(float(rows_of(outs[ions, seed] / "droplet.csv")[5]["rayleigh_share"]))
            times = [float(r["time"]) for r in rows_of(outs[ions, seed] / "events.csv") if r["event"] == "ejected"]
            if times:
                first.append(times[0] / 1000)
        print(f"| {ions} | {statistics.fmean(shares):.2f} | {sum(t <= 100 for t in first)} of 10 | {len(first)} of 10 | "
              f"{', '.join(f'{t:.0f}' for t in sorted(first)) or 'none'} |")


def speeds(folder):
    """Returns (step, steps per second since the line before) of the lines of progress in a log."""
    lines = re.findall(r"^step (\d+)/.* ([0-9.e+]+) steps/s", (folder / "log.txt").read_text(), re.MULTILINE)
    seconds = [(int(step), int(step) / float(rate)) for step, rate in lines]
    return [(b, (b - a) / (at_b - at_a)) for (a, at_a), (b, at_b) in zip(seconds, seconds[1:]) if at_b > at_a + 1]


def drying(options):
    """Charged droplets that evaporate at 375 K until they eject ions."""
    case, outs = Case(options, "drying"), []
    start = case.water("na8", 1116, 8)
    for seed in range(1, options.seeds + 1):
        outs.append(case.add_water(f"375-{seed}", start, temperature=375, seed=seed, steps=2_000_000, tension=0.055,
                                   droplet="remove-beyond = 20.0", integrator=LANGEVIN.format(375, 0.002, "droplet")))
    case.run()
    print("| seed | ejection at, ps | molecules in the droplet | charge | R, nm | share of the limit | waters that left with it |\n"
          "|---|---|---|---|---|---|---|")
    for seed, out in enumerate(outs, 1):
        rows = {row["step"]: row for row in rows_of(out / "droplet.csv")}
        steps = sorted(int(step) for step in rows)
        for event in rows_of(out / "events.csv"):
            if event["event"] != "ejected":
                continue
            before = [rows[str(s)] for s in steps if s < int(event["step"])][-10:]
            print(f"| {seed} | {float(event['time']) / 1000:.0f} | {before[-1]['molecules']} | {before[0]['charge']} | "
                  f"{statistics.fmean(column(before, 'radius')) / 10:.2f} | "
                  f"{statistics.fmean(column(before, 'rayleigh_share')):.2f} | {int(event['cluster_molecules']) - 1} |")
    print("\n| seed | step | molecules in the droplet | steps per second |\n|---|---|---|---|")
    for seed, out in enumerate(outs, 1):
        rows = {int(row["step"]): row for row in rows_of(out / "droplet.csv")}
        for step, speed in speeds(out.parent):
            print(f"| {seed} | {step} | {rows[step - step % 500]['molecules']} | {speed:.0f} |")


LENNARD_JONES = """title = "Lennard-Jones droplet in its vapour"
units = "lj"

[system]
structure = "{structure}"
mass = 1.0
temperature = {temperature}
random-seed = 3

[lennard-jones]
epsilon = 1.0
sigma = 1.0
cutoff = 3.0
at-cutoff = "force-shift"

[wall]
form = "harmonic"
radius = {wall}
stiffness = 1.0

[integrator]
form = "langevin"
timestep = 0.004
temperature = {temperature}
friction = 0.02

[run]
steps = 1200000
recenter = "droplet"
recenter-every = 1000

[droplet]
every = 1000
profile-every = 100000

[output]
directory = "out"
energy-every = 1000
trajectory-every = 0
checkpoint-minutes = 0
checkpoint-every = 0
"""

# Coexistence of the Lennard-Jones fluid, linear force shifted at 3 sigma (NIST, standard reference simulations,
# SAT-TMMC): densities of vapour and liquid.
COEXISTENCE = {0.70: (7.501e-3, 0.7852), 0.80: (2.000e-2, 0.7294)}


def density_between(rows, inner, outer):
    """Returns the mean density between two radii and its error, from a run's blocks after the first 400,000 steps."""
    name = next(key for key in rows[0] if key.startswith("density_"))
    blocks = {}
    for row in rows:
        if int(row["step"]) > 400_000 and inner < float(row["r"]) < outer:
            blocks.setdefault(row["step"], []).append((float(row["r"]) ** 2, float(row[name])))
    return mean_and_error([sum(w * d for w, d in b) / sum(w for w, _ in b) for b in blocks.values()])


def without_curvature(near, far):
    """Returns the value at 1/R = 0 on the line through (R, value) of two droplets."""
    (a, at_a), (b, at_b) = near, far
    return at_b + (at_b - at_a) * (1 / b) / (1 / a - 1 / b)


def coexistence(options):
    """Lennard-Jones droplets of two sizes in spheres with their vapour, and what follows for a flat surface."""
    case, outs = Case(options, "coexistence"), {}
    for atoms, wall in ((6000, 25.0), (20000, 36.0)):
        structure = case.folder / f"droplet-{atoms}.drop"
        if not structure.exists():
            case.dropmd("generate", "droplet", "--atoms", atoms, "--density", 0.75, "--charges", "none", "--lattice",
                        "fcc", "-o", structure, "-q")
        for temperature in COEXISTENCE:
            outs[temperature, wall] = case.add(f"{temperature:.2f}-{atoms}", LENNARD_JONES.format(
                structure=structure, temperature=temperature, wall=wall))
    case.run()
    print("| T | T of the droplet | R | liquid | vapour |\n|---|---|---|---|---|")
    for temperature, (vapour, liquid) in COEXISTENCE.items():
        measured = {}
        for wall in (25.0, 36.0):
            rows = rows_of(outs[temperature, wall] / "profile.csv")
            droplet = [r for r in rows_of(outs[temperature, wall] / "droplet.csv") if int(r["step"]) > 400_000]
            radius = statistics.fmean(column(droplet, "radius"))
            inside, outside = density_between(rows, 1, radius - 5), density_between(rows, radius + 5, wall - 2)
            measured[wall] = radius, inside[0], math.log(outside[0])
            print(f"| {temperature} | {statistics.fmean(column(droplet, 'temperature')):.4f} | {radius:.2f} | "
                  f"{inside[0]:.4f} ± {inside[1]:.4f} | {outside[0]:.5f} ± {outside[1]:.5f} |")
        (a, liquid_a, vapour_a), (b, liquid_b, vapour_b) = measured[25.0], measured[36.0]
        print(f"| {temperature} | | flat | {without_curvature((a, liquid_a), (b, liquid_b)):.4f} (NIST {liquid}) | "
              f"{math.exp(without_curvature((a, vapour_a), (b, vapour_b))):.5f} (NIST {vapour}) |")


CASES = {f.__name__: f for f in (evaporation, cooling, ejection, drying, coexistence)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(CASES))
    parser.add_argument("--dropmd", type=pathlib.Path, default=pathlib.Path("build/default/dropmd"))
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("validation"))
    parser.add_argument("--devices", default="0", help="numbers of the GPUs, separated by commas")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--run", default="", help="further arguments for dropmd run")
    options = parser.parse_args()
    options.dropmd, options.folder = options.dropmd.resolve(), options.folder.resolve()
    options.devices, options.run = options.devices.split(","), options.run.split()
    for name in options.cases or CASES:
        if name not in CASES:
            parser.error(f"no case {name} ({', '.join(CASES)})")
        print(f"\n## {name}\n\n{CASES[name].__doc__}\n")
        CASES[name](options)


if __name__ == "__main__":
    main()
