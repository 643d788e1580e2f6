"""The examples of docs/python.md, those that need no GPU and no OpenMM, run as they stand."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = [block for block in re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "python.md").read_text(), re.DOTALL)
            if "cupy" not in block and "from_openmm" not in block]


def test_the_examples_run_one_after_another(monkeypatch):
    pytest.importorskip("ase")
    assert len(EXAMPLES) >= 3
    monkeypatch.chdir(ROOT)
    names = {}
    for example in EXAMPLES:
        exec(compile(example, "docs/python.md", "exec"), names)  # noqa: S102
