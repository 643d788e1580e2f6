#!/usr/bin/env python3
"""List which kernels of two builds have the same machine code.

    scripts/compare_kernels.py BEFORE AFTER

BEFORE, AFTER: object files or programs with native GPU code (CMAKE_CUDA_ARCHITECTURES=90-real), such as
build/default/CMakeFiles/dropmd_engine.dir/engine/device/device_run.cu.o. A refactoring that leaves a kernel alone keeps
its instructions the same; then it computes the same and takes the same time, and no GPU is needed to show it. Kernels
are matched by name and template arguments; the position of a kernel's arguments in constant memory does not count.
Needs cuobjdump and c++filt. Exit status 1 if a kernel differs or is in one build only.
"""

import argparse
import re
import shutil
import subprocess
import sys

FUNCTION = re.compile(r"\s*Function : (\S+)")
INSTRUCTION = re.compile(r"\s*/\*[0-9a-f]{4,}\*/\s+(.*?);")
ARGUMENT = re.compile(r"c\[0x0\]\[(?:R\d+\+)?0x[0-9a-f]+\]")
OF_FILE = re.compile(r"_INTERNAL_[0-9a-f]+_\d+_\w+?_[0-9a-f]{8}_\d+|_GLOBAL__N__\w+")


def output_of(*words, text=None):
    return subprocess.run(words, input=text, capture_output=True, text=True, check=True).stdout


def without_parameters(name):
    """A kernel's name without the list of its parameters at the end."""
    depth = 0
    for k in range(len(name) - 1, -1, -1):
        depth += (name[k] == ")") - (name[k] == "(")
        if depth == 0:
            return name[:k] if name[k] == "(" else name
    return name


def kernels_of(path):
    """Maps each kernel's name to its instructions."""
    code, name = {}, None
    for line in output_of("cuobjdump", "-sass", path).splitlines():
        if match := FUNCTION.match(line):
            name = match[1]
            code[name] = []
        elif name and (match := INSTRUCTION.match(line)):
            code[name].append(ARGUMENT.sub("c[argument]", match[1]))
    names = output_of("c++filt", text="\n".join(code)).splitlines()
    return {without_parameters(OF_FILE.sub("", readable)): code[name] for readable, name in zip(names, code)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before")
    parser.add_argument("after")
    arguments = parser.parse_args()
    for program in ("cuobjdump", "c++filt"):
        if shutil.which(program) is None:
            sys.exit(f"compare_kernels: there is no {program} (it comes with the CUDA toolkit and binutils)")
    before, after = kernels_of(arguments.before), kernels_of(arguments.after)
    if not before or not after:
        sys.exit("compare_kernels: no native GPU code (configure with -DCMAKE_CUDA_ARCHITECTURES=90-real)")
    same = 0
    for name in sorted(before.keys() | after.keys()):
        if name not in before or name not in after:
            print(f"only {'before' if name in before else 'after'}: {name}")
        elif before[name] != after[name]:
            print(f"{len(before[name])} instructions, now {len(after[name])}: {name}")
        else:
            same += 1
    total = len(before.keys() | after.keys())
    print(f"{same} of {total} kernels have the same instructions")
    return 0 if same == total else 1


if __name__ == "__main__":
    sys.exit(main())
