"""One system per combination rule, with nonbond_params, pairtypes, generated 1-4 pairs and pairs of both functions."""

from . import clusters

# sigma (nm) and epsilon (kJ/mol) of the types P, Q, R, S
TYPES = {"P": (0.33, 0.42), "Q": (0.29, 0.71), "R": (0.25, 0.13), "S": (0.24, 0.36)}
# other parameters of two types, and of 1-4 pairs of two types
NONBOND = {("P", "S"): (0.272, 0.515), ("Q", "Q"): (0.301, 0.55)}
PAIRS = {("P", "R"): (0.281, 0.11), ("Q", "Q"): (0.27, 0.31)}
EXPLICIT = (0.262, 0.24)  # of one line of [ pairs ]

TOPOLOGY = """; Combination rule {rule}: {columns}.
[ defaults ]
; nbfunc comb-rule gen-pairs fudgeLJ fudgeQQ
1 {rule} yes 0.5 0.8333

[ atomtypes ]
{types}

[ nonbond_params ]
{nonbond}

[ pairtypes ]
{pairs}

[ moleculetype ]
; a chain P Q R P Q Q R; atoms up to three bonds away are excluded
CHAIN 3
[ atoms ]
1 P 1 CHN A1 1  0.25 15.0
2 Q 1 CHN A2 1 -0.35 14.0
3 R 1 CHN A3 1  0.15 13.0
4 P 1 CHN A4 1  0.20 15.0
5 Q 1 CHN A5 1 -0.30 14.0
6 Q 1 CHN A6 1 -0.15 14.0
7 R 1 CHN A7 1  0.20 13.0
[ bonds ]
1 2 1 0.15 180000
2 3 1 0.14 210000
3 4 1 0.15 200000
4 5 1 0.15 180000
5 6 1 0.145 190000
6 7 1 0.14 170000
[ pairs ]
; by the combination rule, pairtypes in the other order, pairtypes, in the line
1 4 1
2 5 1
3 6 1
4 7 1 {explicit}
{second}[ angles ]
1 2 3 1 112 450
2 3 4 1 109 420
3 4 5 1 111 440
4 5 6 1 112 450
5 6 7 1 108 400
[ dihedrals ]
1 2 3 4 1 0 3.1 3
2 3 4 5 1 180 2.2 2
3 4 5 6 1 0 1.4 1
4 5 6 7 1 60 2.5 3

[ moleculetype ]
; neighbours alone are excluded, and the outer atoms by a line of their own in one of two molecules
TRI 1
[ atoms ]
1 Q 1 TRI B1 1 -0.4 14.0
2 P 1 TRI B2 1  0.6 15.0
3 R 1 TRI B3 1 -0.2 13.0
[ bonds ]
1 2 1 0.15 180000
2 3 1 0.15 180000

[ moleculetype ]
BENT 1
[ atoms ]
1 Q 1 BNT B1 1 -0.4 14.0
2 P 1 BNT B2 1  0.6 15.0
3 R 1 BNT B3 1 -0.2 13.0
[ bonds ]
1 2 1 0.15 180000
2 3 1 0.15 180000
[ exclusions ]
1 3

[ moleculetype ]
ION 1
[ atoms ]
1 S 1 ION S 1 -0.5 35.0

[ system ]
Combination rule {rule}
[ molecules ]
CHAIN 2
TRI 1
BENT 1
ION 3
"""

SECOND = """; function 2: fudgeQQ qi qj V W
1 5 2 0.7 0.21 -0.33 {a}
2 6 2 0.9 -0.3 -0.25 {b}
"""

CHAIN = clusters.from_internal([(), (0, 0.151), (1, 0.142, 0, 115.0), (2, 0.149, 1, 107.0, 0, 70.0),
                                (3, 0.152, 2, 113.0, 1, -95.0), (4, 0.144, 3, 110.0, 2, 165.0),
                                (5, 0.142, 4, 110.0, 3, -60.0)])
TRIANGLE = clusters.from_internal([(), (0, 0.152), (1, 0.148, 0, 118.0)])


def parameters(pair, rule):
    """Columns V and W: C6 and C12 for rule 1, else sigma and epsilon."""
    sigma, epsilon = pair
    if rule != 1:
        return f"{sigma} {epsilon}"
    return f"{4 * epsilon * sigma**6:.9e} {4 * epsilon * sigma**12:.9e}"


def build(folder, rule, second=False):
    folder.mkdir(exist_ok=True)
    types = "\n".join(f"{name} 6 12.0 0.0 A {parameters(pair, rule)}" for name, pair in TYPES.items())
    nonbond = "\n".join(f"{a} {b} 1 {parameters(pair, rule)}" for (a, b), pair in NONBOND.items())
    pairs = "\n".join(f"{a} {b} 1 {parameters(pair, rule)}" for (a, b), pair in PAIRS.items())
    lines = SECOND.format(a=parameters((0.27, 0.2), rule), b=parameters((0.25, 0.45), rule)) if second else ""
    columns = "C6 (kJ nm^6/mol) and C12 (kJ nm^12/mol)" if rule == 1 else "sigma (nm) and epsilon (kJ/mol)"
    (folder / "topology.top").write_text(TOPOLOGY.format(
        rule=rule, columns=columns, types=types, nonbond=nonbond, pairs=pairs, second=lines,
        explicit=parameters(EXPLICIT, rule)))
    molecules = [("CHN", [f"A{k}" for k in range(1, 8)], CHAIN)] * 2
    molecules += [(name, ["B1", "B2", "B3"], TRIANGLE) for name in ("TRI", "BNT")]
    molecules += [("ION", ["S"], [[0.0, 0.0, 0.0]])] * 3
    structure = clusters.cluster(f"Combination rule {rule}", molecules, 0.48, 5)
    structure.write(folder / "structure.gro", decimals=6)
