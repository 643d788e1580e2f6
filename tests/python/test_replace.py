"""Molecules that become others."""

import dropmd
import numpy as np
import pytest

WATER, HYDRONIUM = "SOL", "H3O"


def ids_of(sim: dropmd.Simulation, molecule: int) -> list[int]:
    return [int(i) for i in sim.ids[sim.molecule_ids == molecule]]


def place_of_third_hydrogen(sim: dropmd.Simulation, water: int) -> np.ndarray:
    """0.9686 A from the oxygen, out of the water's plane."""
    o, a, b = (sim.positions[sim.molecule_ids == water][k] for k in range(3))
    normal, axis = np.cross(a - o, b - o), a + b - 2 * o
    way = 0.9 * normal / np.linalg.norm(normal) - 0.5 * axis / np.linalg.norm(axis)
    return o + 0.9686 * way / np.linalg.norm(way)


def transfer(sim: dropmd.Simulation, donor: int, acceptor: int, proton: int) -> dropmd.Change:
    """Moves a hydrogen of a hydronium ion to a water."""
    o, *hydrogens, site = ids_of(sim, donor)
    to_o, to_a, to_b, to_site = ids_of(sim, acceptor)
    hydrogens.remove(proton)
    return sim.replace([donor, acceptor], [WATER, HYDRONIUM],
                       ids=[[o, *hydrogens, site], [to_o, to_a, to_b, proton, to_site]],
                       positions=[None, {"HW3": place_of_third_hydrogen(sim, acceptor)}])


def test_molecules_have_names_and_ids(water, argon):
    names = list(water.molecules.values())
    assert names == [WATER] * 200 + [HYDRONIUM] * 3
    assert water.molecule_ids.shape == (water.n_atoms,) and water.molecule_ids[4] == 5
    assert water.atom_names[:4] == ["OW", "HW1", "HW2", "MW"]
    assert set(argon.molecules.values()) == {"X"} and len(argon.molecules) == 27


def test_a_proton_moves(water):
    water.step(3)
    donor, charge, conserved = 801, water.charges.sum(), water.conserved
    proton = ids_of(water, donor)[1]
    change = transfer(water, donor, 1, proton)
    assert water.molecules[1] == HYDRONIUM and water.molecules[donor] == WATER
    assert proton in ids_of(water, 1) and proton in change.ids
    assert water.charges.sum() == pytest.approx(charge) and change.charge == pytest.approx(0, abs=1e-9)
    assert water.conserved == pytest.approx(conserved, abs=1e-6 * abs(water.energies["total"]))
    assert water.ledger["added"] == pytest.approx(change.energy)
    water.step(20)
    assert sorted(water.ids) == list(range(1, water.n_atoms + 1))


def test_a_saved_replacement_continues_bit_for_bit(water, tmp_path):
    water.step(2)
    transfer(water, 801, 1, ids_of(water, 801)[2])
    water.step(3)
    water.save(tmp_path / "after.h5")
    water.step(5)
    loaded = dropmd.Simulation.load(tmp_path / "after.h5")
    assert loaded.molecules == {**loaded.molecules, 1: HYDRONIUM, 801: WATER}
    loaded.step(5)
    assert loaded.positions.tobytes() == water.positions.tobytes()
    assert loaded.ids.tobytes() == water.ids.tobytes()
    # Kinds are known from the checkpoint, too.
    for sim in (loaded, water):
        transfer(sim, 1, 801, ids_of(sim, 1)[3])
        sim.step(2)
    assert loaded.positions.tobytes() == water.positions.tobytes()


def test_a_new_atom_gets_the_next_id(water):
    n = water.n_atoms
    change = water.replace(9, HYDRONIUM, positions={"HW3": place_of_third_hydrogen(water, 9)},
                           velocities={"HW3": [0.01, 0, 0]})
    assert water.n_atoms == n + 1 and n + 1 in change.ids
    assert change.charge == pytest.approx(1) and change.mass == pytest.approx(1.008)
    water.replace(9, WATER)
    assert water.n_atoms == n and n + 1 not in water.ids


def test_impossible_replacements(water, argon):
    for arguments, message in [((1, "ICE"), "no molecule 'ICE'"), ((2, WATER), "no molecule has the id 2"),
                               ((1, HYDRONIUM), "'HW3' is new and needs a position"),
                               (([1, 5], [HYDRONIUM]), "1 kinds for 2 molecules"), ((0, WATER), "id of a molecule")]:
        with pytest.raises(ValueError, match=message):
            water.replace(*arguments)
    with pytest.raises(ValueError, match="without a topology"):
        argon.replace(1, "X")
    with pytest.raises(ValueError, match="three finite numbers"):
        water.replace(1, HYDRONIUM, positions={"HW3": [np.nan, 0, 0]})
    with pytest.raises(ValueError, match="without a position"):
        water.replace(1, HYDRONIUM, velocities={"HW3": [0, 0, 0]})
    assert water.molecules[1] == WATER
