#!/usr/bin/env python3
"""scripts/version.sh: versions of repositories made for the purpose, of archives and of folders without git."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
ENVIRONMENT = {
    **{k: v for k, v in os.environ.items() if not k.startswith("GIT_")},
    "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.org",
}


def call(*command, folder, check=True):
    return subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=check)


class Folder(unittest.TestCase):
    """Each test has a folder with a blank in its name and what the script reads."""

    def setUp(self):
        keeper = tempfile.TemporaryDirectory()
        self.addCleanup(keeper.cleanup)
        self.root = Path(keeper.name) / "a copy"
        (self.root / "scripts").mkdir(parents=True)
        shutil.copy(SOURCE / "scripts/version.sh", self.root / "scripts")
        for name in (".gitattributes", ".git_archival.txt"):
            shutil.copy(SOURCE / name, self.root)
        self.cite("1.2.0")

    def cite(self, version):
        (self.root / "CITATION.cff").write_text(f"cff-version: 1.2.0\nversion: {version}\nlicense: BSD-3-Clause\n")

    def said(self, *words, root=None):
        return call("sh", (root or self.root) / "scripts/version.sh", *words, folder="/").stdout.split()

    def all(self, root=None):
        return self.said("release", "version", "debian", "commit", root=root)


@unittest.skipUnless(shutil.which("git"), "there is no git")
class Repository(Folder):
    def setUp(self):
        super().setUp()
        self.git("init", "--quiet")
        self.commit("first")
        self.commit("second")

    def git(self, *words):
        return call("git", *words, folder=self.root).stdout.strip()

    def commit(self, message):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        self.hash = self.git("rev-parse", "HEAD")[:12]

    def test_before_the_first_tag_it_counts_all_commits(self):
        self.assertEqual(self.all(), ["1.2.0", f"1.2.0.dev2+g{self.hash}", f"1.2.0~dev2.g{self.hash}", self.hash])

    def test_at_the_tag_it_is_the_release(self):
        self.git("tag", "v1.2.0")
        self.assertEqual(self.all(), ["1.2.0", "1.2.0", "1.2.0", self.hash])

    def test_after_the_tag_it_counts_from_there(self):
        self.git("tag", "--annotate", "--message", "1.2.0", "v1.2.0")
        self.commit("third")
        self.assertEqual(self.all(), ["1.2.0", f"1.2.0.post1+g{self.hash}", f"1.2.0+1.g{self.hash}", self.hash])

    def test_towards_the_next_release_it_is_a_version_before_that(self):
        self.git("tag", "v1.2.0")
        self.cite("1.3.0")
        self.commit("third")
        self.assertEqual(self.said("version", "debian"), [f"1.3.0.dev1+g{self.hash}", f"1.3.0~dev1.g{self.hash}"])

    def test_other_tags_do_not_count(self):
        self.git("tag", "vapour")
        self.assertEqual(self.said(), [f"1.2.0.dev2+g{self.hash}"])

    def test_changes_show_also_at_the_tag(self):
        self.git("tag", "v1.2.0")
        with open(self.root / "CITATION.cff", "a") as file:
            file.write("title: changed\n")
        self.assertEqual(self.all()[1:], [f"1.2.0.post0+g{self.hash}.dirty", f"1.2.0+0.g{self.hash}.dirty",
                                          f"{self.hash}-dirty"])

    def test_an_archive_knows_its_commit(self):
        for tag, version in ((None, f"1.2.0.dev0+g{self.hash}"), ("v1.2.0", "1.2.0")):
            if tag:
                self.git("tag", tag)
            self.git("archive", "--prefix=out/", "--output", self.root.parent / "a.tar", "HEAD")
            with tarfile.open(self.root.parent / "a.tar") as archive:
                archive.extractall(self.root.parent)
            self.assertEqual(self.said("version", "commit", root=self.root.parent / "out"), [version, self.hash])

    def test_an_archive_counts_the_commits_after_a_tag(self):
        self.git("tag", "v1.2.0")
        self.commit("third")
        self.git("archive", "--prefix=out/", "--output", self.root.parent / "a.tar", "HEAD")
        with tarfile.open(self.root.parent / "a.tar") as archive:
            archive.extractall(self.root.parent)
        self.assertEqual(self.said(root=self.root.parent / "out"), [f"1.2.0.post1+g{self.hash}"])

    def test_a_copy_without_git_in_another_repository_is_none_of_its_commits(self):
        inner = self.root / "copied"
        shutil.copytree(self.root / "scripts", inner / "scripts")
        shutil.copy(self.root / "CITATION.cff", inner)
        self.assertEqual(self.all(inner), ["1.2.0", "1.2.0", "1.2.0", "unknown"])


class WithoutGit(Folder):
    def test_it_is_the_release(self):
        self.assertEqual(self.all(), ["1.2.0", "1.2.0", "1.2.0", "unknown"])

    def test_an_sdist_has_what_it_was_made_from(self):
        for version, debian in (("1.2.0.dev7+gabc", "1.2.0~dev7.gabc"), ("1.2.0.post7+gabc", "1.2.0+7.gabc")):
            (self.root / "PKG-INFO").write_text(f"Metadata-Version: 2.4\nName: dropmd\nVersion: {version}\n\nVersion: 9\n")
            self.assertEqual(self.all(), ["1.2.0", version, debian, "abc"])

    def test_mistakes_say_what_would_be_right(self):
        script = self.root / "scripts/version.sh"
        wrong = call("sh", script, "tag", folder="/", check=False)
        self.assertEqual((wrong.returncode, wrong.stdout), (2, ""))
        self.assertIn("unknown word 'tag' (use version, release, debian or commit)", wrong.stderr)
        self.cite("next")
        wrong = call("sh", script, folder="/", check=False)
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("CITATION.cff: no line with the version", wrong.stderr)


class Order(unittest.TestCase):
    """Development before a release, the release, and what follows it: in this order for pip and dpkg."""

    def test_dpkg_sorts_them(self):
        if not shutil.which("dpkg"):
            self.skipTest("there is no dpkg")
        versions = ["1.2.0~dev9.gabc", "1.2.0~dev10.gabc", "1.2.0", "1.2.0+1.gabc", "1.2.0+12.gabc", "1.3.0~dev1.gabc"]
        for earlier, later in zip(versions, versions[1:]):
            call("dpkg", "--compare-versions", earlier, "lt", later, folder="/")


class Project(unittest.TestCase):
    """The version of this project."""

    def test_python_packages_take_it(self):
        sys.dont_write_bytecode = True
        sys.path.insert(0, str(SOURCE / "scripts"))
        import package_version
        version = package_version.dynamic_metadata("version", {})
        self.assertRegex(version, r"^\d+\.\d+\.\d+(\.(dev|post)\d+\+g[0-9a-f]+(\.dirty)?)?$")
        self.assertRaises(ValueError, package_version.dynamic_metadata, "name")

    def test_the_changelog_has_the_release_or_names_the_next(self):
        release = call("sh", SOURCE / "scripts/version.sh", "release", folder="/").stdout.strip()
        changelog = (SOURCE / "CHANGELOG.md").read_text()
        self.assertRegex(changelog, rf"(?m)^(## \[{re.escape(release)}\]|To become {re.escape(release)}\b)")


if __name__ == "__main__":
    unittest.main()
