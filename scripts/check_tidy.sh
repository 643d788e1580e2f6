#!/usr/bin/env bash
# Runs clang-tidy (.clang-tidy) on the .cpp files that a build folder compiles, one process per core.
# Usage: scripts/check_tidy.sh [FILE...]   default: every tracked .cpp file. DROPMD_PRESET: whose build folder.
#        scripts/check_tidy.sh --recent N  those that the last N commits changed, and for each header that they changed
#                                          one that includes it, as the build recorded
set -euo pipefail
cd "$(dirname "$0")/.."

build=build/${DROPMD_PRESET:-default}
if [[ ! -f $build/compile_commands.json ]]; then
  echo "check_tidy: $build/compile_commands.json is missing (run scripts/test.sh or cmake --preset default)" >&2
  exit 2
fi
if [[ ${1:-} == --recent ]] && git rev-parse --quiet --verify "HEAD~$2" > /dev/null &&
    git diff --quiet "HEAD~$2" -- .clang-tidy; then
  # For each object, its name comes first, then lines with the files it was made from: a .cpp and what it includes, or
  # one .cpp after the other where they are compiled together.
  changed=$(
    ninja -C "$build" -t deps |
      awk -v root="$PWD/" '
        FILENAME != "-" { changed[$1]; next }
        /^[^ ]/ { source = ""; next }
        NF { sub("^(\\.\\./)+", "", $1)  # relative to the build folder, or absolute
             if (index($1, root) == 1) $1 = substr($1, length(root) + 1)
             if ($1 ~ /\.cpp$/) source = $1
             if (source == "app/main.cpp") known = 1
             if (!($1 in changed) || source == "" || $1 in checked) next
             checked[$1]  # with the first that includes it
             if (!(source in told)) { told[source]; print source } }
        END { if (!known) { print "check_tidy: the build knows nothing of app/main.cpp" > "/dev/stderr"; exit 1 } }' \
        <(git diff --name-only --diff-filter=d "HEAD~$2") -)
  mapfile -t files <<< "$changed"
elif (( $# )) && [[ $1 != --recent ]]; then
  files=("$@")
else
  mapfile -t files < <(git ls-files -- '*.cpp')
fi

# clang cannot read the precompiled header that g++ made for the tests. Files that are compiled together are checked one
# by one.
mkdir -p "$build/tidy"
python3 - "$build" << 'EOF'
import json, pathlib, re, sys

build = pathlib.Path(sys.argv[1])
commands = []
for entry in json.loads((build / "compile_commands.json").read_text()):
    command, file = re.sub("-include [^ ]*cmake_pch[.]hxx ", "", entry["command"]), entry["file"]
    together = re.findall('#include "(.*)"', pathlib.Path(file).read_text()) if "/Unity/" in file else [file]
    commands += [{**entry, "command": command.replace(file, one), "file": one} for one in together]
(build / "tidy/compile_commands.json").write_text(json.dumps(commands, indent=1))
EOF

compiled=()
for file in "${files[@]}"; do
  if grep -qF "\"file\": \"$PWD/$file\"" "$build/tidy/compile_commands.json"; then compiled+=("$file"); fi
done
(( ${#compiled[@]} )) || exit 0
# Compiler warnings are left to the build (-w). The counts of hidden warnings in system headers mean nothing.
flags=(--extra-arg=-w)
printf '%s\0' "${compiled[@]}" |
  xargs --null --max-args=1 --max-procs="$(nproc)" clang-tidy --quiet -p "$build/tidy" "${flags[@]}" 2>&1 |
  sed '/ generated\.$/d'
