#!/usr/bin/env python3
"""Draw a run: the droplet's last frame beside energies and temperature against time.

Reads energy.csv and trajectory.xyz of a run's output folder; needs numpy and matplotlib.
"""

import argparse
import re
import sys
from pathlib import Path

try:
    import matplotlib
    import numpy as np
except ImportError as error:
    sys.exit(f"plot_run: {error} (Debian: apt install python3-matplotlib python3-numpy)")

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of backend)


def read_output(path, reader, key):
    try:
        with open(path, encoding="utf-8") as file:
            return reader(file)
    except OSError as error:
        sys.exit(f"plot_run: {path}: {error.strerror} (written by a run with {key} > 0)")
    except ValueError as error:
        sys.exit(f"plot_run: {path}: {error}")


def read_energies(file):
    """Columns of energy.csv by name, and the units' names by quantity."""
    header, columns, rows = file.readline(), file.readline().strip(), file.readlines()
    units = re.search(r"\((.*)\)", header)
    if units is None or not rows:
        raise ValueError("not an energy.csv (two header lines and rows are expected)")
    values = np.loadtxt(rows, delimiter=",", ndmin=2)
    return dict(zip(columns.split(","), values.T)), dict(pair.split(" ", 1) for pair in units[1].split(", "))


def read_last_frame(file):
    """Positions [n][3], charges [n] and the step of the last complete frame."""
    frame = None
    while first := file.readline().strip():
        comment = file.readline()
        lines = [file.readline() for _ in range(int(first))]
        if not lines or not lines[-1].endswith("\n"):
            break
        frame = comment, lines
    if frame is None:
        raise ValueError("no complete frame")
    comment, lines = frame
    columns = column_offsets(comment)
    values = np.array([line.split() for line in lines])
    position = values[:, columns["pos"] : columns["pos"] + 3].astype(float)
    charge = values[:, columns["charge"]].astype(float) if "charge" in columns else np.zeros(len(values))
    step = re.search(r"\bstep=(\d+)", comment)
    return position, charge, step[1] if step else "?"


def column_offsets(comment):
    """First column of each property of extended XYZ."""
    properties = re.search(r"Properties=(\S+)", comment)
    if properties is None:
        raise ValueError("not extended XYZ (no Properties= in the comment line)")
    words = properties[1].split(":")
    return dict(zip(words[0::3], np.cumsum([0, *map(int, words[2::3])])))


def draw_droplet(axes, position, charge, step, length_unit):
    """Oblique parallel projection from the droplet's centre; far atoms fade and are drawn first."""
    position = position - np.median(position, axis=0)
    radius = 1.1 * np.percentile(np.linalg.norm(position, axis=1), 99) or 1.0  # atoms that left are out of the picture
    (sin_a, sin_b), (cos_a, cos_b) = np.sin([0.5, 0.35]), np.cos([0.5, 0.35])  # radians about y, then x
    view = np.array([[cos_a, 0, sin_a], [sin_a * sin_b, cos_b, -cos_a * sin_b], [-sin_a * cos_b, sin_b, cos_a * cos_b]])
    order = np.argsort((position @ view.T)[:, 2])
    x, y, z = (position[order] @ view.T).T
    limit = max(np.abs(charge).max(), 1e-12)
    colours = matplotlib.cm.ScalarMappable(matplotlib.colors.Normalize(-limit, limit), "coolwarm")
    near = np.clip(0.5 + 0.5 * z / radius, 0, 1)[:, None]
    shade = near * colours.to_rgba(charge[order])[:, :3] + (1 - near)
    spacing = 2 * radius / len(z) ** (1 / 3)
    points_per_length = 72 * 4.5 / (2 * radius)  # the panel is about 4.5 inches wide
    axes.scatter(x, y, c=shade, s=(0.7 * spacing * points_per_length) ** 2, edgecolors="black", linewidths=0.2)
    axes.figure.colorbar(colours, ax=axes, label="charge", shrink=0.8)
    axes.set(aspect="equal", xlim=(-radius, radius), ylim=(-radius, radius), xlabel=length_unit, ylabel=length_unit,
             title=f"{len(z)} atoms, step {step}")


def draw_curves(energy_axes, temperature_axes, energies, units):
    time = energies["time"]
    for name in ("potential", "kinetic", "total"):
        energy_axes.plot(time, energies[name] - energies[name][0], label=f"{name} ({energies[name][0]:.6g})")
    energy_axes.set(ylabel=f"change of energy ({units['energy']})")
    energy_axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3, frameon=False,
                       title="energies, in brackets their values at the start")
    temperature_axes.plot(time, energies["temperature"], color="tab:red")
    temperature_axes.set(xlabel=f"time ({units['time']})", ylabel=f"temperature ({units['temperature']})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="output folder of a run")
    parser.add_argument("-o", "--output", type=Path, default=Path("run.png"), help="picture (default: %(default)s)")
    arguments = parser.parse_args()
    energies, units = read_output(arguments.folder / "energy.csv", read_energies, "energy-every")
    frame = read_output(arguments.folder / "trajectory.xyz", read_last_frame, "trajectory-every")
    figure, axes = plt.subplot_mosaic([["droplet", "energy"], ["droplet", "temperature"]], figsize=(13, 6),
                                      layout="constrained")
    draw_droplet(axes["droplet"], *frame, units["length"])
    draw_curves(axes["energy"], axes["temperature"], energies, units)
    try:
        figure.savefig(arguments.output, dpi=100, bbox_inches="tight")
    except (OSError, ValueError) as error:  # ValueError: a picture format that matplotlib does not know
        sys.exit(f"plot_run: {arguments.output}: {getattr(error, 'strerror', None) or error}")


if __name__ == "__main__":
    main()
