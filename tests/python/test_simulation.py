"""dropmd.Simulation on a CPU: what it does is what `dropmd run` does."""

import gc
import threading
import warnings

import dropmd
import numpy as np
import pytest
from conftest import ARGON, CPU, SAMPLES, lattice


def lennard_jones(x: np.ndarray) -> tuple[float, np.ndarray]:
    """Energy and forces of atoms with σ = ε = 1, without a cutoff."""
    d = x[:, None] - x[None]
    r2 = np.sum(d * d, axis=-1)
    np.fill_diagonal(r2, np.inf)
    s6 = r2**-3
    return 2 * np.sum(s6 * s6 - s6), np.sum((24 * (2 * s6 * s6 - s6) / r2)[..., None] * d, axis=1)


def test_energies_and_forces_are_those_of_numpy(argon):
    energy, forces = lennard_jones(np.asarray(argon.positions))
    assert argon.energies["potential"] == pytest.approx(energy, rel=1e-6)  # mixed precision
    np.testing.assert_allclose(argon.forces, forces, atol=5e-5 * np.abs(forces).max())
    kinetic = 0.5 * np.sum(argon.velocities**2)
    assert argon.energies["kinetic"] == pytest.approx(kinetic, rel=1e-12)
    assert argon.energies["total"] == argon.energies["potential"] + argon.energies["kinetic"]


def test_arrays_have_shapes_and_types(water):
    n = water.n_atoms
    assert n == 200 * 4 + 3 * 5
    for name in ("positions", "velocities", "forces"):
        array = getattr(water, name)
        assert (array.shape, array.dtype) == ((n, 3), np.float64), name
        assert not array.flags.writeable
    for name in ("masses", "charges"):
        assert (getattr(water, name).shape, getattr(water, name).dtype) == ((n,), np.float64), name
    assert water.ids.dtype == np.uint32
    np.testing.assert_array_equal(water.ids, np.arange(1, n + 1))
    assert len(water.species) == n
    assert water.charges.sum() == pytest.approx(3)
    assert water.units == "real"
    assert set(water.energies) >= {"coulomb", "vdw", "potential", "kinetic", "total"}


def test_steps_are_those_of_the_program(tmp_path, water, program):
    import subprocess

    water.step(10)
    water.step(15)
    subprocess.run(program + ["run", str(SAMPLES / "hydronium.toml"), "--backend", "cpu", "--steps", "25", "-q", "-o", str(tmp_path / "out")],
                   check=True)
    resumed = dropmd.Simulation.load(tmp_path / "out")
    assert resumed.step_number == water.step_number == 25
    assert resumed.positions.tobytes() == water.positions.tobytes()
    assert resumed.velocities.tobytes() == water.velocities.tobytes()
    assert resumed.energies == water.energies


def test_a_saved_simulation_goes_on_with_the_same_bytes(tmp_path, water):
    water.step(7)
    water.save(tmp_path / "at7.h5")
    water.step(13)
    other = dropmd.Simulation.load(tmp_path / "at7.h5", settings={"engine.threads": 2})
    assert other.step_number == 7
    other.step(13)
    assert other.positions.tobytes() == water.positions.tobytes()
    assert other.conserved == water.conserved


def test_step_0_is_complete(argon):
    np.testing.assert_allclose(argon.positions.mean(axis=0), 0, atol=1e-12, err_msg="it is recentred")
    before = argon.positions
    argon.energies  # noqa: B018
    argon._cache.clear()
    np.testing.assert_array_equal(argon.positions, before)


def test_an_array_stays_what_it_was(argon):
    before = argon.positions
    assert argon.positions is before, "reading again costs nothing"
    copy = before.copy()
    argon.step(5)
    assert argon.positions is not before
    assert np.any(argon.positions != copy)
    np.testing.assert_array_equal(before, copy)
    argon.remove([1])
    del argon
    gc.collect()
    np.testing.assert_array_equal(before, copy)
    with pytest.raises(ValueError):
        before[0, 0] = 1


