"""Names of files."""

import os
from typing import Union

from ._dropmd import Error, InputError

Path = Union[str, "os.PathLike[str]"]


def file_path(path: Path, error: type[Error] = InputError) -> str:
    """Returns the path as a string. Raises the error for a path that no file can have."""
    name = os.fspath(path)
    if (b"\0" if isinstance(name, bytes) else "\0") in name:
        raise error(f"{name!r} is not the name of a file, since it has a NUL byte (give a name without one)")
    return name
