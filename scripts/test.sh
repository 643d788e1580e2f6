#!/usr/bin/env bash
# Builds everything and runs every test. Usage: scripts/test.sh [ctest option...], e.g. scripts/test.sh -R Coulomb
# DROPMD_PRESET: default, cpu, cuda, debug, ... (CMakePresets.json); DROPMD_WERROR=ON: warnings are errors.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${DROPMD_PRESET:-default}
scripts/setup.sh
cmake --preset "$preset" -DDROPMD_WERROR="${DROPMD_WERROR:-OFF}"
cmake --build --preset "$preset"
ctest --preset "$preset" --parallel "$(nproc)" "$@"
