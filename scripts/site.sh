#!/usr/bin/env bash
# Builds the documentation as a website in build/site, or shows it at http://localhost:8000 while you edit. Every broken
# link is an error. The program, whose help is part of the website, must have been built (in build/default, cpu or
# release, or DROPMD_PROGRAM).
# Usage: scripts/site.sh [serve]
set -euo pipefail
cd "$(dirname "$0")/.."
case "${*:-build}" in
  build) command=(build --strict) ;;
  serve) command=(serve --watch README.md --watch CHANGELOG.md --watch CONTRIBUTING.md --watch python/dropmd) ;;
  *) echo "usage: scripts/site.sh [serve]" >&2; exit 2 ;;
esac

environment=build/site-env
if ! cmp --silent docs/requirements.txt "$environment/requirements.txt"; then
  rm -rf "$environment"
  python3 -m venv "$environment"
  "$environment/bin/pip" install --quiet --disable-pip-version-check --requirement docs/requirements.txt
  cp docs/requirements.txt "$environment"
fi
NO_MKDOCS_2_WARNING=1 "$environment/bin/mkdocs" "${command[@]}"
