#!/usr/bin/env bash
# Builds everything and runs every test. Usage: scripts/test.sh [ctest option...], e.g. scripts/test.sh -R Coulomb
# DROPMD_PRESET: default, cpu, cuda, debug, ... (CMakePresets.json); DROPMD_WERROR=ON: warnings are errors.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${DROPMD_PRESET:-default}
scripts/setup.sh
options=(-DDROPMD_WERROR="${DROPMD_WERROR:-OFF}")
tools=$PWD/build/python-env/bin/python  # of the Python package, if scripts/setup.sh --dev has made them
[[ ! -x $tools ]] || options+=(-DPython_EXECUTABLE="$tools")
cmake --preset "$preset" "${options[@]}"
cmake --build --preset "$preset"
ctest --preset "$preset" --parallel "$(nproc)" "$@"