def test_simulations_are_freed():
    """Each has some 10 MB at 4,096 atoms."""
    import resource

    def make(times):
        for _ in range(times):
            dropmd.Simulation(ARGON, positions=lattice(16)).step(1)
            gc.collect()

    make(3)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    make(30)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 30_000, "kB"


def test_positions_and_velocities_can_be_set(argon):
    argon.step(3)
    argon.velocities = np.zeros((27, 3))
    assert argon.energies["kinetic"] == 0
    argon.positions = (1.5 * lattice(3)).tolist()
    np.testing.assert_array_equal(argon.positions, 1.5 * lattice(3))
    assert argon.step_number == 3
    energy, _ = lennard_jones(1.5 * lattice(3))
    assert argon.energies["potential"] == pytest.approx(energy, rel=1e-6)


def test_wrong_values_leave_it_as_it_was(argon):
    x = argon.positions.copy()
    for values, error in ((np.zeros((26, 3)), ValueError), (np.zeros((27, 2)), ValueError), (np.zeros((27, 3)), dropmd.PhysicsError),
                          (np.full((27, 3), np.nan), ValueError)):
        with pytest.raises(error):
            argon.positions = values
        np.testing.assert_array_equal(argon.positions, x)
    argon.step(1)


def test_atoms_leave_and_come(argon):
    argon.step(4)
    total = argon.energies["total"]
    left = argon.remove([27, 3])
    assert (left.step, left.mass, left.ids.tolist()) == (4, 2.0, [3, 27])
    assert argon.n_atoms == 25
    assert argon.energies["total"] == pytest.approx(total + left.energy, abs=1e-9 * abs(total))
    came = argon.add([[9, 0, 0], [11, 0, 0]], masses=1.0, species="X", velocities=[[0, 0, 1], [0, 0, 2]])
    assert came.ids.tolist() == [28, 29], "ids are never used twice"
    assert argon.ids.tolist()[-2:] == [28, 29]
    np.testing.assert_array_equal(argon.velocities[-1], [0, 0, 2])
    assert argon.conserved == pytest.approx(total, rel=1e-6)
    assert set(argon.ledger) == {"removed", "added"}
    argon.step(4)
    for ids in ([99], [1, 1], [0]):
        with pytest.raises(ValueError):
            argon.remove(ids)
    with pytest.raises(TypeError):
        argon.remove([1.5])
    assert argon.n_atoms == 27


def test_molecules_leave_as_a_whole(water):
    with pytest.raises(ValueError, match="would be cut"):
        water.remove([1])
    water.remove([1, 2, 3, 4])
    assert water.n_atoms == 200 * 4 + 3 * 5 - 4
    assert water.ids[0] == 5


def test_callbacks_see_the_multiples(argon):
    seen = []
    argon.step(3)
    assert not argon.step(11, callback=lambda s: seen.append(s.step_number), every=4)
    assert (seen, argon.step_number) == ([4, 8, 12], 14)
    argon.step(100, callback=lambda s: s.step_number >= 20, every=5)
    assert argon.step_number == 20, "a callback may end the run"
    with pytest.raises(ValueError):
        argon.step(1, callback=print, every=0)


def test_an_exception_of_a_callback_comes_through(argon):
    def callback(_):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        argon.step(10, callback=callback, every=5)
    argon.step(5)
    assert argon.step_number == 10


def test_a_minimiser_says_when_it_has_converged():
    run = {**ARGON, "integrator": {"form": "fire", "timestep": 0.002, "force-tolerance": 1e-3}}
    cluster = dropmd.Simulation(run, positions=lattice(2))
    assert cluster.step(100_000)
    assert 0 < cluster.step_number < 100_000
    assert np.abs(cluster.forces).max() <= 1e-3


def test_charges_species_and_masses_come_from_arrays():
    run = {"units": "real", "coulomb": {"form": "exact"},
           "species": [{"name": "Na", "epsilon": 0.1, "sigma": 2.0}, {"name": "Cl", "epsilon": 0.1, "sigma": 4.0}],
           "lennard-jones": {"at-cutoff": "none"}, **CPU}
    pair = dropmd.Simulation(run, positions=[[0, 0, 0], [5, 0, 0]], masses=[23.0, 35.5], charges=[1, -1], species=["Na", "Cl"])
    assert pair.energies["coulomb"] == pytest.approx(-332.0637 / 5, rel=1e-5)
    assert pair.species == ["Na", "Cl"]
    assert pair.masses.tolist() == [23.0, 35.5]
    assert 'form = "exact"' in pair.run_file


