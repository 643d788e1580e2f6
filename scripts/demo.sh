#!/usr/bin/env bash
# Builds dropmd and runs a charged droplet of 4139 atoms and one of water with sodium ions; results in demo-out/ and
# demo-water-out/.
# Usage: scripts/demo.sh [dropmd run option...], e.g. scripts/demo.sh --backend cpu --steps 500
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh
cmake --preset default
cmake --build --preset default --target dropmd
build/default/dropmd run inputs/samples/droplet-4139.toml --output demo-out --force "$@"
build/default/dropmd run inputs/samples/water-na.toml --output demo-water-out --force "$@"

cat <<'TEXT'

In demo-out/:
TEXT
ls -sh1 demo-out
cat <<'TEXT'

  energy.csv       energies and temperature by step; the first line names the units
  trajectory.xyz   extended XYZ: open it with OVITO or VMD, or read it with ase.io.read(..., ':')
  final.xyz        the droplet at the end, with velocities: a structure for another run file

demo-water-out/ has the same for the water, with final.gro instead of final.xyz, and

  ledger.csv       the energy that the thermostat brought in

  head demo-out/energy.csv
  python3 scripts/plot_run.py demo-out     # demo-out/run.png
TEXT
