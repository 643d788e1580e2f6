"""dropmd.read: frames of trajectories."""

import struct
import threading

import dropmd
import numpy as np
import pytest

from conftest import SAMPLES

XYZ = ('2\nProperties=species:S:1:pos:R:3:velo:R:3:Charge:R:1:mass:R:1:id:I:1 pbc="F F F" Time=0.5 step=10 units=real\n'
       "Na 0 0 1 0.1 0.2 0.3 1 22.99 1\nCl 0 0 2 0 0 0 -1 35.45 2\n"
       '1\nProperties=species:S:1:pos:R:3:velo:R:3:Charge:R:1:mass:R:1:id:I:1 pbc="F F F" Time=1 step=20 units=real\n'
       "Cl 3 0 2 0 0 0 -1 35.45 2\n")


@pytest.fixture
def xyz(tmp_path):
    path = tmp_path / "t.xyz"
    path.write_text(XYZ)
    return path


def test_frames_of_a_trajectory(xyz):
    first, second = dropmd.read(xyz)
    assert (first.step, first.time, first.units, first.n_atoms) == (10, 0.5, "real", 2)
    np.testing.assert_array_equal(first.positions, [[0, 0, 1], [0, 0, 2]])
    np.testing.assert_array_equal(first.velocities[0], [0.1, 0.2, 0.3])
    assert first.species == ["Na", "Cl"] and second.species == ["Cl"]
    np.testing.assert_array_equal(first.charges, [1, -1])
    np.testing.assert_array_equal(first.masses, [22.99, 35.45])
    np.testing.assert_array_equal(second.ids, [2])
    assert second.positions.shape == (1, 3) and second.positions.dtype == np.float64
    with pytest.raises(ValueError):
        first.positions[0, 0] = 1


def test_what_a_file_does_not_say(tmp_path):
    path = tmp_path / "t.xyz"
    path.write_text("1\n\nAr 0 0 0\n")
    frame, = dropmd.read(str(path))
    assert frame.units is frame.step is frame.time is frame.velocities is frame.masses is frame.ids is None
    assert frame.atom_names == []


def test_names_of_molecules():
    frame, = dropmd.read(SAMPLES / "water-na.gro")
    assert set(frame.residue_names) == {"SOL", "NA"} and frame.units == "real"
    assert len(frame.atom_names) == len(frame.residue_numbers) == frame.n_atoms


def test_a_frame_that_is_cut_off(xyz):
    xyz.write_text(XYZ[:-5])
    frames = dropmd.read(xyz)
    assert next(frames).step == 10
    with pytest.raises(dropmd.InputError, match="t.xyz:5:1: this frame is cut off"):
        next(frames)
    assert list(frames) == [], "it is closed"


def test_it_reads_as_it_is_asked(xyz):
    xyz.write_text(XYZ + "nonsense\n")
    assert next(dropmd.read(xyz)).step == 10, "the rest is not looked at"
    with dropmd.read(xyz) as frames:
        next(frames)
    with pytest.raises(ValueError, match="was closed"):
        next(frames)
    with pytest.raises(dropmd.InputError, match="nonsense"):
        list(dropmd.read(xyz))


def test_mistakes():
    with pytest.raises(dropmd.InputError, match="no such file"):
        dropmd.read("none.xyz")
    with pytest.raises(dropmd.InputError, match="no format of trajectories or structures has the extension '.abc'"):
        dropmd.read("none.abc")
    with pytest.raises(ValueError, match="real or lj"):
        dropmd.read("none.xyz", units="nm")
    with pytest.raises(dropmd.InputError, match="is in units real, not lj"):
        next(dropmd.read(SAMPLES / "water-na.gro", units="lj"))


def test_units_of_files_without_them(tmp_path):
    path = tmp_path / "t.xtc"
    header = struct.pack(">iiif9fi", 1995, 1, 7, 2.0, *[0.0] * 9, 1)
    path.write_bytes(header + struct.pack(">3f", 0.5, 0.25, -1))
    real, = dropmd.read(path)
    assert (real.step, real.time, real.units) == (7, 2000.0, "real")
    np.testing.assert_array_equal(real.positions, [[5, 2.5, -10]])
    reduced, = dropmd.read(path, units="lj")
    assert (reduced.time, reduced.units) == (2.0, "lj")
    np.testing.assert_array_equal(reduced.positions, [[0.5, 0.25, -1]])


def test_threads_share_a_reader(tmp_path):
    path = tmp_path / "t.xyz"
    path.write_text("".join(f"1\nProperties=pos:R:3 step={k}\n{k} 0 0\n" for k in range(400)))
    frames, steps = dropmd.read(path), []
    threads = [threading.Thread(target=lambda: steps.extend(frame.step for frame in frames)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(steps) == list(range(400))
