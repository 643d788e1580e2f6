"""dropmd.Simulation on a GPU."""

import ctypes
import gc

import dropmd
import numpy as np
import pytest
from conftest import ARGON, SAMPLES, lattice

try:
    _CUDA = ctypes.CDLL("libcuda.so.1")
    HAS_GPU = _CUDA.cuInit(0) == 0
    dropmd.Simulation({**ARGON, "engine": {"backend": "cuda"}}, positions=lattice(2))
except (OSError, dropmd.DeviceError):
    HAS_GPU = False

pytestmark = pytest.mark.skipif(not HAS_GPU, reason="no GPU, or a build without CUDA")


def on_gpu(n: int = 6) -> dropmd.Simulation:
    velocities = np.random.default_rng(3).normal(0, 0.3, (n**3, 3))
    return dropmd.Simulation({**ARGON, "engine": {"backend": "cuda"}}, positions=lattice(n), velocities=velocities)


def read(array: dropmd.GpuArray) -> np.ndarray:
    """Copies an array from the device by the driver's own function."""
    host = np.empty(array.shape, array.dtype)
    assert _CUDA.cuMemcpyDtoH_v2(ctypes.c_void_p(host.ctypes.data), ctypes.c_uint64(array.address), ctypes.c_size_t(host.nbytes)) == 0
    return host


def test_arrays_on_the_gpu_are_those_of_the_host():
    simulation = on_gpu()
    for _ in range(3):
        simulation.step(250)
        order = read(simulation.order_gpu)
        assert sorted(order) == list(range(216))
        np.testing.assert_array_equal(read(simulation.positions_gpu), simulation.positions[order])
        np.testing.assert_array_equal(read(simulation.velocities_gpu), simulation.velocities[order])


def test_they_are_no_copies():
    simulation = on_gpu()
    before = simulation.positions_gpu
    simulation.step(10)
    assert simulation.positions_gpu.address == before.address
    assert simulation.positions_gpu.__dlpack_device__() == (2, 0)
    order = read(simulation.order_gpu)
    np.testing.assert_array_equal(read(before), simulation.positions[order])


def test_they_outlive_their_segment():
    simulation = on_gpu()
    array, values = simulation.positions_gpu, read(simulation.positions_gpu)
    simulation.remove([1])
    simulation.step(10)
    np.testing.assert_array_equal(read(array), values)
    del simulation
    gc.collect()
    np.testing.assert_array_equal(read(array), values)


def test_it_is_the_program_bit_for_bit(tmp_path, program):
    import subprocess

    water = dropmd.Simulation(SAMPLES / "hydronium.toml", settings={"engine.backend": "cuda"})
    for n in (1, 9, 40, 50):
        water.step(n)
    subprocess.run(program + ["run", str(SAMPLES / "hydronium.toml"), "--backend", "cuda", "--steps", "100", "-q", "-o", str(tmp_path / "out")],
                   check=True)
    resumed = dropmd.Simulation.load(tmp_path / "out")
    assert resumed.positions.tobytes() == water.positions.tobytes()
    assert resumed.velocities.tobytes() == water.velocities.tobytes()


def test_a_processor_continues_from_the_other(tmp_path):
    simulation = on_gpu()
    simulation.step(50)
    simulation.save(tmp_path / "a.h5")
    simulation.step(10)
    other = dropmd.Simulation.load(tmp_path / "a.h5", settings={"engine.backend": "cpu"})
    other.step(10)
    np.testing.assert_allclose(other.positions, simulation.positions, atol=1e-5)
