#!/usr/bin/env python3
"""Check what a file of dropmd may include and contain.

The rooms (folders) are ordered; a room includes itself and rooms that it may see (docs/architecture.md). Also: includes
are rooted at the repository, CUDA headers stay in .cu and .cuh files, libraries that nvcc rejects are not in those,
every header starts with #pragma once, nothing below app prints or exits, and a folder with more files than a reader can
survey is divided into folders by subject. Each violation is one line FILE:LINE: what is wrong (what would be right);
the exit status is 1 if there are any.
"""

import argparse
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

DIRECT = {
    "core": [],
    "device": ["core"],
    "sort": ["device"],
    "neighbor": ["sort"],
    "forces": ["neighbor"],
    "maps": ["forces"],
    "integrators": ["device"],
    "inputs": ["core"],
    "outputs": ["core"],
    "engine": ["maps", "integrators", "inputs", "outputs"],
    "bench": ["engine"],
    "app": ["bench"],
    "python": ["app"],
}
OUTSIDE = ("tests",)  # may include anything
SUFFIXES = (".h", ".cuh", ".cpp", ".cu")
MOST_FILES = 31  # in a folder

INCLUDE = re.compile(r'\s*#\s*include\s*(["<])([^">]+)[">]')
CUDA_HEADER = re.compile(r"cuda|cub/|thrust/|nv/|cooperative_groups|device_launch_parameters|vector_types")
HOST_ONLY = re.compile(r"(fmt|spdlog|toml\+\+)/|toml\.hpp")
TABOOS = (
    (re.compile(r"(?<![\w.>])(?:std::|::)?(?:_?exit|quick_exit|abort|terminate)\s*\("), "ends the program (throw)"),
    (re.compile(r"(?<![\w.>])(?:std::|::)?(?:printf|puts|putchar|perror)\s*\("), "prints (return or throw it)"),
    (re.compile(r"\bstd::(?:cout|cerr|clog)\b"), "prints (return it, or take a std::ostream)"),
    (re.compile(r"\bfprintf\s*\(\s*std(?:out|err)\b"), "prints (return or throw it)"),
)
COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def visible_rooms(room):
    """The room and every room to its left."""
    rooms = {room}
    for left in DIRECT[room]:
        rooms |= visible_rooms(left)
    return rooms


def without_comments_and_strings(text):
    """The code without comments, line by line."""
    return COMMENT_OR_STRING.sub(lambda match: "\n" * match.group().count("\n"), text)


def include_violations(path, line, quoted, target):
    room, target_path = path.parts[0], Path(target)
    in_cuda_file = path.suffix in (".cu", ".cuh")
    if quoted:
        target_room = target_path.parts[0]
        if target_room not in DIRECT and target_room not in OUTSIDE:
            yield line, f'"{target}" is not rooted at the repository (write "room/file.h"; <...> for other libraries)'
        elif room in DIRECT and target_room not in visible_rooms(room):
            yield line, f'{room} may not include {target_room} (only {", ".join(sorted(visible_rooms(room)))})'
        if target_path.suffix == ".cuh" and not in_cuda_file:
            yield line, f'"{target}" needs nvcc (include it from .cu and .cuh files only)'
    elif target_path.parts[0] in DIRECT and target_path.suffix in (".h", ".cuh"):
        yield line, f"<{target}> is a file of this repository (write it in quotes)"
    elif CUDA_HEADER.match(target) and not in_cuda_file:
        yield line, f"<{target}> is a CUDA header (include it from .cu and .cuh files only)"
    elif HOST_ONLY.match(target) and in_cuda_file:
        yield line, f"<{target}> does not compile with nvcc (include it from .cpp files)"


def violations(path, text):
    """(line, message) of each violation in a file; path is relative to the repository."""
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if match:
            yield from include_violations(path, number, match[1] == '"', match[2])
    if path.suffix in (".h", ".cuh") and (not lines or lines[0] != "#pragma once"):
        yield 1, "the first line is not '#pragma once'"
    if path.parts[0] in DIRECT and path.parts[0] != "app":
        for number, line in enumerate(without_comments_and_strings(text).splitlines(), 1):
            for pattern, meaning in TABOOS:
                match = pattern.search(line)
                if match:
                    yield number, f"{match.group().strip()} {meaning}"


