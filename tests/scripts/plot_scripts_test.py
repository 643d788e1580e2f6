#!/usr/bin/env python3
"""The scripts that draw: scripts/plot_run.py, plot_sort.py, plot_performance.py, plot_mesh.py.

Exit status 77 without matplotlib. Where the first python3 on the path does not have it, the test tries Debian's
/usr/bin/python3, for which scripts/setup.sh --dev installs it.
"""

import io
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import matplotlib  # noqa: F401
    import numpy as np
except ImportError as error:
    DEBIAN = "/usr/bin/python3"
    if os.path.realpath(sys.executable) != os.path.realpath(DEBIAN) and os.access(DEBIAN, os.X_OK):
        os.execv(DEBIAN, [DEBIAN, "-B", *sys.argv])
    print(error)
    sys.exit(77)

SOURCE = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "scripts"))
import plot_mesh  # noqa: E402
import plot_performance  # noqa: E402
import plot_run  # noqa: E402
import plot_sort  # noqa: E402

ENERGIES = """# dropmd 0.1.0, units: lj (length sigma, energy epsilon, time tau, temperature epsilon/k_B)
step,time,potential,vdw,coulomb,wall,kinetic,total,temperature
0,{0},-1,-1,0,0,0,-1,0
1,{1},-2,-2,0,0,0,-2,0
2,{2},-3,-3,0,0,0,-3,0
"""
FRAME = '2\nProperties=species:S:1:pos:R:3{} pbc="F F F" step=2\nAr 0 0 0{}\nKr 1.1 0 0{}\n'


def axes_of_curves(times):
    figure, (upper, lower) = plot_run.plt.subplots(2)
    plot_run.draw_curves(upper, lower, *plot_run.read_energies(io.StringIO(ENERGIES.format(*times))))
    return upper, lower


class Runs(unittest.TestCase):
    def test_picture_goes_into_the_folder_of_the_run(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "energy.csv").write_text(ENERGIES.format(0, 1, 2))
            (Path(folder) / "trajectory.xyz").write_text(FRAME.format("", "", ""))
            result = subprocess.run([sys.executable, "-B", SOURCE / "scripts/plot_run.py", folder], cwd=folder,
                                    capture_output=True, text=True, check=True)
            self.assertEqual(result.stdout, f"plot_run: wrote {folder}/run.png\n")
            self.assertTrue((Path(folder) / "run.png").read_bytes().startswith(b"\x89PNG"))

    def test_the_conserved_energy_is_drawn_where_there_is_one(self):
        def labels(text):
            figure, axes = plot_run.plt.subplots()
            energies, units = plot_run.read_energies(io.StringIO(text))
            plot_run.draw_energies(axes, energies["time"], energies, units)
            return [line.get_label().split()[0] for line in axes.get_lines()]

        rows = ENERGIES.format(0, 1, 2)
        self.assertEqual(labels(rows), ["potential", "kinetic", "total"])
        with_column = "\n".join(line if line.startswith("#") else line + (",conserved" if "step" in line else ",-1.5")
                                for line in rows.splitlines()) + "\n"
        self.assertEqual(labels(with_column), ["potential", "kinetic", "total", "conserved"])

    def test_red_is_negative_and_blue_positive_as_in_slices_of_maps(self):
        negative, positive = plot_run.charge_colours(np.array([-0.5, 0.5]))
        slices = (SOURCE / "outputs/maps/map_slice.cpp").read_text()
        for colour, name in ((negative, "kNegative"), (positive, "kPositive")):
            in_slices = [int(value) for value in re.search(rf"\b{name}{{(\d+), (\d+), (\d+)}}", slices).groups()]
            np.testing.assert_allclose(255 * colour, in_slices, atol=0.5)

    def test_every_name_of_a_charge_column_is_read(self):
        for name in ("charge", "Charge", "charges", "initial_charges", "q"):
            frame = FRAME.format(f":{name}:R:1", " 1", " -1")
            _, charge, species, step = plot_run.read_last_frame(io.StringIO(frame))
            self.assertEqual((list(charge), list(species), step), ([1, -1], ["Ar", "Kr"], "2"))

    def test_species_have_colours_of_their_own_where_there_are_no_charges(self):
        for charge in (None, np.zeros(3)):
            figure, axes = plot_run.plt.subplots()
            species = np.array(["Ar", "Kr", "Ar"])
            plot_run.draw_droplet(axes, np.eye(3), charge, species, "0", {"length": "Å"})
            self.assertEqual([text.get_text() for text in axes.get_legend().get_texts()], ["Ar: 2", "Kr: 1"])
        colours = plot_run.species_colours(species)
        self.assertTrue((colours[0] == colours[2]).all())
        self.assertFalse((colours[0] == colours[1]).all())

    def test_discs_have_the_size_of_the_atoms_however_far_others_are(self):
        side = 2.0 * np.arange(6)
        lattice = np.array(np.meshgrid(side, side, side)).reshape(3, -1).T
        self.assertAlmostEqual(plot_run.contact_radius(lattice), 1)
        far = np.vstack([lattice, [[500.0, 0, 0]]])
        self.assertAlmostEqual(plot_run.contact_radius(far), 1)
        figure, axes = plot_run.plt.subplots()
        plot_run.draw_droplet(axes, far, None, np.full(len(far), "Ar"), "0", {"length": "Å"})
        discs = axes.collections[0]
        self.assertEqual(discs._units, "xy")
        self.assertAlmostEqual(2 * discs._widths.max(), 2)  # get_widths() exists only since matplotlib 3.9
        self.assertLess(axes.get_xlim()[1], 20)
        self.assertIn("1 outside the picture", axes.get_title())

    def test_a_small_cluster_is_drawn_whole(self):
        for position in (np.eye(3) * 3, np.zeros((1, 3))):
            figure, axes = plot_run.plt.subplots()
            plot_run.draw_droplet(axes, position, None, np.full(len(position), "Ar"), "0", {"length": "Å"})
            discs = axes.collections[0]
            reach = np.abs(discs.get_offsets()).max(axis=1) + discs._widths
            self.assertLess(reach.max(), axes.get_xlim()[1])

    def test_the_final_structure_is_drawn_where_it_is_later_than_the_last_frame(self):
        with tempfile.TemporaryDirectory() as folder:
            frame = FRAME.format("", "", "")
            (Path(folder) / "final.xyz").write_text(frame.replace("step=2", "step=10"))
            self.assertEqual(plot_run.read_last_state(Path(folder))[3], "10")
            (Path(folder) / "trajectory.xyz").write_text(frame)
            self.assertEqual(plot_run.read_last_state(Path(folder))[3], "10")
            (Path(folder) / "trajectory.xyz").write_text(frame.replace("step=2", "step=12"))
            self.assertEqual(plot_run.read_last_state(Path(folder))[3], "12")

    def test_minimisers_are_drawn_against_steps(self):
        _, lower = axes_of_curves((0, 0, 0))
        self.assertEqual((lower.get_xlabel(), lower.get_yscale()), ("step", "log"))
        _, lower = axes_of_curves((0, 1, 2))
        self.assertEqual(lower.get_xlabel(), "time (tau)")


