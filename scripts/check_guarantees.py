#!/usr/bin/env python3
"""Check that docs/guarantees.md names tests that exist. Usage: check_guarantees.py TEST-PROGRAM"""

import fnmatch
import pathlib
import re
import subprocess
import sys


def tests_of(program):
    """The full names of the tests of a GoogleTest program."""
    names, suite = [], ""
    listing = subprocess.run([program, "--gtest_list_tests"], check=True, capture_output=True, text=True).stdout
    for line in listing.splitlines():
        word = line.split("#")[0].strip()
        if line.startswith(" "):
            names.append(suite + word)
        elif word.endswith("."):
            suite = word
    return names


def tests_of_cuda_files(folder):
    """The names of the tests in .cu files, which programs that no GPU runs do not have."""
    for path in sorted(folder.rglob("*_test.cu")):
        for suite, name in re.findall(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", path.read_text(encoding="utf-8"), re.M):
            yield f"{suite}.{name}"


def patterns_of(text):
    """The texts in backquotes in the last column of tables, except environment variables; [] for a promise without a
    test."""
    for line in text.splitlines():
        if line.startswith("|") and not line.startswith(("|--", "| Promise")):
            proof = line.rstrip(" |").rpartition("|")[2]
            yield [name for name in re.findall(r"`([^`]+)`", proof) if not name.startswith("DROPMD_")]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = pathlib.Path(__file__).resolve().parent.parent
    names = tests_of(sys.argv[1]) + list(tests_of_cuda_files(root / "tests"))
    page = root / "docs" / "guarantees.md"
    rows = list(patterns_of(page.read_text(encoding="utf-8")))
    missing = [p for row in rows for p in row if not any(fnmatch.fnmatchcase(n, p) for n in names)]
    for pattern in missing:
        print(f"docs/guarantees.md: no test is called '{pattern}'", file=sys.stderr)
    if not all(rows):
        print("docs/guarantees.md: a promise names no test", file=sys.stderr)
    if missing or not rows or not all(rows):
        sys.exit(1)


if __name__ == "__main__":
    main()
