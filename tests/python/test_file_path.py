"""Names that no file can have."""

import dropmd
import pytest
from conftest import ARGON, lattice


def test_a_nul_byte_is_named(argon):
    name = "a\0b.toml"
    for use in (lambda: dropmd.Simulation(name), lambda: dropmd.Simulation.load(name), lambda: dropmd.read(name)):
        with pytest.raises(dropmd.InputError, match=r"'a\\x00b.toml' is not the name of a file"):
            use()
    with pytest.raises(dropmd.OutputError, match="NUL byte"):
        argon.save(name)
    with pytest.raises(dropmd.InputError):
        dropmd.Simulation({**ARGON, "system": {"structure": name}})
    with pytest.raises(dropmd.InputError):
        dropmd.Simulation({**ARGON, "system": {"topology": name}}, positions=lattice(1))
