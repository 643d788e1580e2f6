"""Molecules that are added beside a topology."""

import subprocess

import dropmd
import numpy as np
import pytest
from conftest import SAMPLES

WATER, HYDRONIUM = "SOL", "H3O"


def places_of(sim: dropmd.Simulation, molecule: int, shift: float) -> np.ndarray:
    return sim.positions[sim.molecule_ids == molecule] + [shift, 0, 0]


def test_molecules_come(water):
    water.step(3)
    n, conserved = water.n_atoms, water.conserved
    change = water.add_molecules(HYDRONIUM, places_of(water, 801, 40.0), np.full((5, 3), 0.001))
    assert change.ids.tolist() == list(range(n + 1, n + 6))
    assert change.charge == pytest.approx(1)
    assert water.molecules[n + 1] == HYDRONIUM
    np.testing.assert_allclose(water.velocities[n], 0.001, atol=1e-9)
    assert water.conserved == pytest.approx(conserved, abs=1e-6 * abs(water.energies["total"]))
    assert water.ledger["added"] == pytest.approx(change.energy)
    several = water.add_molecules(WATER, [places_of(water, 1, 60.0), places_of(water, 1, 80.0)])
    assert several.mass == pytest.approx(2 * 18.015, abs=0.01)
    assert list(water.molecules.values()) == [WATER] * 200 + [HYDRONIUM] * 4 + [WATER] * 2
    assert np.all(water.velocities[-8:] == 0)
    water.step(10)
    assert water.remove(several.ids).mass == pytest.approx(several.mass)


def test_a_saved_addition_continues_bit_for_bit(water, tmp_path, program):
    water.step(2)
    water.add_molecules(WATER, places_of(water, 1, 40.0))
    water.step(3)
    water.save(tmp_path / "after.h5")
    water.step(5)
    loaded = dropmd.Simulation.load(tmp_path / "after.h5")
    assert len(loaded.molecules) == 204
    loaded.step(5)
    assert loaded.positions.tobytes() == water.positions.tobytes()
    subprocess.run(program + ["run", "--resume", str(tmp_path / "after.h5"), "-q", "--steps", "10"], check=True)
    assert dropmd.Simulation.load(tmp_path / "checkpoint.h5").positions.tobytes() == water.positions.tobytes()


def test_kinds_need_no_molecules_in_the_structure(water, tmp_path):
    """Also in a simulation that was loaded."""
    topology = (SAMPLES / "hydronium.top").read_text()
    (tmp_path / "waters.top").write_text(topology[:topology.index("[ molecules ]")] + "[ molecules ]\nSOL 200\n")
    title, _, *atoms, box = (SAMPLES / "hydronium.gro").read_text().splitlines()
    (tmp_path / "waters.gro").write_text("\n".join([title, "800", *atoms[:800], box, ""]))
    waters = dropmd.Simulation(
        SAMPLES / "hydronium.toml",
        settings={"system.topology": str(tmp_path / "waters.top"), "system.structure": str(tmp_path / "waters.gro"),
                  "engine.backend": "cpu", "engine.threads": 1})
    waters.save(tmp_path / "waters.h5")
    loaded = dropmd.Simulation.load(tmp_path / "waters.h5")
    ion = places_of(water, 801, 40.0)
    for sim in (waters, loaded):
        assert sim.add_molecules(HYDRONIUM, ion).charge == pytest.approx(1)
        sim.step(3)
    assert list(waters.molecules.values()) == [WATER] * 200 + [HYDRONIUM]
    assert loaded.positions.tobytes() == waters.positions.tobytes()
    waters.remove(waters.ids[-5:])
    waters.save(tmp_path / "again.h5")
    assert dropmd.Simulation.load(tmp_path / "again.h5").add_molecules(HYDRONIUM, ion).mass == pytest.approx(19.02, abs=0.01)


def test_impossible_molecules(water, argon):
    x = places_of(water, 1, 40.0)
    n = water.n_atoms
    for arguments, message in [(("ICE", x), "no molecule 'ICE'"), ((WATER, x[:3]), r"has 4 atoms \(OW, HW1, HW2, MW\)"),
                               ((WATER, x[0]), "n_molecules, n_atoms, 3"), ((WATER, x, [x, x]), "2 molecules for positions of 1"),
                               ((WATER, x, x[:3]), "3 velocities are given"), ((WATER, x * np.nan), "not finite")]:
        with pytest.raises(ValueError, match=message):
            water.add_molecules(*arguments)
    with pytest.raises(TypeError, match="the name of one kind of molecules"):
        water.add_molecules([WATER, WATER], [x, x])
    with pytest.raises(dropmd.PhysicsError):
        water.add_molecules(WATER, places_of(water, 1, 0.0))
    with pytest.raises(ValueError, match="add molecules of its kinds"):
        water.add([[50, 0, 0]], masses=1.0, species="O")
    with pytest.raises(ValueError, match="without a topology"):
        argon.add_molecules("X", [[9, 0, 0]])
    assert water.n_atoms == n
    water.step(1)