def crowded_folders(paths):
    """(folder, number of its own files) where a folder has too many files."""
    counts = Counter(path.parent for path in paths)
    return [(folder, count) for folder, count in sorted(counts.items()) if count > MOST_FILES]


def tracked_files(root):
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True, text=True)
    paths = [Path(name) for name in listed.stdout.split("\0") if name.endswith(SUFFIXES)]
    return [path for path in paths if len(path.parts) > 1 and (root / path).is_file()]


def self_test():
    """For each rule, an example that violates it and a similar one that does not."""
    cases = [
        # file, text, number of violations
        ("forces/a.cpp", '#include "neighbor/cells/cell_grid.h"\n#include "core/vec3.h"\n#include "forces/b.h"\n', 0),
        ("forces/a.cpp", '#include "engine/simulation.h"\n', 1),
        ("inputs/a.cpp", '#include "outputs/energy_csv.h"\n', 1),
        ("inputs/a.cpp", '#include "device/device_info.h"\n', 1),
        ("integrators/a.cpp", '#include "sort/rank/rank_sort.h"\n', 1),
        ("engine/a.cpp", '#include "inputs/run_file/run_config.h"\n#include "integrators/fire.h"\n', 0),
        ("engine/a.cpp", '#include "app/command.h"\n', 1),
        ("core/a.cpp", '#include "tests/support/system/temp_folder.h"\n', 1),
        ("tests/core/a.cpp", '#include "app/command.h"\n#include "tests/support/system/temp_folder.h"\n', 0),
        ("core/a.cpp", '#include "vec3.h"\n', 1),
        ("core/a.cpp", '#include "../core/vec3.h"\n', 1),
        ("core/a.cpp", "#include <core/vec3.h>\n", 1),
        ("device/a.h", "#pragma once\n#include <cuda_runtime.h>\n", 1),
        ("device/a.cpp", '#include "device/stream.cuh"\n', 1),
        ("device/a.cuh", '#pragma once\n#include <cub/cub.cuh>\n#include "device/stream.cuh"\n', 0),
        ("forces/a.cu", "#include <fmt/format.h>\n", 1),
        ("forces/a.cuh", "#pragma once\n#include <spdlog/spdlog.h>\n", 1),
        ("forces/a.cpp", "#include <fmt/format.h>\n", 0),
        ("core/a.h", "#include <cmath>\n", 1),
        ("core/a.cpp", "void f() { std::exit(1); }\n", 1),
        ("core/a.cpp", "void f() { exit (1); }\n", 1),
        ("core/a.cpp", "void f() { on_exit(1); x.exit(1); }\n", 0),
        ("core/a.cpp", "// exit(1)\n/* exit(1);\n */ const char* s = \"printf(\";\n", 0),
        ("forces/a.cu", 'void f() { printf("%d", 1); }\n', 1),
        ("forces/a.cpp", 'void f() { std::snprintf(p, n, "%d", 1); }\n', 0),
        ("engine/a.cpp", "void f() { std::cerr << 1; }\n", 1),
        ("app/main.cpp", "int main() { std::cerr << 1; std::exit(1); }\n", 0),
    ]
    failed = 0
    for name, text, expected in cases:
        found = list(violations(Path(name), text))
        if len(found) != expected:
            failed += 1
            print(f"self-test: {name}: {text!r}: {expected} violations expected, found {found}", file=sys.stderr)
    for count, expected in ((MOST_FILES, 0), (MOST_FILES + 1, 1)):
        files = [Path(f"forces/pair/{k}.h") for k in range(count)] + [Path("forces/a.h")]
        if len(crowded_folders(files)) != expected:
            failed += 1
            print(f"self-test: {count} files in a folder: {crowded_folders(files)}", file=sys.stderr)
    n_tests = len(cases) + 2
    print(f"check_includes: {n_tests - failed} of {n_tests} self-tests passed")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--self-test", action="store_true", help="check the checker")
    parser.add_argument("files", nargs="*", type=Path, help="relative to the repository; default: every tracked file")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    root = Path(__file__).resolve().parent.parent
    count = 0
    files = arguments.files or tracked_files(root)
    for folder, files_there in crowded_folders(files):
        print(f"{folder}: {files_there} files (cut it into folders by subject, none with more than {MOST_FILES})",
              file=sys.stderr)
        count += 1
    for path in files:
        for line, message in sorted(violations(path, (root / path).read_text(encoding="utf-8"))):
            print(f"{path}:{line}: {message}", file=sys.stderr)
            count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