class Charts(unittest.TestCase):
    def test_sort_draws_five_lines_of_the_page(self):
        speeds = plot_sort.read_table(SOURCE / "docs/sort.md")
        self.assertEqual(speeds["dropmd"][8], 446e9)
        self.assertEqual(len(speeds["copy"]), len(speeds["cub-segmented-sort"]))
        self.assertEqual(len(plot_sort.chosen(speeds, None)), 5)

    def test_sort_reads_the_tables_of_the_benchmark(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "sort.csv"
            path.write_text("# dropmd\nlengths,mean_length,n_keys,backend,method,time_us\nuniform,8,1000,cuda,dropmd,2\n"
                            "uniform,8,1000,cpu,dropmd,10\npoisson,8,1000,cuda,dropmd,5\n")
            speeds = plot_sort.read_rows(path)
        self.assertEqual(list(speeds), ["dropmd", "dropmd (CPU)"])
        self.assertAlmostEqual(speeds["dropmd"][8] / 5e8, 1)
        self.assertAlmostEqual(speeds["dropmd (CPU)"][8] / 1e8, 1)

    def test_performance_draws_the_tables_of_the_page(self):
        cutoff, exact = plot_performance.read_tables((SOURCE / "docs/performance.md").read_text(encoding="utf-8"))[:2]
        self.assertEqual(len(cutoff[1]["dropmd"]), 4)
        self.assertEqual(cutoff[1]["dropmd"][0], (4139, 12.8))
        self.assertEqual([atoms for atoms, _ in exact[1]["OpenMM"]], [4139, 32768])
        for _, programs in (cutoff, exact):
            for program in programs:
                self.assertIn(program.split()[0], plot_performance.STYLES)

    def test_mesh_reads_the_errors_of_the_benchmark(self):
        row = {"part": "mesh", "order": 6, "spacing": 2.4, "measured_error": 1.2e-4, "estimated_error": 2e-4,
               "n_atoms": 4139, "cutoff": 12}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "errors.json"
            path.write_text(json.dumps({"rows": [row, {**row, "part": "spread"}, {**row, "spacing": 1.2},
                                                 {**row, "order": 5, "measured_error": 3e-4}]}))
            errors, common = plot_mesh.read_errors(path)
            self.assertEqual(list(errors), [5, 6])
            self.assertEqual([point[0] for point in errors[6]], [1.2, 2.4])
            self.assertEqual(common["n_atoms"], 4139)
            self.assertIn("| 2.4 | 3.0e-04 | 1.2e-04 |", plot_mesh.error_table(errors))
            for what in ("errors", "times"):
                if what == "times":
                    path.write_text("# GPU\nmethod,n_atoms,us_per_step\nmesh,1000,10\nmesh,100,5\ndirect,100,1\n")
                    self.assertEqual(plot_mesh.read_times(path), {"mesh": [(100, 5), (1000, 10)], "direct": [(100, 1)]})
                subprocess.run([sys.executable, "-B", SOURCE / "scripts/plot_mesh.py", what, path, "-o", "mesh.svg"],
                               cwd=folder, capture_output=True, check=True)
                self.assertIn(b"<svg", (Path(folder) / "mesh.svg").read_bytes())


if __name__ == "__main__":
    unittest.main()
