#!/usr/bin/env bash
# Runs the tests from a build folder on a machine with GPUs that needs only a driver: no compiler and no package
# manager. Libraries that it lacks (fmt, toml++) may be in BUILD/lib: --collect puts them there, on the machine that
# built.
#
#   scripts/gpu_tests.sh [BUILD [FILTER]]              all tests, those of several GPUs last, one at a time
#   scripts/gpu_tests.sh --sanitize [BUILD [FILTER]]   those that use a GPU, without the largest, under compute-sanitizer:
#                                                      memcheck, initcheck, synccheck, racecheck
#   scripts/gpu_tests.sh --collect [BUILD]             copy the libraries of the test program to BUILD/lib
#
# BUILD: build/default if it is not given. FILTER: of the tests' names, as for --gtest_filter. DROPMD_WORKERS: how many
# processes share the tests (default: one for each core, at most 16). Their output stays in BUILD/gpu_tests; a script
# that is stopped says how far it has come.
set -euo pipefail

usage() { sed -n '2,14s/^# \{0,1\}//p' "$0"; }

mode=tests
case "${1:-}" in
  --sanitize | --collect) mode="${1#--}" && shift ;;
  -h | --help) usage && exit 0 ;;
  -*) echo "gpu_tests: unknown option $1" >&2 && usage >&2 && exit 2 ;;
esac
build="$(cd "${1:-$(dirname "$0")/../build/default}" && pwd)"
tests="$build/dropmd_tests"
[ -x "$tests" ] || { echo "gpu_tests: there is no $tests (build it first)" >&2; exit 2; }
rm -rf "$build/gpu_tests"
export LD_LIBRARY_PATH="$build/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

# Tests of several GPUs. Each uses all of them, and has kernels that wait for each other.
several='*SeveralGpus*:*PeerSum*:*PersistentPeers*:*OnTwo*:LostGpu*'
# Tests that use a GPU if there is one.
gpu='*Cuda*:*cuda*:*gpu_*:*Gpu*:Methods/*:Method/*:*Device*:*TwoAtom*:*StaleLists*:*LoopGraph*:ForceSums*:*Sort*'
gpu="$gpu:*Traversal*:*RandomSearches*:*Determinism*:*SelfCheck*:DriverMessages*:StatusWords*:PairSearch*"
gpu="$gpu:*LargeDroplet*:CellPairs*:Choices*:Run.VerboseSays*:Designs/*:Systems/MolecularReference*:Water/*"
gpu="$gpu:AllPairs/*:All/WaterMemory*:MapBench*:StepsAhead*:MeshTransforms*:Vkfft*:CompileAtRunTime*:GridBarrier*"
gpu="$gpu:Peer*:Iterations*:CubScratch*:ConditionalBranch*:Buffer*"
# Under the tools, kernels take 10 to 1000 times as long, so the largest cases are left out.
large='*LargeDroplet*:*TenMillion*:*HundredThousand*:*OneLength*:*EveryLength*:*AStable*:*EveryChange*:*ThousandsOfSteps*:*WithAnyObservers*:*WhileTheNextAreMade*:*OutputThatFails*'
large="$large:*DriverMessages*:LostGpu*:*Thermostat*:*Descent2009*:*Dimer*:*ClusterMinima*:*EnergyConservation*:*EnergyDrift*:*SimulationTest.SameBytes*:GpuRuns*:DeviceMemory.OfARun*:*by_the_device"

cores=$(nproc)
workers=${DROPMD_WORKERS:-$((cores < 16 ? cores : 16))}

# Prints the output of each test that failed, and the end of that of a process that ended during a test.
show_failures() {
  awk '/^\[ RUN      \]/ { text = "" }
       { text = text $0 "\n" }
       /^\[  FAILED  \].* ms\)$/ { printf "%s", text }
       /^\[==========\] .* ran\./ { complete = 1 }
       END { if (!complete) printf "%s\nThe process ended here.\n", substr(text, length(text) > 4000 ? length(text) - 4000 : 1) }' "$1"
}

