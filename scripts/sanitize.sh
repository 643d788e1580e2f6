#!/usr/bin/env bash
# Builds the tests with sanitizers and runs them, on the CPU; any report is a failure.
# Usage: scripts/sanitize.sh [address|threads]     default: both
#   address   every test with the address and the undefined-behaviour sanitizer (preset debug, clang++)
#   threads   tests that share work out to threads or take signals, with the thread sanitizer (preset tsan, clang++)
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
  # LLVM's OpenMP library does not free what its threads had.
  local known
  known=$(mktemp)
  echo leak:libomp.so > "$known"
  export LSAN_OPTIONS=suppressions=$known:print_suppressions=0
  run in_shards build/debug/dropmd_tests --gtest_brief=1
}

# A share of the tests on each core.
in_shards() {
  local shares=() failed=0 i
  for (( i = 0; i < $(nproc); ++i )); do
    GTEST_TOTAL_SHARDS=$(nproc) GTEST_SHARD_INDEX=$i "$@" &
    shares+=($!)
  done
  for i in "${shares[@]}"; do wait "$i" || failed=1; done
  return "$failed"
}

# The thread sanitizer knows what LLVM's OpenMP library orders from Archer, a tool that the library loads; its own code is
# not instrumented and not reported. GCC's library has no such tool. Whether that works here, one race and one barrier
# tell, before anything else is believed.
require_archer() {
  local folder
  folder=$(mktemp -d)
  cat > "$folder/race.cpp" <<'CPP'
int main(int argc, char**) {
  int x[64] = {}, sum = 0;
#pragma omp parallel num_threads(4)
  {
#pragma omp for
    for (int i = 0; i < 64; ++i) x[i] = i;
    if (argc > 1) ++sum;
#pragma omp for reduction(+ : sum)
    for (int i = 0; i < 64; ++i) sum += x[63 - i];
  }
  return 0;
}
CPP
  clang++ -O1 -g -fopenmp -fsanitize=thread "$folder/race.cpp" -o "$folder/race"
  if ! "$folder/race" || "$folder/race" with-a-race 2> "$folder/report"; then
    echo "sanitize: the thread sanitizer does not tell races from barriers of OpenMP here (is libarcher.so missing?)" >&2
    exit 2
  fi
  rm -r "$folder"
}

threads() {
  export TSAN_OPTIONS=ignore_noninstrumented_modules=1
  require_archer
  build tsan
  # Of the tests built (DROPMD_TEST_FILES), those with one thread add time and nothing else.
  local tests='*Thread*:*Determinism*:OrderedSum*:ForEachIndex*:Signals*:AtomClusters*:CellAtoms*:ClusterLists*'
  tests="$tests:LocalAtoms*:SortedCells*:SortedLists*:SegmentSortCpu*:SortBench*:*RandomSearches*:*ReplayedChoices*"
  tests="$tests:*ARunThatASignalStops*"
  run build/tsan/dropmd_tests --gtest_brief=1 --gtest_filter="$tests"
}

for kind in ${kinds[*]}; do
  case "$kind" in
    address | threads) "$kind" ;;
    *) echo "sanitize: unknown kind '$kind' (use address or threads)" >&2; exit 2 ;;
  esac
done
