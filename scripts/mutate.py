#!/usr/bin/env python3
"""Mutation testing: does a test fail when the source is wrong?

Changes one place of one file at a time (a mutant), compiles what the tests of that file need, and runs them. A mutant
is killed if a failing test, a crash or a timeout distinguishes it from the original. One that passes survives: it is a
gap in the tests, or equivalent to the original. tests/data/equivalent_mutants.txt lists equivalent ones with the
reason; they do not count, and neither do mutants that do not compile.

Mutants are drawn at random, from each group of files in proportion to its share of all; the same seed draws the same
mutants. Only a configured build folder is needed (cmake --preset cpu): objects are compiled next to it, without slow
optimisations and without sanitizers. Exit status 1 if fewer are killed than --least says.
"""

import argparse
import json
import os
import random
import re
import shlex
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EQUIVALENT = ROOT / "tests/data/equivalent_mutants.txt"


@dataclass
class Group:
    """Files to mutate, and the sources of the test program for them."""

    mutated: list
    sources: list
    tests: list = field(default_factory=list)


FORM_SOURCES = ["engine/model/form_catalog.cpp", "forces/pair/pair_model.cpp", "forces/fields/atom_force_terms.cpp",
                "integrators/integrator.cpp"]
FORM_TEST = "tests/core/form_test.cpp"
GROUPS = {
    "pair forms": Group(
        [f"forces/pair/{name}" for name in ("lj_*.h", "coulomb_*.h", "pair_term.h", "pair_physics.h", "pair_model.h",
                                            "pair_model.cpp", "with_physics.h")],
        FORM_SOURCES, [FORM_TEST, "tests/forces/pair_forms_test.cpp"]),
    "wall": Group(
        ["forces/fields/wall.h", "forces/fields/atom_force_terms.cpp"],
        FORM_SOURCES, [FORM_TEST, "tests/forces/wall_test.cpp"]),
    "integrators": Group(
        ["integrators/*.h", "integrators/*.cpp"],
        FORM_SOURCES, [FORM_TEST, "tests/integrators/*_test.cpp"]),
    "parsers": Group(
        ["inputs/**/*.cpp", "inputs/**/*.h"],
        ["inputs/**/*.cpp", "outputs/choices_csv.cpp", "outputs/files/file_writer.cpp"],
        ["tests/inputs/*_test.cpp", "!tests/inputs/hostile_files_test.cpp"]),
}

# clang-format puts blanks around binary operators, but not around brackets of templates, pointers and signs.
SWAPS = [
    ("arithmetic", r"(?<= )\+(?= )", ["-"]), ("arithmetic", r"(?<= )-(?= )", ["+"]),
    ("arithmetic", r"(?<= )\*(?= )", ["/"]), ("arithmetic", r"(?<= )/(?= )", ["*"]),
    ("assignment", r"(?<= )\+=(?= )", ["-="]), ("assignment", r"(?<= )-=(?= )", ["+="]),
    ("assignment", r"(?<= )\*=(?= )", ["/="]), ("assignment", r"(?<= )/=(?= )", ["*="]),
    ("comparison", r"(?<= )<(?= )", ["<=", ">="]), ("comparison", r"(?<= )<=(?= )", ["<", ">"]),
    ("comparison", r"(?<= )>(?= )", [">=", "<="]), ("comparison", r"(?<= )>=(?= )", [">", "<"]),
    ("comparison", r"(?<= )==(?= )", ["!="]), ("comparison", r"(?<= )!=(?= )", ["=="]),
    ("logic", r"(?<= )&&(?= )", ["||"]), ("logic", r"(?<= )\|\|(?= )", ["&&"]),
    ("sign", r"(?<=[(,=?:{ ])-(?=[\w(])", [""]), ("negation", r"!(?=[\w(])", [""]),
    ("negation", r"\b(if|while) \((?!const |std::size_t |auto )(?=.)", None),
    ("min and max", r"\bmin\b(?=\()", ["max"]), ("min and max", r"\bmax\b(?=\()", ["min"]),
    ("boolean", r"\btrue\b", ["false"]), ("boolean", r"\bfalse\b", ["true"]),
    ("step", r"\+\+", ["--"]),
    ("constant", r"(?<![\w.])(\d+\.?\d*(?:e[-+]?\d+)?)(?=[FfuU]?\b)(?!\w*\.)", None),
]
# Calls that only change speed.
HARMLESS = re.compile(r"\breserve\(|static_assert|^\s*(template|using|namespace|#|case|static constexpr bool k)")
STATEMENT = re.compile(r"^( *)(?!return\b|using |namespace |typedef |break;|continue;|const |constexpr |static |else\b|"
                       r"if\b|for\b|while\b|case |public:|private:|friend |explicit |template)"
                       r"(throw \S.*|[\w:*\[\]().>-]+ (?:[-+*/]?=) .*|(?:\+\+)?[\w.:]+(?:->\w+)?\(.*\));$")