def test_mistakes_name_their_keys(tmp_path):
    with pytest.raises(dropmd.InputError, match="did you mean 'epsilon'"):
        dropmd.Simulation({**ARGON, "lennard-jones": {"epsilo": 1.0, "sigma": 1.0}}, positions=lattice(1))
    with pytest.raises(dropmd.InputError, match="no such file"):
        dropmd.Simulation(tmp_path / "none.toml")
    with pytest.raises(dropmd.InputError, match="did you mean 'steps'") as caught:
        dropmd.Simulation(SAMPLES / "hydronium.toml", settings={"run.step": 5})
    assert isinstance(caught.value, dropmd.Error) and isinstance(caught.value, RuntimeError)
    assert caught.value.status == 3
    with pytest.raises(ValueError, match="belong to positions"):
        dropmd.Simulation(SAMPLES / "hydronium.toml", charges=[1.0])
    with pytest.raises(ValueError, match="2 charges for 1 atoms"):
        dropmd.Simulation(ARGON, positions=lattice(1), charges=[1.0, 2.0])
    with pytest.raises(TypeError):
        dropmd.Simulation({**ARGON, "integrator": {"timestep": None}}, positions=lattice(1))


def test_odd_values_are_refused(argon, water):
    for n, options in ((-1, {}), (-5, {"callback": print}), (1, {"callback": print, "every": 0}), (1, {"callback": print, "every": float("nan")})):
        with pytest.raises(ValueError):
            argon.step(n, **options)
    argon.step(1)
    with pytest.raises(ValueError):
        argon.step(2**63 - 1)
    for options in ({"charges": []}, {"masses": [1.0]}, {"velocities": np.zeros((0, 3))}, {"species": ["X"]}):
        with pytest.raises(ValueError):
            dropmd.Simulation(ARGON, positions=lattice(2), **options)
    with pytest.raises(TypeError):
        dropmd.Simulation(ARGON, positions=lattice(1), species="X")
    with pytest.raises(ValueError):
        dropmd.Simulation(ARGON, positions=np.zeros((0, 3)))
    named = dropmd.Simulation(ARGON, positions=lattice(2), species=np.array(["Ar"] * 8))
    assert named.species == ["Ar"] * 8
    run = SAMPLES / "hydronium.toml"
    with pytest.raises(ValueError, match="815 atoms"):
        dropmd.Simulation(run, settings={"engine.backend": "cpu"}, positions=water.positions[:5])
    with pytest.raises(ValueError, match="those of the topology"):
        dropmd.Simulation(run, settings={"engine.backend": "cpu"}, positions=water.positions, masses=water.masses)
    moved = dropmd.Simulation(run, settings={"engine.backend": "cpu", "run.recenter": "none"}, positions=water.positions + 1.0)
    np.testing.assert_allclose(moved.positions, water.positions + 1.0, atol=1e-9)


