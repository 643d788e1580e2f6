#!/usr/bin/env bash
# Builds a static HDF5 that can be part of a Python module, for wheels: Debian's archive is not position-independent, and
# its shared library needs some 30 others, curl and Kerberos among them. The source is Debian's, through apt-get.
# Usage: scripts/static_hdf5.sh FOLDER     then configure with -DHDF5_ROOT=FOLDER -DDROPMD_STATIC_LIBRARIES=ON
# HDF5_SOURCE: a folder that has hdf5_*.orig.tar.gz already.
set -euo pipefail
if (( $# != 1 )); then
  echo "usage: scripts/static_hdf5.sh FOLDER" >&2
  exit 2
fi
mkdir -p "$1"
prefix=$(cd "$1" && pwd)
if [[ -e $prefix/lib/libhdf5.a ]]; then
  echo "static_hdf5: $prefix already has one"
  exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source=${HDF5_SOURCE:-}
if [[ -z $source ]]; then
  source=$work
  if ! (cd "$work" && apt-get source --download-only hdf5 > /dev/null); then
    echo "static_hdf5: apt-get has no source of hdf5 (add deb-src to the package sources, then run apt-get update)" >&2
    exit 1
  fi
fi
mkdir "$work/hdf5"
tar --extract --gzip --file "$source"/hdf5_*.orig.tar.gz --strip-components=1 --directory "$work/hdf5"
cd "$work/hdf5"
# Checkpoints need neither compression nor the high-level library.
./configure --quiet --prefix="$prefix" --disable-shared --enable-static --with-pic --disable-hl --disable-tests --disable-tools \
            --disable-embedded-libinfo \
            --without-zlib --without-szlib --enable-build-mode=production CFLAGS=-O2
make --silent --jobs "$(nproc)" > "$work/log" 2>&1 || { tail -n 30 "$work/log" >&2; exit 1; }
make --silent install > /dev/null
