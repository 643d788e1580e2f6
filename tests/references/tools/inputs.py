"""The inputs of the references that are not written by hand: structures, and topologies from published force fields."""

from pathlib import Path

from . import alcohols, clusters, openmm_systems, peptides, rules, sites

WATER_SPCE = ("SOL", ["OW", "HW1", "HW2"], clusters.water(0.1, 109.47122063449069))
WATER_TIP3P = ("WAT", ["O", "H1", "H2"], clusters.water(0.09572, 104.52))
WATER_TIP4P = ("SOL", ["OW", "HW1", "HW2", "MW"], clusters.water(0.09572, 104.52, 0.01546))
HYDRONIUM = ("H3O", ["OH", "HH1", "HH2", "HH3", "MH"], clusters.hydronium(0.098, 111.3, 0.012))
SODIUM = ("NA", ["NA"], [[0.0, 0.0, 0.0]])
CHLORIDE = ("CL", ["CL"], [[0.0, 0.0, 0.0]])

# Twelve atoms whose torsions are near the edges of the dihedral functions, 0 and +-180 degrees among them.
CHAIN = clusters.from_internal([
    (), (0, 0.15), (1, 0.14, 0, 110.0), (2, 0.15, 1, 115.0, 0, 50.0), (3, 0.145, 2, 112.0, 1, -170.0),
    (4, 0.15, 3, 109.0, 2, 178.0), (5, 0.15, 4, 118.0, 3, -177.0), (6, 0.14, 5, 111.0, 4, -65.0),
    (7, 0.15, 6, 113.0, 5, 80.0), (8, 0.15, 7, 110.0, 6, 130.0), (9, 0.15, 8, 116.0, 7, -20.0),
    (10, 0.15, 9, 108.0, 8, 100.0)])

GLYCOL = clusters.from_internal([
    (), (0, 0.142), (1, 0.109, 0, 109.0), (1, 0.109, 0, 110.0, 2, 119.0), (1, 0.153, 0, 109.0, 2, -120.0),
    (4, 0.109, 1, 109.0, 0, 60.0), (4, 0.109, 1, 109.0, 0, -62.0), (4, 0.141, 1, 110.0, 0, 175.0)])


def source(what, reference):
    return [f"{what}, reduced to the types that occur.",
            "Parameters: the force field files of GROMACS 2022.5 as Debian 12 distributes them (LGPL 2.1 or later).",
            reference]


def build_water(here):
    def write(name, title, molecules, spacing, seed, moved=0.0):
        structure = clusters.cluster(title, molecules, spacing, seed)
        if moved:
            peptides.displaced(structure, moved, seed + 100)
        structure.write(here / name / "structure.gro")

    write("spce_ions", "SPC/E water and NaCl", [WATER_SPCE] * 27 + [SODIUM, CHLORIDE], 0.31, 1)
    write("tip3p_ions", "TIP3P water and ions", [SODIUM] * 2 + [WATER_TIP3P] * 9 + [CHLORIDE] + [WATER_TIP3P] * 6,
          0.31, 2)
    write("flexible_water", "Flexible water", [WATER_SPCE] * 10, 0.31, 3, 0.004)
    write("tip4p2005_hydronium", "TIP4P/2005 water, H3O+ and Cl-", [WATER_TIP4P] * 14 + [HYDRONIUM] * 2 + [CHLORIDE],
          0.32, 4)


def build_small(here):
    for name in sites.SITES:
        sites.build(here / name, name)
    for rule in (1, 2, 3):
        rules.build(here / f"rule_{rule}", rule)
    rules.build(here / "pair_functions", 2, second=True)
    chains = [("CHN", [f"A{k}" for k in range(1, 13)], CHAIN)] * 2
    structure = clusters.cluster("Dihedral functions", chains, 0.6, 6)
    peptides.displaced(structure, 0.004, 7)
    structure.write(here / "dihedral_functions/structure.gro", decimals=6)
    structure = clusters.cluster("Position restraints", [("MOL", ["A1", "B1", "A2"], rules.TRIANGLE)] * 3, 0.4, 8)
    structure.write(here / "position_restraints/structure.gro", decimals=6)
    peptides.displaced(structure, 0.02, 9)
    structure.title = "Position restraints, moved"
    structure.write(here / "position_restraints/moved.gro", decimals=6)
    glycol = ("LIN", ["O1", "C1", "H1", "H2", "C2", "H3", "H4", "O2"], GLYCOL)
    water = ("WAT", ["OW", "HW1", "HW2"], clusters.water(0.09572, 104.52))
    structure = clusters.cluster("Preprocessor", [glycol] * 2 + [water] * 3 + [glycol], 0.45, 10)
    peptides.displaced(structure, 0.003, 13)
    structure.write(here / "preprocessor/structure.gro", decimals=6)


def build(here: Path):
    """Writes all inputs below the folder `here`."""
    peptides.build(here / "peptide.pdb", "amber99sb-ildn", here / "amber_peptide", source(
        "SGIDPHNWKY in AMBER99SB-ILDN", "Lindorff-Larsen et al., Proteins 78, 1950 (2010)."))
    peptides.build(here / "peptide.pdb", "charmm27", here / "charmm_peptide", source(
        "SGIDPHNWKY in CHARMM27 with CMAP", "MacKerell et al., J. Phys. Chem. B 102, 3586 (1998); J. Comput. Chem. "
        "25, 1400 (2004)."))
    alcohols.build(here / "opls_alcohols", source(
        "Methanol and ethanol in OPLS-AA", "Jorgensen et al., J. Am. Chem. Soc. 118, 11225 (1996)."))
    build_water(here)
    build_small(here)
    openmm_systems.amber14(here / "openmm_amber14", here / "small_peptide.pdb")
    openmm_systems.charmm36(here / "openmm_charmm36", here / "small_peptide.pdb")
    openmm_systems.geometric(here / "openmm_geometric", here / "opls_alcohols")
    openmm_systems.opls_lj(here / "openmm_opls_lj", here / "opls_alcohols")
    openmm_systems.nbfix_by_gromacs(here / "openmm_nbfix_gromacs", here / "rule_2")
    openmm_systems.nbfix_by_charmm(here / "openmm_nbfix_charmm")
    openmm_systems.tip4pew(here / "openmm_tip4pew")
    openmm_systems.virtual_sites(here / "openmm_sites")
    openmm_systems.virtual_sites(here / "openmm_local_sites")
