#!/usr/bin/env bash
# Makes a Debian package of the program in a build folder, and checks it. Usage: scripts/deb.sh FOLDER
# DROPMD_PRESET: the preset of CMakePresets.json (default: release, with the GPU engine; cpu without).
# DROPMD_CONTACT: the maintainer that it names, "NAME <ADDRESS>".
set -euo pipefail
if (( $# != 1 )); then
  echo "usage: scripts/deb.sh FOLDER" >&2
  exit 2
fi
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
preset=${DROPMD_PRESET:-release}

cmake --preset "$preset" ${DROPMD_CONTACT:+-DDROPMD_CONTACT="$DROPMD_CONTACT"}
cmake --build --preset "$preset" --target dropmd
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "build/$preset" && cpack -G DEB -B "$work/packages")
package=$(echo "$work"/packages/*.deb)

fail() {
  echo "deb: $(basename "$package"): $1" >&2
  exit 1
}

dpkg-deb --extract "$package" "$work/root"
name=$(dpkg-deb --field "$package" Package)
for file in bin/dropmd share/man/man1/dropmd.1.gz share/bash-completion/completions/dropmd \
            share/doc/"$name"/{copyright,changelog.gz,changelog.Debian.gz}; do
  [[ -s $work/root/usr/$file ]] || fail "there is no $file"
done
dpkg-deb --field "$package" Depends | grep --quiet libhdf5 || fail "it does not depend on HDF5"
# The folder of a build says nothing to users, and would make packages differ.
if grep --quiet --fixed-strings "$PWD" "$work/root/usr/bin/dropmd"; then fail "the program contains the path $PWD"; fi
if readelf --dynamic "$work/root/usr/bin/dropmd" | grep --quiet -E 'RPATH|RUNPATH'; then fail "the program has an RPATH"; fi
[[ $("$work/root/usr/bin/dropmd" --version) == "dropmd $(scripts/version.sh)" ]] || fail "the program's version differs"
cp "$package" "$folder"
echo "$folder/$(basename "$package")"
