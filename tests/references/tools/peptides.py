"""The peptide SGIDPHNWKY with the parameters of GROMACS' force fields: topology.top and structure.gro.

peptide.pdb has its heavy atoms (ideal geometry by PeptideBuilder 1.1.0, torsions of different regions). gmx pdb2gmx
adds hydrogens; some steps of a minimiser remove overlaps; then every coordinate moves by up to 0.004 nm, so that each
term has an energy and a force.
"""

import random
import shutil
import tempfile
from pathlib import Path

from . import gro, gromacs
from .reduce_topology import reduce_topology

MINIMISER = """
integrator = steep
nsteps = 400
emtol = 20
cutoff-scheme = Verlet
coulombtype = Cut-off
epsilon-rf = 1
rcoulomb = 4
rvdw = 4
"""


def displaced(structure, largest, seed):
    """Moves each coordinate by a random length of at most `largest` nm."""
    generator = random.Random(seed)
    structure.positions = [[c + generator.uniform(-largest, largest) for c in x] for x in structure.positions]


def build(pdb, force_field, folder, comments):
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        shutil.copy(pdb, work / "peptide.pdb")
        gromacs.command("pdb2gmx", "-f", "peptide.pdb", "-ff", force_field, "-water", "none", "-ignh", "-o", "a.gro",
                        "-p", "a.top", folder=work)
        gromacs.command("editconf", "-f", "a.gro", "-o", "b.gro", "-box", "12", "12", "12", "-c", folder=work)
        (work / "em.mdp").write_text(MINIMISER)
        gromacs.command("grompp", "-f", "em.mdp", "-c", "b.gro", "-p", "a.top", "-o", "em.tpr", "-pp", "pp.top",
                        "-maxwarn", "9", folder=work)
        gromacs.command("mdrun", "-nt", "1", "-s", "em.tpr", "-c", "c.gro", folder=work)
        structure = gro.read(work / "c.gro")
        structure.title = "SGIDPHNWKY"
        displaced(structure, 0.004, 11)
        folder.mkdir(exist_ok=True)
        structure.write(folder / "structure.gro")
        write_reduced(work / "pp.top", folder, comments)


def write_reduced(full, folder, comments):
    """Writes topology.top, reduced from `full`, and checks that GROMACS finds the same energies with both."""
    (folder / "topology.top").write_text(reduce_topology(full.read_text(), comments))
    with_all, with_some = (gromacs.compute(path, folder / "structure.gro")[0] for path in
                           (full, folder / "topology.top"))
    if with_all != with_some:
        raise SystemExit(f"{folder.name}: the reduced topology has other energies: {with_all} {with_some}")