GUARD = re.compile(r"\) (return\b[^;{}]*|continue|break|throw\b[^;{}]*);$")


@dataclass
class Mutant:
    group: str
    file: str
    line: int  # from 1
    operator: str
    before: str  # the line, without blanks at its ends
    after: str
    text: str  # of the whole file

    @property
    def key(self):
        return f"{self.file} | {self.before} | {self.after}"


def blanked(text):
    """The text with comments, strings and character constants replaced by blanks of the same length."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|^[ ]*#[^\n]*', re.DOTALL | re.MULTILINE)
    return pattern.sub(lambda match: re.sub(r"[^\n]", "\0", match.group()), text)


def negated_condition(line, begin):
    """`if (x)` as `if (!(x))`, where the condition ends on the line and declares nothing."""
    open_at = line.index("(", begin)
    depth = 0
    for at in range(open_at, len(line)):
        depth += {"(": 1, ")": -1}.get(line[at], 0)
        if depth == 0:
            condition = line[open_at + 1:at]
            return None if ";" in condition or " = " in condition else (open_at, at + 1, f"(!({condition}))")
    return None


def other_constants(text):
    value = float(text)
    if "." in text or "e" in text:
        return ["1.0"] if value == 0 else [repr(2 * value)]
    return ["1"] if value == 0 else ["0", "2"] if value == 1 else [str(int(text) + 1)]


def line_mutants(line, code):
    """(operator, new line) for a line; code: the same line with comments and strings blanked."""
    if HARMLESS.search(code):
        return
    for operator, pattern, replacements in SWAPS:
        for match in re.finditer(pattern, code):
            begin, end = match.span()
            if operator == "negation" and replacements is None:
                place = negated_condition(code, begin)
                if place:
                    yield operator, line[:place[0]] + "(!(" + line[place[0] + 1:place[1] - 1] + "))" + line[place[1]:]
            else:
                for new in replacements or other_constants(match.group(1)):
                    yield operator, line[:begin] + new + line[end:]
    statement = STATEMENT.match(code.replace("\0", "x"))
    if statement:
        yield "dropped statement", statement.group(1) + ";"
    guard = GUARD.search(code.replace("\0", "x"))
    if guard:
        yield "dropped statement", line[:guard.start(1)] + ";"


def mutants_of(group, path):
    text = (ROOT / path).read_text()
    lines, code = text.split("\n"), blanked(text).split("\n")
    for number, (line, bare) in enumerate(zip(lines, code), 1):
        seen = {line}
        for operator, changed in line_mutants(line, bare):
            if changed in seen:
                continue
            seen.add(changed)
            whole = "\n".join(lines[:number - 1] + [changed] + lines[number:])
            yield Mutant(group, str(path), number, operator, line.strip(), changed.strip(), whole)


def files_matching(patterns):
    """Files relative to the repository; a pattern that begins with ! excludes some."""
    files = set()
    for pattern in patterns:
        found = {path.relative_to(ROOT) for path in ROOT.glob(pattern.lstrip("!"))}
        files = files - found if pattern.startswith("!") else files | found
    return sorted(files)


def run(command, limit, **options):
    """Exit status and output; the status is 'timeout' where it took longer than limit seconds."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=limit, **options)
        return done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        return "timeout", ""


