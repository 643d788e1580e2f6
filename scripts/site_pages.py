"""A hook of MkDocs (mkdocs.yml): pages of the website that are not in docs/, and links to files outside it.

README.md, CONTRIBUTING.md and other documents of the repository become pages. command-line.md is what the program's
help says, man-page.md is docs/dropmd.1, python-api.md has the docstrings of python/dropmd. Links to other files of the
repository lead to copies of them. DROPMD_PROGRAM: the program (default: the first of build/default, cpu, release).
"""

import ast
import itertools
import os
import posixpath
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = {  # documents of the repository and their pages
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "inputs/samples/README.md": "samples.md",
}
MODULES = ("simulation", "clusters", "frames", "openmm", "ase", "__init__")  # in this order
LINK = re.compile(r"(\]\()([^)#\s]*)(#[^)\s]*)?(\))")


class SiteError(Exception):
    """Something that pages are made of is missing."""


def fenced(text):
    return f"```text\n{text.rstrip()}\n```\n"


# The command line


def find_program():
    names = [os.environ["DROPMD_PROGRAM"]] if "DROPMD_PROGRAM" in os.environ else [
        ROOT / "build" / preset / "dropmd" for preset in ("default", "cpu", "release")]
    for name in names:
        if os.access(name, os.X_OK):
            return str(name)
    raise SiteError("there is no dropmd to ask for its help (build it, or set DROPMD_PROGRAM)")


def command_line_page(program):
    """Returns the page of the help of all commands that the program lists."""
    def said(*words):
        return subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout

    overview = said("help")
    commands = re.findall(r"(?m)^  ([a-z]+)\b(?! COMMAND)(?= |$)", overview)
    page = ["# Command line", "", "What `dropmd help` and `dropmd help COMMAND` print.", "", fenced(overview)]
    for command in dict.fromkeys(commands):
        if command != "dropmd":
            page += [f"## {command}", "", fenced(said("help", command))]
    return "\n".join(page)


def man_page():
    if not shutil.which("groff"):
        raise SiteError("there is no groff to render the man page (install groff-base)")
    text = subprocess.run(["groff", "-k", "-mdoc", "-Tutf8", "-P-cbou", "-rLL=90n", "docs/dropmd.1"], cwd=ROOT,
                          capture_output=True, text=True, check=True).stdout
    return f"# Man page\n\n`man dropmd`, where dropmd is installed.\n\n{fenced(text)}"


# The Python package


def as_markdown(docstring):
    """Returns a docstring with its lines "argument: what it is" as a list, and names like __this__ as code."""
    def item(match):
        return "- " + ", ".join(f"`{name}`" for name in match.group(1).split(", ")) + ": "

    text = re.sub(r"(?m)^(\w+(?:, \w+)*): ", item, docstring.strip())
    return re.sub(r"(?<![`\w])(__\w+__)(?![`\w])", r"`\1`", text)


def fields(node, lines):
    """Returns a list of the fields of a data class, with the comments "#:" after them, which "#" lines continue."""
    result = ""
    for f in node.body:
        if isinstance(f, ast.AnnAssign):
            said = lines[f.end_lineno - 1].partition("#:")[2].strip()
            for line in itertools.takewhile(lambda line: line.strip().startswith("# "), lines[f.end_lineno:]):
                said += " " + line.strip()[2:]
            result += f"- `{ast.unparse(f.target)}: {ast.unparse(f.annotation)}`{': ' + said if said else ''}\n"
    return result


