#!/usr/bin/env bash
# Checks that every tracked source file is formatted by clang-format. To repair: scripts/check_format.sh --fix
set -euo pipefail
cd "$(dirname "$0")/.."

mode=(--dry-run -Werror)
[[ ${1:-} != --fix ]] || mode=(-i)
git ls-files -z -- '*.h' '*.cpp' '*.cu' '*.cuh' | xargs --null --no-run-if-empty clang-format "${mode[@]}"