# Prints how many tests in logs passed, failed and were skipped, and why they were skipped.
show_counts() {
  cat "$@" | awk '/^\[       OK \]/ { ++passed }
       /^\[  FAILED  \].* ms\)$/ { ++failed }
       is_reason { ++skipped[$0]; ++n_skipped }
       { is_reason = /: Skipped$/ }
       END {
         printf "%d passed, %d failed, %d skipped\n", passed, failed, n_skipped
         for (reason in skipped) printf "  skipped: %d (%s)\n", skipped[reason], reason
       }'
}

# Runs the tests of one process: run_shard INDEX COMMAND...
run_shard() {
  local log=$logs/$1
  export GTEST_SHARD_INDEX=$1
  shift
  "$@" > "$log" 2>&1 || touch "$log.failed"
}

# Runs the tests of a filter in processes that share them: run_shared WORKERS FILTER COMMAND...
run_shared() {
  local n=$1 filter=$2 shards=1 failed=0 logs
  shift 2
  ((n == 1)) || shards=$((8 * n))  # more than workers, since tests differ in length
  mkdir -p "$build/gpu_tests"
  logs=$(mktemp -d "$build/gpu_tests/XXXXXX")
  trap 'kill -- -"$(jobs -p)"; echo "gpu_tests: stopped"; show_counts "$logs"/*; exit 143' TERM INT
  export -f run_shard
  set -m  # the processes have a group of their own
  seq 0 $((shards - 1)) |
    logs=$logs GTEST_TOTAL_SHARDS=$shards xargs -P "$n" -I % bash -c 'run_shard "$@"' run % "$@" --gtest_filter="$filter" &
  set +m
  wait $!  # bash handles signals in `wait`, and not while another command runs
  for shard in "$logs"/*.failed; do
    [ -e "$shard" ] || continue
    failed=1
    show_failures "${shard%.failed}"
    # A finding of compute-sanitizer does not fail a test.
    grep -hE -A 12 '^=+ (Invalid|Error|Uninitialized|Race|Barrier|Leaked|Program hit)' "${shard%.failed}" | head -100 || true
  done
  rm -f "$logs"/*.failed
  show_counts "$logs"/*
  trap - TERM INT
  return "$failed"
}

given=${2:-}
case "$mode" in
  collect)
    mkdir -p "$build/lib"
    ldd "$tests" | awk '/=> \//{print $3}' | grep -E 'lib(fmt|tomlplusplus|gomp|spdlog|hdf5|png|gmock|gtest)' |
      xargs -r cp -Lt "$build/lib"
    ls "$build/lib"
    ;;
  tests)
    if [ -n "$given" ]; then
      run_shared "$workers" "$given" "$tests"
    else
      failed=0
      run_shared "$workers" "-$several" "$tests" || failed=1
      CUDA_MODULE_LOADING=EAGER run_shared 1 "$several" "$tests" || failed=1
      exit "$failed"
    fi
    ;;
  sanitize)
    failed=0
    export DROPMD_HOST_LOOPS=1  # the tools cannot follow device loops (device/loop_graph.cuh)
    for tool in memcheck initcheck synccheck racecheck; do
      checked=(compute-sanitizer --tool "$tool" --error-exitcode 9 "$tests")
      echo "== $tool"
      if [ -n "$given" ]; then
        run_shared "$workers" "$given" "${checked[@]}" || failed=1
        continue
      fi
      without="$large:$several"
      # Every length in turn takes racecheck hours; RankSort and SortMethods also have some lengths of each kind.
      [ "$tool" != racecheck ] || without="$without:*RankSort.SortsUniform*:SortBench*"
      run_shared "$workers" "$gpu-$without" "${checked[@]}" || failed=1
      CUDA_MODULE_LOADING=EAGER run_shared 1 "$several-$large" "${checked[@]}" || failed=1
    done
    exit "$failed"
    ;;
esac
