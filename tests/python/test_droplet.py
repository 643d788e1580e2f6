"""Simulations that label clusters, follow their droplet and lose what is far from it."""

import json
import subprocess

import dropmd
import numpy as np
import pytest
from conftest import ARGON, CPU, SAMPLES

#: A cluster that boils in the open, in a run in which everything follows the droplet.
BOILING = {
    "droplet.every": 10, "droplet.remove-beyond": 4.0, "wall.form": "none", "integrator.temperature": 1.0,
    "integrator.applies-to": "droplet", "run.recenter": "droplet", "run.recenter-every": 10, "run.remove-momentum": "both",
    "engine.backend": "cpu", "engine.threads": 1}
RUN = SAMPLES / "lj-cluster-13-langevin.toml"
STEPS = 2200


@pytest.fixture
def boiling() -> dropmd.Simulation:
    return dropmd.Simulation(RUN, settings=BOILING)


def options(settings: dict) -> list[str]:
    words = []
    for key, value in settings.items():
        words += ["--set", f"{key}={json.dumps(value)}"]
    return words


def rows(file) -> list[list[str]]:
    return [line.split(",") for line in file.read_text().splitlines()[2:]]


def test_what_follows_the_droplet_is_what_a_run_does(tmp_path, boiling, program):
    command = program + ["run", str(RUN), "-q", *options(BOILING), "--steps", str(STEPS), "-o", str(tmp_path / "out")]
    subprocess.run(command, check=True)
    whole = dropmd.Simulation.load(tmp_path / "out")
    for n in (7, 1893, STEPS - 1900):
        boiling.step(n)
    assert boiling.n_atoms < 13
    assert boiling.positions.tobytes() == whole.positions.tobytes()
    assert boiling.ids.tobytes() == whole.ids.tobytes()
    assert boiling.conserved == whole.conserved
    events = boiling.take_events()
    assert {"evaporated", "removed"} <= {e.event for e in events}
    written = [[str(e.step), e.event, str(e.molecule), e.name, str(e.cluster_molecules)] for e in events]
    assert written == [[row[0], row[2], row[3], row[4], row[-1]] for row in rows(tmp_path / "out" / "events.csv")]
    numbers = [float(x) for x in rows(tmp_path / "out" / "events.csv")[-1][5:13]]
    last = events[-1]
    assert [last.charge, *last.centre, *last.velocity, last.kinetic] == numbers
    assert boiling.take_events() == []


@pytest.mark.parametrize("step", [10, 1365, 1900])
def test_a_saved_droplet_goes_on_with_the_same_bytes(tmp_path, boiling, program, step):
    boiling.step(step)
    boiling.save(tmp_path / "saved.h5")
    boiling.take_events()
    boiling.step(STEPS - step)
    loaded = dropmd.Simulation.load(tmp_path / "saved.h5")
    loaded.step(STEPS - step)
    assert loaded.positions.tobytes() == boiling.positions.tobytes()
    assert loaded.ids.tobytes() == boiling.ids.tobytes()
    assert [(e.step, e.event, e.molecule) for e in loaded.take_events()] == [
        (e.step, e.event, e.molecule) for e in boiling.take_events()]
    subprocess.run(program + ["run", "--resume", str(tmp_path / "saved.h5"), "-q", "--steps", str(STEPS)], check=True)
    assert dropmd.Simulation.load(tmp_path / "checkpoint.h5").positions.tobytes() == boiling.positions.tobytes()


def test_clusters_are_those_of_the_program(boiling, tmp_path, program):
    boiling.step(1895)
    boiling.save(tmp_path / "checkpoint.h5")
    subprocess.run(program + ["run", "--resume", str(tmp_path), "-q", "--steps", str(boiling.step_number)], check=True)
    # A bare structure has no masses, which are all 1 here.
    command = program + ["clusters", str(tmp_path / "final.xyz"), "--units", "lj", "--json"]
    expected = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    clusters = boiling.clusters()
    assert clusters.n_clusters == expected["n_clusters"] > 1
    assert clusters.link_distance == expected["link_distance"] == 1.5
    assert clusters.sizes.tolist() == expected["sizes"]
    droplet, of_file = clusters.droplet, expected["droplet"]
    assert (droplet.molecules, droplet.atoms) == (of_file["molecules"], of_file["atoms"])
    for name in ("centre", "radius", "radius_of_gyration", "gyration"):
        np.testing.assert_allclose(getattr(droplet, name), of_file[name], atol=1e-9, err_msg=name)
    assert clusters.labels.shape == (boiling.n_atoms,)
    assert np.bincount(clusters.labels)[1:].tolist() == clusters.sizes.tolist()
    assert clusters.of_molecule == dict(zip(boiling.ids.tolist(), clusters.labels.tolist()))


def test_clusters_need_no_section(water):
    clusters = water.clusters()
    assert (clusters.n_clusters, clusters.droplet.molecules, clusters.droplet.atoms) == (1, 203, water.n_atoms)
    assert clusters.droplet.charge == pytest.approx(3)
    assert clusters.droplet.mass == pytest.approx(water.masses.sum())
    assert water.clusters(1.0).n_clusters == 203
    for distance in (0, -1.0, float("nan")):
        with pytest.raises(ValueError, match="greater than 0"):
            water.clusters(distance)
    assert water.take_events() == []


def test_an_evaporating_sample_runs():
    sim = dropmd.Simulation(SAMPLES / "evaporation.toml", settings={"engine.backend": "cpu"})
    sim.step(1)
    assert sim.clusters().droplet.molecules == 500


def test_molecules_that_are_removed_and_added_by_hand_keep_the_droplet(boiling, tmp_path):
    boiling.step(1365)
    boiling.remove(boiling.ids[:1])
    boiling.add([[30, 0, 0]], masses=1.0, species="Ar")
    boiling.save(tmp_path / "saved.h5")
    boiling.step(200)
    loaded = dropmd.Simulation.load(tmp_path / "saved.h5")
    loaded.step(200)
    assert loaded.positions.tobytes() == boiling.positions.tobytes()
    assert 14 not in boiling.ids, "it was far away"


def test_what_follows_the_droplet_needs_labels():
    for settings in ({"run.recenter": "droplet"}, {"integrator.applies-to": "vapour"}):
        with pytest.raises(dropmd.InputError, match=r"add a section \[droplet\]"):
            dropmd.Simulation(RUN, settings={**settings, "engine.backend": "cpu"})
    pair = dropmd.Simulation({**ARGON, **CPU, "droplet": {}}, positions=[[0, 0, 0], [1.2, 0, 0]])
    assert pair.clusters().droplet.molecules == 2
