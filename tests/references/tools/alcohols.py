"""A cluster of methanol and ethanol with the OPLS-AA parameters of GROMACS: topology.top and structure.gro."""

import tempfile
from pathlib import Path

from . import clusters, gromacs
from .peptides import displaced, write_reduced

TOPOLOGY = """#include "oplsaa.ff/forcefield.itp"
#include "oplsaa.ff/methanol.itp"
#include "oplsaa.ff/ethanol.itp"
[ system ]
Methanol and ethanol
[ molecules ]
MET 5
ETH 4
"""

# In the order of methanol.itp and ethanol.itp.
METHANOL = ("MET", ["C", "H", "H", "H", "OA", "HO"], clusters.METHANOL)
ETHANOL = ("ETH", ["C", "H", "H", "H", "C", "H", "H", "OA", "HO"], clusters.ETHANOL)


def build(folder, comments):
    folder.mkdir(exist_ok=True)
    structure = clusters.cluster("Methanol and ethanol", [METHANOL] * 5 + [ETHANOL] * 4, 0.5, 14)
    displaced(structure, 0.003, 15)
    structure.write(folder / "structure.gro")
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        (work / "a.top").write_text(TOPOLOGY)
        structure.write(work / "a.gro", box=(12.0, 12.0, 12.0))
        (work / "a.mdp").write_text("rcoulomb = 4\nrvdw = 4\n")
        gromacs.command("grompp", "-f", "a.mdp", "-c", "a.gro", "-p", "a.top", "-o", "a.tpr", "-pp", "pp.top",
                        "-maxwarn", "9", folder=work)
        write_reduced(work / "pp.top", folder, comments)
