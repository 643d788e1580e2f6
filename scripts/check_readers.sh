#!/usr/bin/env bash
# Reads what dropmd writes with ASE, OVITO, MDAnalysis, MDTraj, GSD, gemmi and Biopython from PyPI, and lets dropmd read
# what they write.
# Usage: scripts/check_readers.sh     Their packages (some 1 GB) go to build/readers once; needs Python's venv module.
# DROPMD_PRESET: as for scripts/test.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${DROPMD_PRESET:-default}
python=$PWD/build/readers/bin/python3
if [[ ! -x $python ]]; then python3 -m venv build/readers; fi
"$python" -m pip install --quiet --disable-pip-version-check ase biopython gemmi gsd MDAnalysis mdtraj ovito
"$python" -m pip list 2>/dev/null | grep -iE '^(ase|biopython|gemmi|gsd|MDAnalysis|mdtraj|ovito) '

cmake --preset "$preset"
cmake --build --preset "$preset" --target dropmd_tests
log=$(DROPMD_PYTHON=$python "build/$preset/dropmd_tests" --gtest_filter='StructureReaders.*:TrajectoryReaders.*:*/OtherProgram.*') || { echo "$log"; exit 1; }
echo "$log"
if grep --quiet SKIPPED <<< "$log"; then
  echo "check_readers: a program is missing (see above)" >&2
  exit 1
fi
