#!/usr/bin/env bash
# Line coverage of the CPU code: builds the preset coverage, runs the tests, lists files and rooms; fails below a limit.
# Usage: scripts/coverage.sh [--least PERCENT] [--report-only]
#   --least PERCENT  of all lines together (default: 90)
#   --report-only    of the previous test run
# CUDA files are neither compiled here nor counted, and the tests themselves are not counted.
set -euo pipefail
cd "$(dirname "$0")/.."

least=90
run=1
while (( $# )); do
  case "$1" in
    --least) least=${2:?coverage: --least needs a number} && shift ;;
    --report-only) run=0 ;;
    *) echo "coverage: unknown option '$1'" >&2; exit 2 ;;
  esac
  shift
done
build=build/coverage

if (( run )); then
  scripts/setup.sh --dev
  cmake --preset coverage > /dev/null
  cmake --build --preset coverage
  find "$build" -name '*.gcda' -delete
  # Statistics of long runs execute lines that shorter tests also execute, and take most of the time with counters.
  long='ClusterMinima*:*EnergyDrift*:*ThermostatTest*:*Descent2009*:*EnergyConservation*:*ThousandsOfSteps*'
  "$build/dropmd_tests" --gtest_brief=1 --gtest_filter="-*/$long"
fi

gcovr --root . --exclude 'tests/' --exclude 'build/' --csv "$build/coverage.csv" "$build"
# Columns of gcovr's CSV: filename, line_total, line_covered, ...
awk -F, -v least="$least" '
  NR == 1 || $2 == 0 { next }
  { room = $1; sub("/.*", "", room); lines[room] += $2; covered[room] += $3; all += $2; all_covered += $3
    printf "%-44s %6d %6d %6.1f%%\n", $1, $2, $3, 100 * $3 / $2 }
  END {
    print ""
    for (room in lines) {
      share = 100 * covered[room] / lines[room]
      printf "%-44s %6d %6d %6.1f%%\n", room "/", lines[room], covered[room], share | "sort"
    }
    close("sort")
    share = all > 0 ? 100 * all_covered / all : 0
    printf "%-44s %6d %6d %6.1f%% (at least %s%%)\n", "total", all, all_covered, share, least
    exit share < least
  }' "$build/coverage.csv"
