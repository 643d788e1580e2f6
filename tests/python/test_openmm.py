"""Systems of OpenMM."""

import dropmd
import numpy as np
import pytest
from conftest import CPU

openmm = pytest.importorskip("openmm")

from openmm import app, unit  # noqa: E402

KJ_PER_KCAL = 4.184


@pytest.fixture
def peptide():
    """Three waters and an ion of TIP4P-Ew: alanine dipeptide of OpenMM's own data would need a file."""
    topology, positions = app.Topology(), []
    chain = topology.addChain()
    oxygen, hydrogen, site = np.zeros(3), np.array([[0.0957, 0, 0], [-0.0240, 0.0927, 0]]), np.array([0.0076, 0.0098, 0])
    for k in range(3):
        residue = topology.addResidue("HOH", chain)
        atoms = [topology.addAtom(name, app.element.get_by_symbol(name[0]), residue) for name in ("O", "H1", "H2")]
        topology.addAtom("M", None, residue)
        for atom in atoms[1:]:
            topology.addBond(atoms[0], atom)
        shift = np.array([0.31 * k, 0.02 * k, 0.05 * k])
        positions += [oxygen + shift, *(hydrogen + shift), site + shift]
    field = app.ForceField("amber14/tip4pew.xml")
    system = field.createSystem(topology, nonbondedMethod=app.NoCutoff, rigidWater=True)
    return system, np.array(positions)


def test_energies_and_forces_are_those_of_openmm(peptide):
    system, positions = peptide
    context = openmm.Context(system, openmm.VerletIntegrator(0.001), openmm.Platform.getPlatformByName("Reference"))
    context.setPositions(positions)
    context.applyConstraints(1e-12)
    context.computeVirtualSites()
    state = context.getState(getEnergy=True, getPositions=True)
    simulation = dropmd.from_openmm(system, state.getPositions(),
                                    run={"engine": {**CPU["engine"], "precision": "double"}, "run": {"recenter": "none"}})
    energy = state.getPotentialEnergy().value_in_unit(unit.kilojoule_per_mole)
    assert simulation.energies["potential"] == pytest.approx(energy / KJ_PER_KCAL, rel=1e-6)
    np.testing.assert_allclose(simulation.positions, state.getPositions(asNumpy=True).value_in_unit(unit.angstrom), atol=1e-7)
    simulation.step(10)
    assert np.isfinite(simulation.positions).all()


def test_arrays_are_in_nanometres(peptide):
    system, positions = peptide
    run = {**CPU, "run": {"recenter": "none"}}
    velocities = np.ones_like(positions)
    simulation = dropmd.from_openmm(system, positions, velocities, run=run)
    np.testing.assert_allclose(simulation.positions[0], 10 * positions[0], atol=1e-2)
    np.testing.assert_allclose(simulation.velocities[simulation.masses > 0], 0.01, rtol=1e-9)
    with pytest.raises(ValueError):
        dropmd.from_openmm(system, positions, run={"units": "lj"})


def test_the_run_file_names_no_file_that_is_gone(peptide, tmp_path):
    system, positions = peptide
    with pytest.warns(UserWarning, match="^/no-file/system-of-openmm.xml: CMMotionRemover"):
        simulation = dropmd.from_openmm(system, positions, run=CPU)
    assert 'topology = "/no-file/system-of-openmm.xml"' in simulation.run_file
    simulation.save(tmp_path / "saved.h5")
    loaded = dropmd.Simulation.load(tmp_path / "saved.h5")
    assert 'topology = "/no-file/system-of-openmm.xml"' in loaded.run_file
    for s in (simulation, loaded):
        s.step(3)
    assert loaded.positions.tobytes() == simulation.positions.tobytes()
    kept = dropmd.from_openmm(system, positions, run=CPU, topology=tmp_path / "system.xml")
    assert f'topology = "{tmp_path / "system.xml"}"' in kept.run_file
    (tmp_path / "run.toml").write_text(kept.run_file)
    again = dropmd.Simulation(tmp_path / "run.toml", positions=kept.positions)
    assert again.energies == kept.energies
