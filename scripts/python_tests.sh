#!/usr/bin/env bash
# Builds a wheel of the Python package, installs it into a fresh virtual environment, as a user would, and runs its tests
# there. Usage: scripts/python_tests.sh [pytest option...], e.g. scripts/python_tests.sh -k ase
# DROPMD_PRESET: the preset whose build folder is used; what scripts/test.sh has compiled there is reused. Both need the
# environment that scripts/setup.sh --dev makes.
set -euo pipefail
cd "$(dirname "$0")/.."

root=$PWD build=$PWD/build/${DROPMD_PRESET:-default} tools=$PWD/build/python-env
if [[ ! -x $tools/bin/python ]]; then
  echo "python_tests: build/python-env is missing (run scripts/setup.sh --dev)" >&2
  exit 2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$tools/bin/pip" wheel --quiet --no-build-isolation --no-deps --wheel-dir "$work" --config-settings "build-dir=$build" .
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet "$work"/dropmd-*.whl pytest ase openmm
cd "$work"
"$work/env/bin/python" -c 'import doctest, dropmd; raise SystemExit(doctest.testmod(dropmd).failed)'
"$work/env/bin/python" -m pytest --quiet -rs -p no:cacheprovider "$@" "$root/tests/python"
