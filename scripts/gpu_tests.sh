#!/usr/bin/env bash
# Runs the GPU's tests from a build folder, on a machine that needs only a driver: no compiler and no package manager.
# Libraries that it lacks (fmt, toml++) may be in BUILD/lib: scripts/gpu_tests.sh --collect BUILD puts them there, on
# the machine that built.
#
#   scripts/gpu_tests.sh [BUILD]                the tests (default folder: build/default)
#   scripts/gpu_tests.sh --sanitize [BUILD]     the same under compute-sanitizer: memcheck, initcheck, racecheck, synccheck
#   scripts/gpu_tests.sh --collect [BUILD]      copy the libraries of the test program to BUILD/lib
set -euo pipefail

usage() { sed -n '2,10s/^# \{0,1\}//p' "$0"; }

mode=tests
case "${1:-}" in
  --sanitize | --collect) mode="${1#--}" && shift ;;
  -h | --help) usage && exit 0 ;;
  -*) echo "gpu_tests: unknown option $1" >&2 && usage >&2 && exit 2 ;;
esac
build="$(cd "${1:-$(dirname "$0")/../build/default}" && pwd)"
tests="$build/dropmd_tests"
[ -x "$tests" ] || { echo "gpu_tests: there is no $tests (build it first)" >&2; exit 2; }
export LD_LIBRARY_PATH="$build/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

# Tests that use a GPU if there is one.
gpu='*Cuda*:*cuda*:*gpu_*:Methods/*:Method/*:*Device*:*TwoAtom*:*StaleLists*:*LoopGraph*:GpuRuns*:ForceSums*:*Sort*:SortBench*'
gpu="$gpu:*Traversal*:*RandomSearches*:*Determinism*:*SelfCheck*:DriverMessages*:StatusWords*:PairSearch*"
gpu="$gpu:*LargeDroplet*:CellPairs*:Choices*:Run.VerboseSays*"
# Under the tools, kernels take 10 to 1000 times as long, so the largest cases are left out.
large='*LargeDroplet*:*TenMillion*:*HundredThousand*:*OneLength*:*EveryLength*:*AStable*:*EveryChange*:*ThousandsOfSteps*:*WithAnyObservers*:*WhileTheNextAreMade*:*OutputThatFails*'
large="$large:*DriverMessages*:*Thermostat*:*Descent2009*:*Dimer*:*ClusterMinima*:*EnergyConservation*:*EnergyDrift*:*SimulationTest.SameBytes*:GpuRuns*:DeviceMemory.OfARun*:*by_the_device"

case "$mode" in
  collect)
    mkdir -p "$build/lib"
    ldd "$tests" | awk '/=> \//{print $3}' | grep -E 'lib(fmt|tomlplusplus|gomp|spdlog|hdf5|png|gmock|gtest)' |
      xargs -r cp -Lt "$build/lib"
    ls "$build/lib"
    ;;
  tests) "$tests" --gtest_brief=1 --gtest_filter="$gpu" ;;
  sanitize)
    failed=0
    export DROPMD_HOST_LOOPS=1  # the tools cannot follow device loops (device/loop_graph.cuh)
    for tool in memcheck initcheck synccheck racecheck; do
      filter="$gpu-$large"
      # Every length in turn takes racecheck hours; RankSort and SortMethods also have some lengths of each kind.
      [ "$tool" = racecheck ] && filter="$filter:*RankSort.SortsUniform*:SortBench*"
      echo "== $tool"
      compute-sanitizer --tool "$tool" --error-exitcode 9 "$tests" --gtest_brief=1 --gtest_filter="$filter" || failed=1
    done
    exit "$failed"
    ;;
esac
