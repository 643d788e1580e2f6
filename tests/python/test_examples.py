"""The programs in examples/python, as a user would start them, for a few steps."""

import re
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "python"


def test_protons_move():
    run = subprocess.run([sys.executable, EXAMPLES / "proton_transfer.py", "--segments", "3", "--ps", "0.05"],
                         capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    moved = [int(n) for n in re.findall(r"(\d+) proton\(s\) moved", run.stdout)]
    assert len(moved) == 3 and sum(moved) > 0
    conserved = [float(e) for e in re.findall(r"conserved (\S+) kcal", run.stdout)]
    assert max(conserved) - min(conserved) < 1  # of some 2000 kcal/mol; the transfers alone change the energy by tens
    assert run.stdout.endswith("% of the steps' time\n")
