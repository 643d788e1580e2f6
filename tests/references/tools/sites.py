"""One small system for each kind of virtual site: two molecules of four atoms and a site, and two ions."""

import math

from . import gro

# folder: (section, what stands between the site and the comment, its meaning); atoms are 1 to 4, the site is 5
SITES = {
    "site_1": ("virtual_sites1", "5 2 1", "site from func"),
    "site_2": ("virtual_sites2", "5 1 2 1 0.37", "site from func a"),
    "site_2fd": ("virtual_sites2", "5 1 2 2 -0.105", "site from func a (nm)"),
    "site_3": ("virtual_sites3", "5 1 2 3 1 0.31 0.22", "site from func a b"),
    "site_3fd": ("virtual_sites3", "5 1 2 3 2 0.4 -0.105", "site from func a b (nm)"),
    "site_3fad": ("virtual_sites3", "5 1 2 3 3 115.0 0.12", "site from func angle (degrees) d (nm)"),
    "site_3out": ("virtual_sites3", "5 1 2 3 4 -0.35 -0.3 6.5", "site from func a b c (1/nm)"),
    "site_4fdn": ("virtual_sites4", "5 1 2 3 4 2 1.1 0.9 0.11", "site from func a b c (nm)"),
    "site_n_cog": ("virtual_sitesn", "5 1 1 2 3 4", "site func atoms: centre of geometry"),
    "site_n_com": ("virtual_sitesn", "5 2 1 2 3", "site func atoms: centre of mass"),
    "site_n_cow": ("virtual_sitesn", "5 3 1 0.5 2 1.5 4 2.0", "site func, atom and weight of each: centre of weights"),
}

TOPOLOGY = """; Virtual site of one kind: {kind}.
[ defaults ]
1 2 no 1.0 1.0

[ atomtypes ]
A  6 12.0 0.0 A 0.31 0.40
B  8 16.0 0.0 A 0.28 0.65
V  0  0.0 0.0 V 0.25 0.30
I 11 23.0 0.0 A 0.24 0.45

[ moleculetype ]
M 1
[ atoms ]
1 A 1 MOL A1 1  0.21 12.0
2 B 1 MOL B1 1 -0.34 16.0
3 A 1 MOL A2 1  0.47 14.0
4 B 1 MOL B2 1 -0.28 19.0
5 V 1 MOL V  1 -0.56  0.0
[ bonds ]
; no energy: a connection alone, before which GROMACS reads no [ exclusions ]
1 2 5
[ {section} ]
; {columns}
{line}
[ exclusions ]
1 2 3 4 5
2 3 4 5
3 4 5
4 5

[ moleculetype ]
ION 1
[ atoms ]
1 I 1 ION I 1 0.5

[ system ]
Virtual site {kind}
[ molecules ]
M 2
ION 2
"""

POSITIONS = [
    [1.0000, 1.0000, 1.0000], [1.1433, 1.0217, 0.9871], [0.9514, 1.1268, 1.0522], [0.9397, 0.9131, 1.1143],
    [1.3127, 1.3244, 1.2191], [1.2246, 1.4392, 1.1874], [1.4269, 1.3518, 1.3068], [1.3575, 1.2349, 1.1083],
    [0.8042, 1.3715, 1.2836], [1.4738, 0.9562, 1.0417],
]


def build(folder, name):
    section, line, columns = SITES[name]
    folder.mkdir(exist_ok=True)
    kind = name.removeprefix("site_").replace("_", ", ")
    (folder / "topology.top").write_text(TOPOLOGY.format(section=section, line=line, columns=columns, kind=kind))
    atoms = [(k, "MOL", atom) for k in (1, 2) for atom in ("A1", "B1", "A2", "B2", "V")]
    atoms += [(3, "ION", "I"), (4, "ION", "I")]
    # Sites are placed by whoever reads the file; here they lie on the first atom.
    x = POSITIONS[0:4] + POSITIONS[0:1] + POSITIONS[4:8] + POSITIONS[4:5] + POSITIONS[8:10]
    gro.Gro(f"Virtual site {kind}; sites not yet placed", atoms, x).write(folder / "structure.gro", decimals=6)


def openmm_system(of):
    """An OpenMM System of the same atoms. `of`: the folder of one of SITES that OpenMM has too (else the result is
    None), or openmm_sites, with three sites of smaller charge in a molecule, or openmm_local_sites, with one in local
    coordinates of four atoms."""
    import openmm

    average2, average3 = openmm.TwoParticleAverageSite, openmm.ThreeParticleAverageSite
    # The angle of 3fad from i-j; the local axes are x along i-j and y in the plane.
    angle, d = math.radians(115.0), 0.12
    own = {
        "site_1": lambda i: average2(i + 1, i + 2, 1.0, 0.0),
        "site_2": lambda i: average2(i, i + 1, 1 - 0.37, 0.37),
        "site_3": lambda i: average3(i, i + 1, i + 2, 1 - 0.31 - 0.22, 0.31, 0.22),
        "site_3fad": lambda i: openmm.LocalCoordinatesSite(
            i, i + 1, i + 2, (1, 0, 0), (-1, 1, 0), (0, -1, 1), (d * math.cos(angle), d * math.sin(angle), 0)),
        "site_3out": lambda i: openmm.OutOfPlaneSite(i, i + 1, i + 2, -0.35, -0.3, 6.5),
        "site_n_com": lambda i: average3(i, i + 1, i + 2, 12 / 42, 16 / 42, 14 / 42),
    }
    more = {
        "openmm_sites": [own["site_2"], own["site_3"], own["site_3out"]],
        "openmm_local_sites": [lambda i: openmm.LocalCoordinatesSite(
            [i, i + 1, i + 2, i + 3], [0.4, 0.3, 0.2, 0.1], [-1, 0.5, 0.5, 0], [0, -1, 0.25, 0.75],
            openmm.Vec3(0.03, -0.05, 0.09))],
    }
    makers = [own[of]] if of in own else more.get(of)
    if makers is None:
        return None
    system, nonbonded = openmm.System(), openmm.NonbondedForce()
    system.addForce(nonbonded)
    for first in (0, 4 + len(makers)):
        for mass, q, sigma, epsilon in ((12, 0.21, 0.31, 0.4), (16, -0.34, 0.28, 0.65), (14, 0.47, 0.31, 0.4),
                                        (19, -0.28, 0.28, 0.65)):
            system.addParticle(mass)
            nonbonded.addParticle(q, sigma, epsilon)
        for k, maker in enumerate(makers):
            system.addParticle(0)
            nonbonded.addParticle(-0.56 / len(makers), 0.25, 0.3)
            system.setVirtualSite(first + 4 + k, maker(first))
        for i in range(4 + len(makers)):
            for j in range(i):
                nonbonded.addException(first + i, first + j, 0, 1, 0)
    for _ in range(2):
        system.addParticle(23)
        nonbonded.addParticle(0.5, 0.24, 0.45)
    return system
