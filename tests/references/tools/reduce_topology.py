"""Cuts a processed GROMACS topology (gmx grompp -pp) down to the types of its atoms."""

import re

SECTIONS = {"bondtypes": 2, "constrainttypes": 2, "angletypes": 3, "cmaptypes": 5, "nonbond_params": 2, "pairtypes": 2}
ATOM_TYPES = ("nonbond_params", "pairtypes")  # name types of atoms, the others bonded types
DROPPED = ("implicit_genborn_params", "implicit_surface_params")


def lines_of(text):
    """Lines without comments, continued lines joined, blanks squeezed."""
    text = re.sub(r"\\\s*\n", " ", text)
    for line in text.splitlines():
        line = " ".join(line.split(";")[0].split())
        if line and line[0] != "*":
            yield line


def bonded_type(words):
    """The type that bonded terms look up: the second column where there is one."""
    return words[1] if len(words) > 7 or not words[1][0].isdigit() else words[0]


def used_types(lines):
    """Returns the set of atom types of molecules that are used, and the set of their bonded types."""
    section, molecule, types, molecules, bonded = "", "", {}, set(), {}
    for line in lines:
        words = line.split()
        if words[0] == "[":
            section = words[1]
        elif section == "atomtypes":
            bonded[words[0]] = bonded_type(words)
        elif section == "moleculetype":
            molecule = words[0]
            types[molecule] = set()
        elif section == "atoms":
            types[molecule].add(words[1])
        elif section == "molecules":
            molecules.add(words[0])
    used = set().union(*(types[name] for name in molecules))
    return used, {bonded[name] for name in used}, molecules


def keeps(section, words, used, bonded):
    if section == "atomtypes":
        return words[0] in used
    if section in ATOM_TYPES:
        return set(words[:2]) <= used
    if section == "dihedraltypes":
        names = words[:2] if re.fullmatch(r"\d+", words[2]) and not re.fullmatch(r"\d+", words[4]) else words[:4]
        return set(names) <= bonded | {"X"}
    if section in SECTIONS:
        return set(words[: SECTIONS[section]]) <= bonded | {"X"}
    return section not in DROPPED


def reduce_topology(text, comments):
    """Returns the topology with those parameters that its molecules can use; `comments` become its first lines."""
    lines = list(lines_of(text))
    used, bonded, molecules = used_types(lines)
    sections, molecule = [], None
    for line in lines:
        words = line.split()
        if words[0] == "[":
            sections.append((words[1], []))
            continue
        section = sections[-1][0]
        if section == "moleculetype":
            molecule = words[0]
        if section in ("system", "molecules"):
            molecule = None
        if molecule is not None and molecule not in molecules:
            continue
        if keeps(section, words, used, bonded):
            if section == "cmaptypes":
                line = wrapped(words)
            sections[-1][1].append(line)
    out = [f"; {comment}" for comment in comments]
    for name, body in sections:
        if body:
            out += ["", f"[ {name} ]", *body]
    return "\n".join(out) + "\n"


def wrapped(words):
    """A CMAP type on several lines, ten values each."""
    rows = [" ".join(words[:8])] + [" ".join(words[k : k + 10]) for k in range(8, len(words), 10)]
    return "\\\n".join(rows)
