#!/usr/bin/env bash
# Builds the tests with sanitizers and runs them, on the CPU; any report is a failure.
# Usage: scripts/sanitize.sh [address|threads]     default: both
#   address   every test with the address and the undefined-behaviour sanitizer (preset debug, clang++)
#   threads   tests that distribute work over threads or take signals, with the thread sanitizer (preset tsan, clang++)
set -euo pipefail
cd "$(dirname "$0")/.."

kinds=("${@:-address threads}")
scripts/setup.sh --dev

build() {
  local begin=$SECONDS
  cmake --preset "$1" > /dev/null
  cmake --build --preset "$1"
  echo "sanitize: preset $1 built in $(( SECONDS - begin )) s"
}

run() {
  local begin=$SECONDS
  "$@"
  echo "sanitize: tests ran for $(( SECONDS - begin )) s"
}

address() {
  build debug
  export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1:check_initialization_order=1
  export UBSAN_OPTIONS=print_stacktrace=1
  run in_shards build/debug/dropmd_tests --gtest_brief=1
}

# Each core runs a share of the tests.
in_shards() {
  local shares=() failed=0 i
  for (( i = 0; i < $(nproc); ++i )); do
    GTEST_TOTAL_SHARDS=$(nproc) GTEST_SHARD_INDEX=$i "$@" &
    shares+=($!)
  done
  for i in "${shares[@]}"; do wait "$i" || failed=1; done
  return "$failed"
}

threads() {
  build tsan
  # Of the tests built (DROPMD_TEST_FILES), those with one thread would only add time.
  local tests='*Thread*:*Determinism*:OrderedSum*:ForEachIndex*:Signals*:AtomClusters*:CellAtoms*:ClusterLists*'
  tests="$tests:LocalAtoms*:SortedCells*:SortedLists*:SegmentSortCpu*:SortBench*:*RandomSearches*:*ReplayedChoices*"
  tests="$tests:*ARunThatASignalStops*:FollowRun*:PeerRun*:ReplicaWorkers*:EnsembleRuns*:InterruptedEnsembles*"
  run build/tsan/dropmd_tests --gtest_brief=1 --gtest_filter="$tests"
}

for kind in ${kinds[*]}; do
  case "$kind" in
    address | threads) "$kind" ;;
    *) echo "sanitize: unknown kind '$kind' (use address or threads)" >&2; exit 2 ;;
  esac
done