class Workshop:
    """Compiles and links the test program of a group, for the originals and for mutants."""

    def __init__(self, build, jobs):
        self.folder = build / "mutants"
        self.jobs = jobs
        self.commands = {}
        for entry in json.loads((build / "compile_commands.json").read_text()):
            path = Path(entry["file"]).relative_to(ROOT)
            self.commands[path] = (self.light(shlex.split(entry["command"])), entry["directory"])

    @staticmethod
    def light(words):
        """The compiler command without slow optimisations, warnings, sanitizers, output and precompiled header. The
        library's index checks are on, since a wrong index might otherwise fail no test."""
        kept, skip = [], False
        for at, word in enumerate(words):
            if skip:
                skip = False
            elif word in ("-o", "-c", "-include"):
                skip = True
            elif not re.match(r"-O\d|-g|-W|-fsanitize|-fno-sanitize|--coverage|-DNDEBUG|-fno-omit|.*ccache$", word):
                kept.append(word)
        return kept + ["-w", "-O1", "-D_GLIBCXX_ASSERTIONS"]

    def object_of(self, source):
        return self.folder / "objects" / source.with_suffix(".o")

    def compile(self, source, output, first_include=None, limit=600):
        command, directory = self.commands[source]
        output.parent.mkdir(parents=True, exist_ok=True)
        compiler, *flags = command
        places = [f"-I{first_include}"] if first_include else []
        input_file = first_include / source if first_include and (first_include / source).exists() else ROOT / source
        return run([compiler, *places, *flags, "-MMD", "-MF", output.with_suffix(".d"), "-c", input_file, "-o", output],
                   limit, cwd=directory)

    def depends_on(self, source, path):
        words = self.object_of(source).with_suffix(".d").read_text().replace("\\\n", " ").split()
        return str(ROOT / path) in words

    def prepare(self, name):
        """Objects and the test program of the originals, and the seconds that its tests take."""
        group = GROUPS[name]
        group.all = files_matching(group.sources) + files_matching(group.tests)

        def build(source):
            target = self.object_of(source)
            if target.exists() and all(Path(word).stat().st_mtime < target.stat().st_mtime for word in
                                       target.with_suffix(".d").read_text().replace("\\\n", " ").split()[1:]):
                return 0, ""
            return self.compile(source, target)

        with ThreadPoolExecutor(self.jobs) as pool:
            for source, (status, output) in zip(group.all, pool.map(build, group.all)):
                if status != 0:
                    sys.exit(f"mutate: {source} does not compile:\n{output}")
        program = self.folder / name.replace(" ", "_")
        status, output = self.link(group, {}, program)
        if status != 0:
            sys.exit(f"mutate: the tests of {name} do not link:\n{output}")
        begin = time.monotonic()
        status, output = self.test(program, 600)
        if status != 0:
            sys.exit(f"mutate: the tests of {name} fail without a mutant:\n{output[-3000:]}")
        return time.monotonic() - begin

    def link(self, group, replaced, program):
        objects = [replaced.get(source, self.object_of(source)) for source in group.all]
        compiler = self.commands[group.all[0]][0][0]
        return run([compiler, *objects, "-o", program, "-lgtest_main", "-lgmock", "-lgtest", "-lrapidcheck",
                    "-lfmt", "-ltomlplusplus", "-lz", "-pthread"], 120)

    @staticmethod
    def test(program, limit):
        """A fixed seed for property tests, so that what kills a mutant today does so tomorrow."""
        environment = dict(os.environ, RC_PARAMS="seed=1")
        return run([program, "--gtest_brief=1", "--gtest_fail_fast"], limit, cwd=ROOT, env=environment)

    def judge(self, mutant, number, limit):
        """'killed', 'survived' or 'invalid' (does not compile), and what showed it."""
        group = GROUPS[mutant.group]
        place = self.folder / f"work-{number}"
        changed = place / mutant.file
        changed.parent.mkdir(parents=True, exist_ok=True)
        changed.write_text(mutant.text)
        replaced = {}
        try:
            for source in group.all:
                if not self.depends_on(source, Path(mutant.file)):
                    continue
                output = place / source.with_suffix(".o")
                status, _ = self.compile(source, output, place)
                if status != 0:
                    return "invalid", ""
                replaced[source] = output
            if not replaced:
                return "invalid", "no test includes it"
            program = place / "program"
            if self.link(group, replaced, program)[0] != 0:
                return "invalid", "does not link"
            status, output = self.test(program, limit)
            if status == 0:
                return "survived", ""
            failed = re.search(r"\[  FAILED  \] (\S+)", output)
            return "killed", failed.group(1).rstrip(",") if failed else f"status {status}"
        finally:
            subprocess.run(["rm", "-r", place], check=False)


def read_equivalent():
    """Keys of the mutants that are equivalent to the original. A line: FILE | LINE | MUTATED LINE | reason"""
    if not EQUIVALENT.exists():
        return set()
    lines = [line for line in EQUIVALENT.read_text().splitlines() if line and not line.startswith("#")]
    return {" | ".join(line.split(" | ")[:-1]) for line in lines}


def sample_of(mutants, n, seed):
    """n of the mutants, from each group in proportion to its share."""
    if n >= len(mutants):
        return mutants
    chosen, generator = [], random.Random(seed)
    groups = {}
    for mutant in mutants:
        groups.setdefault(mutant.group, []).append(mutant)
    for members in groups.values():
        chosen += generator.sample(members, max(1, round(n * len(members) / len(mutants))))
    return chosen


