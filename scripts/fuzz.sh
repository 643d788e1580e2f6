#!/usr/bin/env bash
# Fuzzes the readers of input files: builds the preset fuzz (clang) and runs each target. The exit status is 1 where one
# finds something. Usage: scripts/fuzz.sh [SECONDS] [TARGET...]   default: 60 seconds for each of tests/fuzz/fuzz_*.cpp
# New inputs and crashes are kept in build/fuzz/corpus/TARGET and build/fuzz/crashes/TARGET.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-60}
if ! [[ $seconds =~ ^[0-9]+$ ]] || (( seconds == 0 )); then
  echo "fuzz: '$seconds' is not a number of seconds (scripts/fuzz.sh [SECONDS] [TARGET...])" >&2
  exit 2
fi
targets=("${@:2}")
if (( ${#targets[@]} == 0 )); then
  for source in tests/fuzz/fuzz_*.cpp; do
    name=${source##*/fuzz_}
    targets+=("${name%.cpp}")
  done
fi
for i in "${!targets[@]}"; do
  targets[i]=${targets[i]#fuzz_}
  if [[ ! -f tests/fuzz/fuzz_${targets[i]}.cpp ]]; then
    echo "fuzz: there is no target '${targets[i]}' (tests/fuzz/fuzz_*.cpp)" >&2
    exit 2
  fi
done

scripts/setup.sh --dev
cmake --preset fuzz
cmake --build --preset fuzz --target "${targets[@]/#/fuzz_}"

failed=()
for target in "${targets[@]}"; do
  corpus=build/fuzz/corpus/$target crashes=build/fuzz/crashes/$target
  mkdir -p "$corpus" "$crashes"
  dirs=("$corpus" "tests/data/fuzz/$target")
  [[ ! -d tests/data/found/$target ]] || dirs+=("tests/data/found/$target")
  dictionary=()
  [[ ! -f tests/data/fuzz/$target.dict ]] || dictionary=("-dict=tests/data/fuzz/$target.dict")
  echo "fuzz: $target, $seconds s"
  # In bytes, seconds and MB. The targets themselves check that memory is proportional to the input.
  "build/fuzz/fuzz_$target" -max_total_time="$seconds" -max_len=65536 -timeout=5 -rss_limit_mb=1024 \
    -malloc_limit_mb=128 -artifact_prefix="$crashes/" "${dictionary[@]}" "${dirs[@]}" > "build/fuzz/$target.log" 2>&1 ||
    failed+=("$target")
  grep -aE 'DONE +cov|^fuzz: |ERROR: |SUMMARY: |runtime error: |what\(\)|Test unit' "build/fuzz/$target.log" || true
done

(( ${#failed[@]} )) || exit 0
cat >&2 <<END
fuzz: found something in: ${failed[*]}; logs in build/fuzz/TARGET.log, inputs in build/fuzz/crashes/TARGET
  once more:    build/fuzz/fuzz_TARGET FILE
  make smaller: build/fuzz/fuzz_TARGET -minimize_crash=1 -runs=10000 FILE
  keep:         copy FILE to tests/data/found/TARGET under a name that says what happened; the test
                HostileFiles.SeedsAndFoundCasesAreReadOrRefused reads it from then on
END
exit 1
