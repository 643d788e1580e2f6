#!/bin/sh
# Prints what version of dropmd this folder holds. CMake, pyproject.toml and the packages take theirs from here.
# Usage: scripts/version.sh [version | release | debian | commit]...     one line for each word; default: version
#
#   release  0.1.0                       the number in CITATION.cff: of the last release, or of the next one
#   version  0.1.0                       PEP 440: at the tag v0.1.0
#            0.1.0.post3+gb762ac360000   3 commits after it
#            0.1.0.dev776+gb762ac360000  before there is such a tag: the commits since the tag before, or all
#   debian   0.1.0  0.1.0+3.gb762ac360000  0.1.0~dev776.gb762ac360000   the same three, which dpkg sorts alike
#   commit   b762ac360000, or unknown
#
# Uncommitted changes add ".dirty", and "-dirty" to the commit. Without git, the version is the one that `git archive`
# (.git_archival.txt) or an sdist (PKG-INFO) recorded, or else the release.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)

fail() {
  echo "version: $1" >&2
  exit 2
}

release=$(sed -n 's/^version: *\([0-9][0-9.]*\)$/\1/p' "$root/CITATION.cff")
[ -n "$release" ] || fail "$root/CITATION.cff: no line with the version (version: MAJOR.MINOR.PATCH)"

# Sets version and debian to those of a description by git: TAG-COMMITS-gHASH[-dirty].
set_from_description() {
  local_part=${1##*-g} rest=${1%-g*}
  count=${rest##*-} tag=${rest%-*}
  local_part=g$(printf %s "$local_part" | tr - .)
  if [ "$tag" != "v$release" ]; then
    version=$release.dev$count+$local_part debian=$release~dev$count.$local_part
  elif [ "$count" = 0 ] && [ "$local_part" = "${local_part%.dirty}" ]; then
    version=$release debian=$release
  else
    version=$release.post$count+$local_part debian=$release+$count.$local_part
  fi
}

# Whether the folder that git has is this one, and not one above it.
has_git() { [ -e "$root/.git" ] && git -C "$root" rev-parse --quiet --verify HEAD > /dev/null 2>&1; }

version=$release debian=$release commit=unknown
recorded=$(sed -n 's/^describe: *\(v[0-9].*\)$/\1/p' "$root/.git_archival.txt" 2> /dev/null || true)
node=$(sed -n 's/^node: *\([0-9a-f]*\)$/\1/p' "$root/.git_archival.txt" 2> /dev/null || true)
if has_git; then
  commit=$(git -C "$root" describe --always --dirty --abbrev=12 --exclude '*')
  description=$(git -C "$root" describe --tags --long --dirty --abbrev=12 --match 'v[0-9]*' 2> /dev/null) ||
    description=none-$(git -C "$root" rev-list --count HEAD)-g$commit
  set_from_description "$description"
elif [ -n "$node" ]; then
  commit=$(printf %.12s "$node")
  case $recorded in
    *-g*) ;;
    *) recorded=${recorded:-none}-0-g$commit ;;  # at the tag itself, or there is none
  esac
  set_from_description "$recorded"
elif [ -e "$root/PKG-INFO" ]; then
  version=$(sed -n 's/^Version: *//p' "$root/PKG-INFO" | head -n 1)
  case $version in
    "$release".dev*) debian=$release~$(printf %s "${version#"$release."}" | tr + .) ;;
    "$release".post*) debian=$release+$(printf %s "${version#"$release.post"}" | tr + .) ;;
    *) debian=$version ;;
  esac
  case $version in *+g*) commit=$(printf %s "${version#*+g}" | tr . -) ;; esac
fi

for word in "${@:-version}"; do
  case $word in
    release) echo "$release" ;;
    version) echo "$version" ;;
    debian) echo "$debian" ;;
    commit) echo "$commit" ;;
    *) fail "unknown word '$word' (use version, release, debian or commit)" ;;
  esac
done
