"""Run files as dictionaries."""

import sys
from pathlib import Path

import numpy as np
import pytest
from dropmd.toml_text import run_file_text, settings_list

RUN = {"units": "lj", "title": 'a "quoted" \\ title\nµ', "run": {"steps": 10, "recenter": "none"}, "field": {"strength": [0, 1.5, -2e-3]},
       "species": [{"name": "A", "mass": 1.0}, {"name": "B", "mass": np.float64(2.5)}], "map": {"average": True}}


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python has no reader of TOML before 3.11")
def test_a_dictionary_becomes_the_same_toml():
    import tomllib

    assert tomllib.loads(run_file_text(RUN)) == RUN


def test_settings_are_those_of_the_command_line():
    assert settings_list({"run.steps": 5, "system.structure": Path("a.xyz"), "neighbor.tune": False}) == [
        "run.steps=5", 'system.structure="a.xyz"', "neighbor.tune=false"]
    with pytest.raises(TypeError):
        settings_list({"run.steps": None})
    assert settings_list({"field.strength": np.array([1, 2, 3])}) == ["field.strength=[1, 2, 3]"]
    assert settings_list({"run.steps": np.int64(7)}) == ["run.steps=7"]
