"""Run files as nested dictionaries."""

import json
import numbers
from collections.abc import Mapping, Sequence
from typing import Any


def toml_value(value: Any) -> str:
    """Returns a value of a run file as TOML. Raises TypeError for values that no key of a run file takes."""
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        value = value.item()  # of numpy
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    if hasattr(value, "__fspath__"):
        return _string(str(value))
    if (isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray))) or hasattr(value, "tolist"):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    raise TypeError(f"a run file cannot have a value such as {value!r}")


def run_file_text(run: Mapping[str, Any]) -> str:
    """Returns a run file: top-level keys, sections, and lists of sections such as "species"."""
    top, sections = [], []
    for name, value in run.items():
        if isinstance(value, Mapping):
            sections += [f"[{name}]"] + _lines(value)
        elif isinstance(value, Sequence) and value and all(isinstance(item, Mapping) for item in value):
            for item in value:
                sections += [f"[[{name}]]"] + _lines(item)
        else:
            top.append(f"{name} = {toml_value(value)}")
    return "\n".join(top + sections) + "\n"


def settings_list(settings: Mapping[str, Any]) -> list[str]:
    """Returns settings as those of the command line: {"run.steps": 5} becomes ["run.steps=5"]."""
    if not isinstance(settings, Mapping):
        raise TypeError(f'settings are {settings!r} (expected: a dictionary such as {{"integrator.timestep": 1.0}})')
    for key, value in settings.items():
        if isinstance(value, Mapping):
            raise TypeError(f'settings have their section in the key: {{"{key}.{next(iter(value), "KEY")}": ...}}')
    return [f"{key}={toml_value(value)}" for key, value in settings.items()]


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _lines(section: Mapping[str, Any]) -> list[str]:
    return [f"{key} = {toml_value(value)}" for key, value in section.items()]
