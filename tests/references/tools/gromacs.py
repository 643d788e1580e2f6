"""Energies and forces of a topology by GROMACS in double precision (gmx_d), without cutoff and without images.

GROMACS no longer supports vacuum. The same sums result from a box that is so large that no image is within the cutoff,
with a cutoff beyond the system's diameter. The modifiers must be `None`: then the plain cutoff adds no constant to a
pair, nor to excluded pairs or to an atom itself.

At steps with energies, GROMACS takes pairs of function 1 (1-4) from a table; at others, it computes them. Forces are
therefore those of a second step, for which no energies are due; the time step of 1e-30 ps moves nothing.
"""

import os
import re
import struct
import subprocess
import tempfile
from pathlib import Path

from . import gro, units

PARAMETERS = """
integrator = md
dt = 1e-30
nsteps = {steps}
cutoff-scheme = Verlet
nstlist = 1
verlet-buffer-tolerance = -1
pbc = xyz
coulombtype = Cut-off
coulomb-modifier = None
epsilon-rf = 1
vdwtype = Cut-off
vdw-modifier = None
DispCorr = No
rlist = {cutoff}
rcoulomb = {cutoff}
rvdw = {cutoff}
constraint-algorithm = SHAKE
continuation = yes
comm-mode = None
refcoord-scaling = No
nstxout = 1
nstfout = 1
nstenergy = 100
nstcalcenergy = 100
nstlog = 100
"""

# Names of GROMACS' energies: names of the components of `dropmd energy`. "U-B" has the harmonic angle and the term
# between the outer atoms.
COMPONENTS = {
    "Bond": "bond",
    "Angle": "angle",
    "U-B": "angle+urey_bradley",
    "Proper Dih.": "dihedral",
    "Per. Imp. Dih.": "dihedral",
    "Ryckaert-Bell.": "dihedral",
    "Fourier Dih.": "dihedral",
    "Improper Dih.": "improper",
    "CMAP Dih.": "cmap",
    "LJ-14": "lj_14",
    "Coulomb-14": "coulomb_14",
    "LJ (SR)": "vdw",
    "Coulomb (SR)": "coulomb",
    "Position Rest.": "position_restraint",
}


def command(*words, folder, text=""):
    environment = dict(os.environ, GMX_DISABLE_SIMD_KERNELS="1", GMX_MAXBACKUP="-1", OMP_NUM_THREADS="1")
    done = subprocess.run(["gmx_d", "-quiet", "-nobackup", *words], cwd=folder, input=text, env=environment,
                          capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(" ".join(words) + "\n" + done.stdout + done.stderr)
    return done.stdout + done.stderr


def version():
    return re.search(r"GROMACS version: *(\S+)", command("--version", folder=".")).group(1)


def read_trr(path):
    """Frames of a .trr file of double precision: {"step", "x", "f"}."""
    data, at, frames = path.read_bytes(), 0, []
    while at < len(data):
        at += 12 + (struct.unpack_from(">i", data, at + 8)[0] + 3) // 4 * 4
        header = struct.unpack_from(">13i", data, at)
        n = header[10]
        at += 52 + 16 + sum(header[2:5])
        frame = {"step": header[11]}
        for key, size in zip("xvf", header[7:10]):
            if size:
                frame[key] = [list(struct.unpack_from(">3d", data, at + 24 * i)) for i in range(n)]
            at += size
        frames.append(frame)
    return frames


def system_size(positions):
    spans = [max(x[k] for x in positions) - min(x[k] for x in positions) for k in range(3)]
    return sum(span**2 for span in spans) ** 0.5


def compute(topology, structure, define=(), reference=None, include=()):
    """Returns ({component: kcal/mol}, forces [n][3] in kcal/mol/A, positions [n][3] in nm with virtual sites placed).

    `reference`: the structure to which position restraints refer. Energies are those of GROMACS' output with 12
    decimals in kJ/mol.
    """
    start = gro.read(structure)
    both = start.positions + (gro.read(reference).positions if reference else [])
    cutoff = round(system_size(both) + 1.0, 3)
    edge = 2 * cutoff + max(max(x) for x in both) + 1.0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        start.write(folder / "start.gro", decimals=12, box=[edge] * 3)
        words = ["-c", "start.gro"]
        if reference:
            gro.read(reference).write(folder / "reference.gro", decimals=12, box=[edge] * 3)
            words += ["-r", "reference.gro"]
        options = PARAMETERS.format(cutoff=cutoff, steps=2)
        options += "define = " + " ".join("-D" + word for word in define) + "\n"
        options += "include = " + " ".join("-I" + str(path) for path in include) + "\n"
        (folder / "run.mdp").write_text(options)
        command("grompp", "-f", "run.mdp", "-p", str(topology.resolve()), *words, "-o", "run.tpr", "-maxwarn", "9",
                folder=folder)
        command("mdrun", "-s", "run.tpr", "-deffnm", "run", "-nt", "1", folder=folder)
        command("energy", "-f", "run.edr", "-o", "run.xvg", "-dp", folder=folder,
                text="\n".join(str(k) for k in range(1, 60)) + "\n\n")
        names, values = [], None
        for line in (folder / "run.xvg").read_text().splitlines():
            legend = re.match(r'@ s\d+ legend "(.*)"', line)
            if legend:
                names.append(legend.group(1))
            elif line[0] not in "#@" and values is None:
                values = [float(word) for word in line.split()[1:]]
        energies = {}
        for key, value in zip(names, values):
            if key in COMPONENTS:
                component = COMPONENTS[key]
                energies[component] = energies.get(component, 0.0) + units.energy(value)
            elif key == "Potential":
                energies["potential"] = units.energy(value)
        frames = read_trr(folder / "run.trr")
    first, second = frames[0], frames[1]
    # With constraints the second step moves atoms onto them.
    frame = second if second["x"] == first["x"] else first
    return energies, [[units.force(c) for c in f] for f in frame["f"]], first["x"]
