#!/usr/bin/env bash
# Installs the packages that are missing to build dropmd. Debian 12 or Ubuntu 24.04.
# Usage: scripts/setup.sh [--dev]     --dev: also what the checks of .ci/run, scripts/sanitize.sh and scripts/coverage.sh
#                                     need, and the tools of the Python package, in build/python-env
set -euo pipefail
cd "$(dirname "$0")/.."
dev=${1:-}

# Only pip has these. CMake finds the first two where scripts/test.sh names this environment; tests read trajectories
# with the third.
make_python_environment() {
  [[ $dev == --dev ]] || return 0
  [[ -x build/python-env/bin/python ]] || python3 -m venv build/python-env
  build/python-env/bin/pip install --quiet --disable-pip-version-check \
    'nanobind >=2.8' 'scikit-build-core >=0.11' 'playwright >=1.50' 'gsd >=3.2'
}

packages=(
  g++ cmake ninja-build git
  gemmi-dev libcxxopts-dev libeigen3-dev libfast-float-dev libfmt-dev libgmock-dev libgtest-dev libhdf5-dev libopenmpi-dev
  libpng-dev libpugixml-dev librandom123-dev librapidcheck-dev libtomlplusplus-dev libvkfft-dev nlohmann-json3-dev zlib1g-dev
)
case "${1:-}" in
  '') ;;
  --dev) packages+=(clang clang-format clang-tidy gcovr libclang-rt-dev openmpi-bin python3 python3-dev python3-venv
                    python3-ase python3-gemmi python3-griddataformats python3-matplotlib python3-mrcfile python3-numpy) ;;  # for tests: they read maps and structures, and draw
  *) echo "setup: unknown option '$1' (use --dev or nothing)" >&2; exit 2 ;;
esac

# A test opens the page of a report in it. Ubuntu has it as a snap only; playwright (above) can install one there.
if [[ $dev == --dev ]] && grep -qsx ID=debian /etc/os-release; then packages+=(chromium); fi

if ! command -v dpkg-query >/dev/null; then
  echo "setup: this is neither Debian nor Ubuntu; make sure that the counterparts of these are installed:" >&2
  printf '  %s\n' "${packages[@]}" >&2
  exit 0
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $status == installed ]] || missing+=("$package")
done
if (( ! ${#missing[@]} )); then
  make_python_environment
  exit 0
fi

as_root=()
if (( EUID != 0 )); then
  if ! command -v sudo >/dev/null; then
    echo "setup: these packages are missing; as root run: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
echo "setup: installing ${missing[*]}" >&2
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
make_python_environment