def split_arguments(text):
    """Returns the parts of a list of arguments, divided by the commas that are not within brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "[({") - (character in "])}")
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def signature(function, owner=None):
    arguments = ast.unparse(function.args)
    arguments = re.sub(r"^(self|cls)(, )?", "", arguments)
    returned = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    name = owner if function.name == "__init__" else f"{owner}.{function.name}" if owner else function.name
    end = "" if function.name == "__init__" else returned
    line = f"{name}({arguments}){end}"
    if len(line) <= 90:
        return line
    parts = split_arguments(arguments)
    return f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){end}"


def decorated_as(function, *names):
    return any(ast.unparse(d).split(".")[-1] in names for d in function.decorator_list)


def documented(module):
    """Yields (level, heading, code, docstring) of the public classes, their members, and functions of a module."""
    source = module.read_text(encoding="utf-8")
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and ast.get_docstring(node):
            yield 2, node.name, signature(node), ast.get_docstring(node)
        if not isinstance(node, ast.ClassDef) or node.name.startswith("_"):
            continue
        functions = [n for n in node.body if isinstance(n, ast.FunctionDef)]
        start = [signature(f, node.name) for f in functions if f.name == "__init__"]
        yield 2, node.name, start[0] if start else None, (ast.get_docstring(node) or "") + "\n\n" + fields(node, source.splitlines())
        for f in functions:
            if f.name == "__init__" and ast.get_docstring(f):
                yield 0, None, None, ast.get_docstring(f)
            if f.name.startswith("_") or decorated_as(f, "setter") or not ast.get_docstring(f):
                continue
            is_value = decorated_as(f, "property")
            returned = f": {ast.unparse(f.returns)}" if f.returns else ""
            yield 3, f.name, f"{f.name}{returned}" if is_value else signature(f, node.name), ast.get_docstring(f)


def python_page():
    page = ["# Python classes and functions", "",
            "The docstrings of the package. [Python](python.md) shows how they work together, and which exceptions there are.", ""]
    for name in MODULES:
        module = ROOT / "python/dropmd" / f"{name}.py"
        for level, heading, code, text in documented(module):
            if heading:
                prefix = f"dropmd.{name}." if name == "ase" and level == 2 else "dropmd." if level == 2 else ""
                page += [f"{'#' * level} {prefix}{heading}", ""]
            if code:
                page += [f"```python\n{code}\n```", ""]
            page += [separated_lists(as_markdown(text)), ""]
    return "\n".join(page)


# Links


def folder_page(folder):
    paths = sorted((ROOT / folder).iterdir(), key=lambda path: (path.is_dir(), path.name))
    names = [path.name + ("/index.md" if path.is_dir() else "") for path in paths]
    return f"# {folder}\n\n" + "".join(f"- [{name.replace('/index.md', '/')}]({name})\n" for name in names)


class Copies:
    """The files outside docs/ to which pages link: copied to files/ of the site."""

    def __init__(self):
        self.files = {}  # path in the site: path in the repository, or the text of a page

    def place(self, path):
        """Returns where on the site a path of the repository is."""
        if path in PAGES:
            return PAGES[path]
        if path.startswith("docs/") and path not in ("docs/requirements.txt", "docs/dropmd.1"):
            return path[len("docs/"):]
        if path == "docs/dropmd.1":
            return "man-page.md"
        if path == "docs":
            return "index.md"
        source = ROOT / path
        if not source.exists():
            raise SiteError(f"a page links to {path}, which does not exist")
        there = "files/" + re.sub(r"(^|/)\.", r"\1", path)  # MkDocs leaves out what begins with a dot
        if source.is_dir():
            self.files[f"{there}/index.md"] = folder_page(path)
            for inner in source.iterdir():
                self.place(f"{path}/{inner.name}")
            return f"{there}/index.md"
        self.files[there] = source
        return there

    def rewritten(self, text, source, page):
        """Returns the text of the repository's document `source` with its links as they are from the site's `page`."""
        def link(match):
            path = match.group(2)
            if not path or re.match(r"[a-z]+:", path):
                return match.group(0)
            there = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
            there = posixpath.relpath(self.place(there), posixpath.dirname(page) or ".")
            return f"{match.group(1)}{there}{match.group(3) or ''}{match.group(4)}"

        parts = re.split(r"(?ms)(^```.*?^```)", text)  # not in code
        return "".join(part if part.startswith("```") else LINK.sub(link, part) for part in parts)


def separated_lists(text):
    """Returns the text with an empty line before each list that follows a paragraph at once, which MkDocs needs."""
    lines, in_code, result = text.split("\n"), False, []
    for line in lines:
        in_code ^= line.startswith("```")
        starts = re.match(r"(- |\d+\. )", line)
        before = result[-1] if result else ""
        if starts and not in_code and before.strip() and not re.match(r"(- |\d+\. |\s)", before) and not in_item(result):
            result.append("")
        result.append(line)
    return "\n".join(result)


def in_item(lines):
    """Whether the last paragraph of these lines is that of an item."""
    for line in reversed(lines):
        if not line.strip():
            return False
        if re.match(r"(- |\d+\. )", line):
            return True
    return False


# What MkDocs calls


def on_page_content(html, page, config, files):
    return re.sub(r"<code>[^<]*</code>", lambda code: code.group(0).replace(r"\|", "|"), html)  # in tables, as on GitHub


def on_files(files, config):
    from mkdocs.structure.files import File

    copies = Copies()
    for path, page in PAGES.items():
        text = copies.rewritten((ROOT / path).read_text(encoding="utf-8"), path, page)
        files.append(File.generated(config, page, content=separated_lists(text)))
    for file in files.documentation_pages():
        if file.generated_by is None:
            text = copies.rewritten(file.content_string, f"docs/{file.src_uri}", file.src_uri)
            file.content_string = separated_lists(text)
    for page, text in (("command-line.md", command_line_page(find_program())), ("man-page.md", man_page()),
                       ("python-api.md", python_page())):
        files.append(File.generated(config, page, content=text))
    done = set()
    while copies.files.keys() - done:  # a copied document may have links of its own
        place = min(copies.files.keys() - done)
        done.add(place)
        source = copies.files[place]
        if isinstance(source, str):
            files.append(File.generated(config, place, content=source))
        elif source.suffix == ".md":
            text = copies.rewritten(source.read_text(encoding="utf-8"), source.relative_to(ROOT).as_posix(), place)
            files.append(File.generated(config, place, content=separated_lists(text)))
        else:
            files.append(File.generated(config, place, abs_src_path=str(source)))
    return files
