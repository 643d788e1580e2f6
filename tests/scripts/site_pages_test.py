#!/usr/bin/env python3
"""scripts/site_pages.py: links, lists and generated pages of the website; it needs no MkDocs."""

import ast
import os
import stat
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "scripts"))
import site_pages  # noqa: E402


class Links(unittest.TestCase):
    def rewritten(self, text, source="docs/faq.md", page="faq.md"):
        self.copies = site_pages.Copies()
        return self.copies.rewritten(text, source, page)

    def test_pages_of_docs_and_of_the_repository(self):
        self.assertEqual(self.rewritten("[a](physics.md#units) [b](../README.md#first-steps)"),
                         "[a](physics.md#units) [b](index.md#first-steps)")
        self.assertEqual(self.rewritten("[a](docs/physics.md)", "README.md", "index.md"), "[a](physics.md)")

    def test_other_files_are_copied(self):
        self.assertEqual(self.rewritten("[a](../CITATION.cff) [b](../.clang-format)"),
                         "[a](files/CITATION.cff) [b](files/clang-format)")
        self.assertEqual(self.copies.files["files/CITATION.cff"], SOURCE / "CITATION.cff")

    def test_a_folder_becomes_a_page_that_lists_it(self):
        self.assertEqual(self.rewritten("[a](../examples/argon)"), "[a](files/examples/argon/index.md)")
        self.assertIn("- [liquid.toml](liquid.toml)\n", self.copies.files["files/examples/argon/index.md"])
        self.assertIn("files/examples/argon/liquid.toml", self.copies.files)

    def test_addresses_anchors_and_code_stay(self):
        for text in ("[a](https://example.org/x.md)", "[a](#here)", "```\n[a](../none.md)\n```"):
            self.assertEqual(self.rewritten(text), text)

    def test_a_file_that_does_not_exist_is_an_error(self):
        with self.assertRaisesRegex(site_pages.SiteError, "links to none.md, which does not exist"):
            self.rewritten("[a](../none.md)")


class Lists(unittest.TestCase):
    def test_an_empty_line_comes_before_a_list(self):
        self.assertEqual(site_pages.separated_lists("Text:\n- a\n- b"), "Text:\n\n- a\n- b")

    def test_items_of_several_lines_and_code_stay(self):
        for text in ("- a\n  more\n- b", "- a\nmore\n- b", "```\ntext\n- a\n```", "Text\n\n1. a\n2. b"):
            self.assertEqual(site_pages.separated_lists(text), text)


class Generated(unittest.TestCase):
    def test_the_command_line_has_each_command_once(self):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "drop md"
            program.write_text("#!/bin/sh\nif [ -z \"$2\" ]; then printf 'dropmd: x\\n\\n  run [FILE]   r\\n  map FILE   m\\n\\n"
                               "  dropmd help COMMAND  h\\n'; else echo \"about $2\"; fi\n")
            program.chmod(program.stat().st_mode | stat.S_IXUSR)
            page = site_pages.command_line_page(str(program))
        self.assertEqual([line for line in page.splitlines() if line.startswith("## ")], ["## run", "## map"])
        self.assertIn("about map", page)

    def test_a_program_that_is_missing_says_so(self):
        before = os.environ.get("DROPMD_PROGRAM")
        os.environ["DROPMD_PROGRAM"] = "/nonexistent/dropmd"
        try:
            with self.assertRaisesRegex(site_pages.SiteError, "no dropmd to ask"):
                site_pages.find_program()
        finally:
            del os.environ["DROPMD_PROGRAM"]
            if before is not None:
                os.environ["DROPMD_PROGRAM"] = before

    def test_python_has_all_public_names(self):
        page = site_pages.python_page()
        package = ast.parse((SOURCE / "python/dropmd/__init__.py").read_text())
        public = next(ast.literal_eval(node.value) for node in package.body if isinstance(node, ast.Assign))
        in_python = [f"dropmd.{name}" for name in public if not name.endswith("Error") and name != "__version__"]
        self.assertIn("dropmd.read", in_python)
        for name in (*in_python, "dropmd.ase.DropmdCalculator"):
            self.assertIn(f"\n## {name}\n", page)
        self.assertIn("- `energy: float`: total energy after", page)
        self.assertIn("which they keep for good; None where the file has none", page)
        self.assertIn("Simulation.step(", page)

    def test_arguments_that_share_a_line_are_an_item(self):
        self.assertEqual(site_pages.as_markdown("Moves.\na, b: what they are"), "Moves.\n- `a`, `b`: what they are")

    def test_arguments_are_divided_outside_brackets(self):
        self.assertEqual(site_pages.split_arguments("a: Union[X, Y], *, b: D[(1, 2)]=None"),
                         ["a: Union[X, Y]", "*", "b: D[(1, 2)]=None"])


if __name__ == "__main__":
    unittest.main()