def print_table(results):
    print(f"\n{'file':34} {'killed':>7} {'survived':>9} {'share':>7}")
    rows = {}
    for result in results:
        if result["verdict"] in ("killed", "survived"):
            for name in (result["file"], "group " + result["group"], "total"):
                rows.setdefault(name, {"killed": 0, "survived": 0})[result["verdict"]] += 1
    for name in sorted(rows, key=lambda row: (row == "total", row.startswith("group "), row)):
        killed, survived = rows[name]["killed"], rows[name]["survived"]
        print(f"{name:34} {killed:7} {survived:9} {100 * killed / (killed + survived):6.1f}%")
    return rows.get("total", {"killed": 0, "survived": 0})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, default=120, help="mutants to try (default: 120; 0: all)")
    parser.add_argument("--seed", type=int, default=1, help="of the random sample (default: 1)")
    parser.add_argument("--least", type=float, default=80, help="percent that must be killed (default: 80)")
    parser.add_argument("--group", choices=GROUPS, action="append", help="only these files (may be repeated)")
    parser.add_argument("--only", metavar="TEXT", help="only mutants whose FILE | LINE | MUTATED LINE has the text")
    parser.add_argument("--survivors-of", type=Path, metavar="FILE", help="only what survived in a file of --json")
    parser.add_argument("--build", type=Path, default=ROOT / "build/cpu", help="configured build folder")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="mutants at a time (default: one a core)")
    parser.add_argument("--json", type=Path, help="file for the results")
    parser.add_argument("--list", action="store_true", help="print the mutants of the sample and exit")
    arguments = parser.parse_args()

    names = arguments.group or list(GROUPS)
    equivalent = read_equivalent()
    mutants = [mutant for name in names for path in files_matching(GROUPS[name].mutated)
               for mutant in mutants_of(name, path)]
    unknown = equivalent - {mutant.key for mutant in mutants}
    if unknown and not arguments.group:
        sys.exit(f"mutate: {EQUIVALENT.relative_to(ROOT)} names mutants that no longer exist:\n"
                 + "\n".join(sorted(unknown)))
    n_all = len(mutants)
    if arguments.survivors_of:
        before = json.loads(arguments.survivors_of.read_text())["results"]
        keys = {f"{old['file']} | {old['before']} | {old['after']}" for old in before if old["verdict"] == "survived"}
        mutants = [mutant for mutant in mutants if mutant.key in keys]
    else:
        mutants = sample_of(mutants, arguments.sample or n_all, arguments.seed)
    if arguments.only:
        mutants = [mutant for mutant in mutants if arguments.only in mutant.key]
    if arguments.list:
        for mutant in mutants:
            print(mutant.key)
        return 0

    build = arguments.build.resolve()
    if not (build / "compile_commands.json").is_file():
        sys.exit(f"mutate: {build} is not a configured build folder (cmake --preset cpu)")
    workshop = Workshop(build, arguments.jobs)
    limits = {}
    for name in sorted({mutant.group for mutant in mutants}):
        seconds = workshop.prepare(name)
        limits[name] = 30 + 10 * seconds
        print(f"{name}: the tests take {seconds:.1f} s", flush=True)

    def judged(item):
        number, mutant = item
        if mutant.key in equivalent:
            return mutant, "equivalent", ""
        return (mutant, *workshop.judge(mutant, number, limits[mutant.group]))

    results = []
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for mutant, verdict, told_by in pool.map(judged, enumerate(mutants)):
            print(f"{verdict:10} {mutant.file}:{mutant.line}: {mutant.before}  ->  {mutant.after}"
                  + (f"  [{told_by}]" if told_by else ""), flush=True)
            results.append({"group": mutant.group, "file": mutant.file, "line": mutant.line,
                            "operator": mutant.operator, "before": mutant.before, "after": mutant.after,
                            "verdict": verdict, "told_by": told_by})
    total = print_table(results)
    count = {verdict: sum(result["verdict"] == verdict for result in results) for verdict in ("invalid", "equivalent")}
    print(f"{len(results)} of {n_all} mutants; {count['invalid']} do not compile, {count['equivalent']} are equivalent")
    if arguments.json:
        arguments.json.write_text(json.dumps({"seed": arguments.seed, "mutants": n_all, "results": results}, indent=1))
    judged_count = total["killed"] + total["survived"]
    return 0 if judged_count and 100 * total["killed"] >= arguments.least * judged_count else 1


if __name__ == "__main__":
    sys.exit(main())
