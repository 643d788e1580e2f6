#!/usr/bin/env python3
"""Time the transfer of protons every 4 ps in a droplet of waters, beside the same steps without it.

    python3 bench/python_replace.py                      # 4000 TIP4P/2005 waters with 4 H3O+, 5 segments of 4 ps
    python3 bench/python_replace.py --waters 500 --segments 3
    python3 bench/python_replace.py --mesh               # a particle mesh instead of direct sums

Segments with and without transfers alternate. The overhead is the extra time of transfers and of all that follows from
them, in percent of the segments without: it includes the new segment's first steps. Molecules and transfers are those
of examples/python/proton_transfer.py.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import dropmd
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ROOT / "inputs" / "samples"
sys.path.insert(0, str(ROOT / "examples" / "python"))
from proton_transfer import transfer_protons  # noqa: E402

IONS = 4


def make_droplet(folder: Path, waters: int) -> Path:
    """Writes waters with hydronium ions around them, and a run file. Returns the run file's path."""
    subprocess.run([sys.executable, "-m", "dropmd", "generate", "water", "--model", "tip4p2005", "--waters", str(waters),
                    "-o", folder / "water.gro", "--quiet"], check=True)
    lines = (folder / "water.gro").read_text().splitlines()[2:2 + 4 * waters]
    places = np.array([line[20:].split()[:3] for line in lines], dtype=float)
    radius = np.linalg.norm(places - places.mean(axis=0), axis=1).max() + 0.5  # nm
    ion = (SAMPLES / "hydronium.gro").read_text().splitlines()[-6:-1]
    shape = np.array([line[20:].split()[:3] for line in ion], dtype=float)
    lines = [line[:20] + "".join(f"{x:8.3f}" for x in place) for line, place in zip(lines, places)]
    for n in range(IONS):
        way = np.array([np.cos(1.6 * n), np.sin(1.6 * n), 0.3])
        moved = shape - shape[0] + places.mean(axis=0) + radius * way / np.linalg.norm(way)
        for k, name in enumerate(("OW", "HW1", "HW2", "HW3", "MW")):
            number = (len(lines) + 1) % 100000
            lines.append(f"{(waters + n + 1) % 100000:5d}{'H3O':<5s}{name:>5s}{number:5d}"
                         + "".join(f"{x:8.3f}" for x in moved[k]))
    (folder / "droplet.gro").write_text("\n".join(["droplet", str(len(lines)), *lines, "0 0 0", ""]))
    topology = (SAMPLES / "hydronium.top").read_text()
    topology = topology[:topology.index("[ molecules ]")] + f"[ molecules ]\nSOL {waters}\nH3O {IONS}\n"
    (folder / "droplet.top").write_text(topology)
    run = (SAMPLES / "hydronium.toml").read_text()
    run = run.replace("hydronium.gro", "droplet.gro").replace("hydronium.top", "droplet.top")
    (folder / "run.toml").write_text(run.replace("[lennard-jones]", "temperature = 300.0\n[lennard-jones]"))
    return folder / "run.toml"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--waters", type=int, default=4000)
    parser.add_argument("--segments", type=int, default=5)
    parser.add_argument("--ps", type=float, default=4.0)
    parser.add_argument("--mesh", action="store_true", help="a particle mesh of accuracy 1e-4, van der Waals terms up to 12 A")
    parser.add_argument("--backend", default="auto", choices=["auto", "cpu", "cuda"])
    options = parser.parse_args()
    settings = {"engine.backend": options.backend}
    if options.mesh:
        settings |= {"coulomb.method": "mesh", "coulomb.accuracy": 1e-4,
                     "lennard-jones.at-cutoff": "force-shift", "lennard-jones.cutoff": 12.0}
    with tempfile.TemporaryDirectory() as folder:
        sim = dropmd.Simulation(make_droplet(Path(folder), options.waters), settings=settings)
    steps = round(1000 * options.ps / 2)
    sim.step(steps)  # the ions come closer
    took = {False: [], True: []}
    for segment in range(2 * options.segments):
        transfers = segment % 2 == 1
        begin = time.perf_counter()
        sim.step(steps)
        changed = time.perf_counter()
        moved = transfer_protons(sim, reach=8.0) if transfers else 0  # so that there always are some
        sim.step(0)
        end = time.perf_counter()
        took[transfers].append((end - begin, end - changed, moved))
        print(f"{segment}: {moved} protons, {1e3 * (end - begin):.1f} ms, of which {1e3 * (end - changed):.2f} ms after the steps",
              flush=True)
    without, with_them = (np.median([t[0] for t in took[which]]) for which in (False, True))
    print(f"{options.waters} waters, {options.ps} ps: {1e3 * without:.1f} ms without, {1e3 * with_them:.1f} ms with transfers: "
          f"{100 * (with_them / without - 1):.2f}% more; changes alone "
          f"{1e3 * np.median([t[1] for t in took[True]]):.2f} ms")


if __name__ == "__main__":
    main()