def test_wrong_types_are_named(argon, water, tmp_path):
    run = dropmd.Simulation
    for use, error, text in (
            (lambda: argon.step(10.0), TypeError, "n is 10.0 .expected: a whole number"),
            (lambda: argon.step("10"), TypeError, "n is '10' .expected: a whole number"),
            (lambda: argon.step(2**70), ValueError, "from 0 to 2..63 - 1"),
            (lambda: setattr(argon, "velocities", None), TypeError, "velocities are None"),
            (lambda: setattr(argon, "velocities", np.full((27, 3), np.inf)), ValueError, "velocities must be finite"),
            (lambda: setattr(argon, "position", 1), AttributeError, "position"),
            (lambda: argon.remove(np.ones(27, bool)), TypeError, r"sim.ids\[mask\]"),
            (lambda: water.replace("H3O", "SOL"), TypeError, "ids of molecules"),
            (lambda: water.replace(1, None), TypeError, "kinds are None"),
            (lambda: water.replace(1, "H3O", positions=[[1, 2, 3]]), (TypeError, ValueError), "HW3|mappings"),
            (lambda: run(ARGON, positions=lattice(1), settings=["a"]), TypeError, "a dictionary such as"),
            (lambda: run(ARGON, positions=lattice(1), settings={"integrator": {"timestep": 1}}), TypeError,
             '"integrator.timestep": ...'),
            (lambda: run(None), TypeError, "path of a run file"),
            (lambda: run(SAMPLES / "lj-cluster-13.xyz"), dropmd.InputError, "generate run"),
            (lambda: run(ARGON, positions=lattice(1), checkpoint=tmp_path), dropmd.OutputError, "is a folder"),
            (lambda: run(ARGON, positions=lattice(1), checkpoint=tmp_path / "none" / "a.h5"), dropmd.OutputError, "does not exist")):
        with pytest.raises(error, match=text):
            use()
    for name in ("A b", "", "A\nb"):
        with pytest.raises(ValueError, match="a name without white space"):
            run(ARGON, positions=lattice(1), species=[name])
    with pytest.raises(TypeError, match="a species is 18"):
        run(ARGON, positions=lattice(1), species=[18])
    argon.step(np.int64(1))


def test_a_failed_step_leaves_no_half_step():
    fast = dropmd.Simulation(ARGON, positions=lattice(2), velocities=np.full((8, 3), 1e5) * np.arange(8)[:, None])
    with pytest.raises(dropmd.PhysicsError):
        fast.step(10)
    for use in (lambda: fast.positions, lambda: fast.energies, lambda: fast.step(1), lambda: fast.run_file):
        with pytest.raises(RuntimeError, match="between two steps"):
            use()
    assert "not complete" in repr(fast)


def test_overlapping_atoms_are_a_physics_error():
    with pytest.raises(dropmd.PhysicsError, match="atoms 1 and 2"):
        dropmd.Simulation(ARGON, positions=[[0, 0, 0], [0, 0, 0]])


def test_warnings_are_warnings_of_python():
    with pytest.warns(UserWarning, match="do not interact"):
        dropmd.Simulation({"units": "lj", **CPU}, positions=lattice(1))


def test_a_checkpoint_is_no_structure_that_overrides_a_temperature(tmp_path):
    run = {**ARGON, "system": {"temperature": 0.1, "mass": 1.0}}
    dropmd.Simulation(run, positions=lattice(2)).save(tmp_path / "argon.h5")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dropmd.Simulation.load(tmp_path / "argon.h5")


def test_several_simulations_in_several_threads():
    def steps(simulation, result, k):
        simulation.step(200)
        result[k] = simulation.positions.tobytes()

    velocities = np.random.default_rng(3).normal(0, 0.3, (27, 3))
    result = [b""] * 4
    simulations = [dropmd.Simulation(ARGON, positions=lattice(3), velocities=velocities) for _ in result]
    threads = [threading.Thread(target=steps, args=(s, result, k)) for k, s in enumerate(simulations)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert result[0] and result == result[:1] * 4


def test_several_threads_may_share_one(argon):
    """Threads that read beside the one that steps never leave it values of another step."""
    stop = threading.Event()

    def look():
        while not stop.is_set():
            argon.positions, argon.energies, argon.run_file  # noqa: B018

    readers = [threading.Thread(target=look) for _ in range(2)]
    for reader in readers:
        reader.start()
    for k in range(300):
        argon.step(1)
        if k % 50 == 49:
            argon.remove([k // 50 + 1])
        np.testing.assert_array_equal(argon.positions, argon._session.positions())
    stop.set()
    for reader in readers:
        reader.join()
    assert argon.step_number == 300


def test_memory_stays_flat_over_many_calls():
    import resource

    pair = dropmd.Simulation(ARGON, positions=[[0, 0, 0], [1.2, 0, 0]])

    def calls(n):
        for _ in range(n):
            pair.step(1)
            pair.positions  # noqa: B018

    calls(5_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    calls(100_000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4096, "kB"
