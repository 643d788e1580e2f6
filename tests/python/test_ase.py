"""dropmd as a calculator of ASE."""

import warnings

import numpy as np
import pytest
from conftest import CPU, SAMPLES, lattice

pytest.importorskip("ase")

from ase import Atoms, units  # noqa: E402
from ase.constraints import FixAtoms  # noqa: E402
from ase.md.verlet import VelocityVerlet  # noqa: E402
from ase.optimize import BFGS  # noqa: E402
from dropmd.ase import KCAL_PER_MOL, DropmdCalculator, simulation_of  # noqa: E402

ARGON = {"units": "real", "lennard-jones": {"epsilon": 0.238, "sigma": 3.405}, "engine": {**CPU["engine"], "precision": "double"}}


def argon(n: int = 3) -> Atoms:
    places = 3.4 * lattice(n) / 1.12
    return Atoms(f"Ar{n**3}", places + np.random.default_rng(1).normal(0, 0.05, places.shape), calculator=DropmdCalculator(ARGON))


def test_energies_are_those_of_ases_own_lennard_jones():
    from ase.calculators.lj import LennardJones

    atoms = argon()
    other = atoms.copy()
    other.calc = LennardJones(epsilon=0.238 * KCAL_PER_MOL, sigma=3.405, rc=1000.0, ro=999.0, smooth=False)
    shift = 4 * 0.238 * KCAL_PER_MOL * (3.405 / 1000.0)**6 * 27 * 26 / 2  # ASE shifts its energies to zero at rc
    assert atoms.get_potential_energy() == pytest.approx(other.get_potential_energy() - shift, rel=1e-9)
    np.testing.assert_allclose(atoms.get_forces(), other.get_forces(), atol=1e-9)


def test_forces_are_the_derivatives_of_the_energy():
    atoms = argon(2)
    forces, d = atoms.get_forces(), 1e-4
    for axis in range(3):
        energies = []
        for shift in (-d, d):
            moved = atoms.copy()
            moved.calc = atoms.calc
            moved.positions[5, axis] += shift
            energies.append(moved.get_potential_energy())
        assert (energies[0] - energies[1]) / (2 * d) == pytest.approx(forces[5, axis], abs=1e-7)


def test_ases_optimiser_finds_the_minimum():
    atoms = argon(2)
    assert BFGS(atoms, logfile=None).run(fmax=1e-3, steps=200)
    assert np.abs(atoms.get_forces()).max() < 1e-3


def test_ases_dynamics_is_dropmds():
    """Velocity Verlet in both programs from the same start: 50 steps of 2 fs."""
    atoms = argon()
    atoms.set_velocities(np.random.default_rng(2).normal(0, 1e-3, (27, 3)) / units.fs)
    simulation = simulation_of({**ARGON, "integrator": {"timestep": 2.0}, "run": {"recenter": "none"}}, atoms)
    VelocityVerlet(atoms, timestep=2.0 * units.fs).run(50)
    simulation.step(50)
    np.testing.assert_allclose(simulation.positions, atoms.positions, atol=1e-7)
    np.testing.assert_allclose(simulation.velocities, atoms.get_velocities() * units.fs, atol=1e-8)


def test_molecules_have_their_topology():
    run = SAMPLES / "hydronium.toml"
    import dropmd

    simulation = dropmd.Simulation(run, settings={"engine.backend": "cpu"})
    symbols = ["X" if mass == 0 else "H" if mass < 2 else "O" for mass in simulation.masses]
    atoms = Atoms(symbols, simulation.positions, calculator=DropmdCalculator(run, settings={"engine.backend": "cpu"}))
    assert atoms.get_potential_energy() == pytest.approx(simulation.energies["potential"] * KCAL_PER_MOL, rel=1e-6)
    np.testing.assert_allclose(atoms.get_forces(), simulation.forces * KCAL_PER_MOL, atol=1e-3)


def test_ases_constraints_are_ases():
    atoms = argon(2)
    atoms.set_constraint(FixAtoms([0]))
    assert np.all(atoms.get_forces()[0] == 0)
    with pytest.raises(ValueError, match="does not support constraints of ASE"):
        simulation_of(ARGON, atoms)


def test_rigid_molecules_are_warned_of():
    import dropmd

    settings = {"engine.backend": "cpu"}
    water = dropmd.Simulation(SAMPLES / "water-na.toml", settings=settings)
    atoms = Atoms(["X" if mass == 0 else s for s, mass in zip(water.species, water.masses)], water.positions)
    atoms.calc = DropmdCalculator(SAMPLES / "water-na.toml", settings=settings)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        atoms.get_potential_energy()
    atoms.positions[np.flatnonzero(np.array(atoms.get_chemical_symbols()) == "H")[0]] += [0.05, 0, 0]
    with pytest.warns(UserWarning, match="rigid molecules need"):
        atoms.get_potential_energy()
    others = Atoms(["Ar"] * len(atoms), atoms.positions, calculator=DropmdCalculator(SAMPLES / "water-na.toml", settings=settings))
    with pytest.raises(ValueError, match="atom 0 is Ar, but the topology has O there"):
        others.get_potential_energy()


def test_misspelt_options_are_refused():
    with pytest.raises(TypeError, match="'setting' is not an option"):
        DropmdCalculator(ARGON, setting={})
    with pytest.raises(TypeError, match="path of a run file"):
        DropmdCalculator(None)
    with pytest.raises(TypeError, match="Atoms of ASE"):
        simulation_of(argon(1), ARGON)


def test_what_it_has_not_is_refused():
    atoms = argon(1)
    atoms.pbc = True
    with pytest.raises(ValueError, match="periodic"):
        atoms.get_potential_energy()
    with pytest.raises(ValueError, match="reduced units"):
        simulation_of({**ARGON, "units": "lj"}, argon(1))
