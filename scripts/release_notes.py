#!/usr/bin/env python3
"""Prints the section of a version in CHANGELOG.md, for the page of a release.

Usage: scripts/release_notes.py VERSION [--links=ADDRESS]     e.g. 0.1.0 or v0.1.0
       scripts/release_notes.py --self-test
--links: where the files of the repository are, to which the links of the notes then lead.
"""

import re
import sys
from pathlib import Path

CHANGELOG = Path(__file__).resolve().parents[1] / "CHANGELOG.md"


class NoNotes(Exception):
    """A version has no section, or an empty one."""


def notes(changelog, version):
    """Returns the text under "## [VERSION]" or "## [VERSION] - DATE", up to the next version, without its heading."""
    version = re.sub("^v", "", version)
    sections = re.split(r"(?m)^## ", changelog)[1:]
    known = []
    for section in sections:
        heading, _, text = section.partition("\n")
        name = re.match(r"\[([^\]]+)\]", heading)
        known.append(name.group(1) if name else heading)
        if known[-1] != version:
            continue
        text = re.sub(r"(?m)^\[[^\]]+\]: \S+\n?", "", text).strip()  # definitions of links at the end of the file
        if not text:
            raise NoNotes(f"the section [{version}] is empty")
        return text + "\n"
    raise NoNotes(f"no section [{version}] (there are: {', '.join(known)})")


def absolute_links(text, base):
    """Returns the text with links to files of the repository as addresses below `base`."""
    return re.sub(r"\]\((?!https?:|#|mailto:)([^)]+)\)", lambda link: f"]({base}/{link.group(1)})", text)


def self_test():
    changelog = ("# Changelog\n\nIntroduction.\n\n## [Unreleased]\n\n## [0.2.0] - 2027-01-02\n\n### Added\n\n- B ([b](docs/b.md)).\n\n"
                 "## [0.1.0]\n\n- A.\n\n[0.1.0]: https://example.org/a\n")
    assert notes(changelog, "v0.2.0") == notes(changelog, "0.2.0") == "### Added\n\n- B ([b](docs/b.md)).\n"
    assert notes(changelog, "0.1.0") == "- A.\n"
    assert absolute_links("[b](docs/b.md) [c](https://c)", "https://x/y") == "[b](https://x/y/docs/b.md) [c](https://c)"
    for version, said in (("0.3.0", "there are: Unreleased, 0.2.0, 0.1.0"), ("Unreleased", "empty"), ("0.1", "no section")):
        try:
            notes(changelog, version)
        except NoNotes as error:
            assert said in str(error), error
        else:
            raise AssertionError(version)


def main(arguments):
    if arguments == ["--self-test"]:
        self_test()
        return 0
    links = [word[len("--links="):] for word in arguments if word.startswith("--links=")]
    versions = [word for word in arguments if not word.startswith("--")]
    if len(versions) != 1 or len(links) + 1 != len(arguments):
        print("usage: scripts/release_notes.py VERSION [--links=ADDRESS] | --self-test", file=sys.stderr)
        return 2
    try:
        text = notes(CHANGELOG.read_text(encoding="utf-8"), versions[0])
    except NoNotes as error:
        print(f"release_notes: {CHANGELOG}: {error}", file=sys.stderr)
        return 1
    sys.stdout.write(absolute_links(text, links[0]) if links else text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
