#!/usr/bin/env python3
"""Plot a run: the last frame of the droplet next to energies and temperature against time.

Reads energy.csv and the later one of trajectory.xyz and final.xyz in a run's output folder and writes run.png there.
Atoms are coloured by charge (red negative, blue positive, as in the slices of `dropmd map`), or by species where there
are no charges. Needs numpy and matplotlib.
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
from matplotlib.collections import EllipseCollection  # noqa: E402
from matplotlib.colors import LinearSegmentedColormap, Normalize, to_rgb  # noqa: E402
from matplotlib.lines import Line2D  # noqa: E402

# The colours of outputs/maps/map_slice.cpp, from negative to positive.
CHARGE_COLOURS = LinearSegmentedColormap.from_list(
    "charge", [(170 / 255, 15 / 255, 35 / 255), (240 / 255, 130 / 255, 105 / 255), (0.97, 0.97, 0.97),
               (105 / 255, 160 / 255, 225 / 255), (20 / 255, 60 / 255, 170 / 255)])
# Okabe and Ito's palette, which colour-blind readers can distinguish; red and blue are reserved for charges.
SPECIES_COLOURS = ("#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#f0e442", "#999999")
CHARGE_COLUMNS = ("charge", "charges", "initial_charges", "q")
MOST_LEGEND_ROWS = 6


def read_output(path, reader, key):
    try:
        with open(path, encoding="utf-8") as file:
            return reader(file)
    except OSError as error:
        sys.exit(f"plot_run: {path}: {error.strerror} (written by a run with {key} > 0)")
    except ValueError as error:
        sys.exit(f"plot_run: {path}: {error}")


def read_energies(file):
    """Columns of energy.csv by name, and the names of units by quantity."""
    header, columns, rows = file.readline(), file.readline().strip(), file.readlines()
    units = re.search(r"\((.*)\)", header)
    if units is None or not rows:
        raise ValueError("not an energy.csv (two header lines and rows are expected)")
    values = np.loadtxt(rows, delimiter=",", ndmin=2)
    names = dict(pair.split(" ", 1) for pair in units[1].split(", "))
    return dict(zip(columns.split(","), values.T)), {what: {"A": "Å"}.get(name, name) for what, name in names.items()}


def read_last_frame(file):
    """Positions [n][3], charges [n] (or None), species [n] and the step of the last complete frame."""
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
    charge_column = next((columns[name] for name in CHARGE_COLUMNS if name in columns), None)
    charge = None if charge_column is None else values[:, charge_column].astype(float)
    step = re.search(r"\bstep=(\d+)", comment)
    return position, charge, values[:, columns["species"]], step[1] if step else "?"


def column_offsets(comment):
    """The first column of each property of extended XYZ, by its name in lower case."""
    properties = re.search(r"Properties=(\S+)", comment)
    if properties is None:
        raise ValueError("not extended XYZ (no Properties= in the comment line)")
    words = properties[1].lower().split(":")
    return dict(zip(words[0::3], np.cumsum([0, *map(int, words[2::3])])))


def read_last_state(folder):
    """The result of read_last_frame() for trajectory.xyz, or for final.xyz where that is of a later step."""
    final, trajectory = folder / "final.xyz", folder / "trajectory.xyz"
    end = read_output(final, read_last_frame, "final") if final.exists() else None
    if end is not None and not trajectory.exists():
        return end
    frame = read_output(trajectory, read_last_frame, "trajectory-every")
    steps = [int(state[3]) if state is not None and state[3].isdigit() else -1 for state in (frame, end)]
    return end if steps[1] > steps[0] else frame


def contact_radius(position):
    """Half of a short nearest-neighbour distance, from a sample of the atoms."""
    if len(position) < 2:
        return 1.0
    sample = np.random.default_rng(1).choice(len(position), size=min(len(position), 200), replace=False)
    nearest = []
    for i in sample:
        squares = ((position - position[i]) ** 2).sum(axis=1)
        squares[i] = np.inf
        nearest.append(np.sqrt(squares.min()))
    return 0.5 * np.percentile(nearest, 25)  # the droplet's distance even if half of the atoms have evaporated


def view_radius(position):
    """A radius that includes all but stray atoms, at most three droplet radii; position is relative to its centre."""
    distance = np.linalg.norm(position, axis=1)
    droplet = np.median(distance) * 2 ** (1 / 3)
    return 1.08 * min(np.percentile(distance, 99.5), 3 * droplet) or 1.0


def charge_colours(charge):
    limit = np.abs(charge).max()
    return CHARGE_COLOURS(Normalize(-limit, limit)(charge))[:, :3]


def species_colours(species):
    names = list(dict.fromkeys(species))
    table = {name: to_rgb(SPECIES_COLOURS[number % len(SPECIES_COLOURS)]) for number, name in enumerate(names)}
    return np.array([table[name] for name in species])


def legend_rows(keys, colours):
    """[(key, number of atoms, colour)] of the distinct keys."""
    values, first, counts = np.unique(keys, return_index=True, return_counts=True)
    return [(value, count, colours[place]) for value, count, place in zip(values, counts, first)]


def draw_legend(axes, charge, species, colours, charge_unit):
    by_charge = charge is not None
    rows = legend_rows(charge if by_charge else species, colours)
    if by_charge and len(rows) > MOST_LEGEND_ROWS:
        limit = np.abs(charge).max()
        scale = matplotlib.cm.ScalarMappable(Normalize(-limit, limit), CHARGE_COLOURS)
        axes.figure.colorbar(scale, ax=axes, label=f"charge ({charge_unit})", shrink=0.8)
        return
    handles = [Line2D([], [], linestyle="", marker="o", markersize=9, markeredgecolor="black", markeredgewidth=0.5,
                      color=colour, label=(f"{value:+.4g} {charge_unit}: {count}" if by_charge else f"{value}: {count}"))
               for value, count, colour in rows[:2 * MOST_LEGEND_ROWS]]
    axes.legend(handles=handles, title="charge" if by_charge else "species", loc="upper left", fontsize="small",
                title_fontsize="small", framealpha=0.85)


def draw_spheres(axes, centres, radius, colours, edge_width):
    """Discs with two highlights each, drawn atom by atom, so that near atoms cover those behind them completely."""
    parts = ((1, 0, 0), (0.62, 0.2, 0.18), (0.28, 0.33, 0.35))  # size, shift to the upper left, share of white
    n = len(centres)
    diameters = np.tile([2 * radius * size for size, _, _ in parts], n)
    offsets = np.stack([centres + radius * shift * np.array([-1, 1]) for _, shift, _ in parts], axis=1).reshape(-1, 2)
    faces = np.stack([colours + white * (1 - colours) for _, _, white in parts], axis=1).reshape(-1, 3)
    axes.add_collection(EllipseCollection(diameters, diameters, np.zeros(3 * n), units="xy", offsets=offsets,
                                          offset_transform=axes.transData, facecolors=faces, edgecolors="black",
                                          linewidths=np.tile([edge_width, 0, 0], n)))


def draw_droplet(axes, position, charge, species, step, units):
    """Oblique parallel projection from the droplet's centre; discs have the size of the atoms, and far ones fade."""
    if charge is not None and not charge.any():
        charge = None
    colours = species_colours(species) if charge is None else charge_colours(charge)
    position = position - np.median(position, axis=0)
    radius, view = contact_radius(position), view_radius(position)
    farthest = np.linalg.norm(position, axis=1).max()
    if farthest < view:  # no stray atoms: the discs are not clipped, as for a small cluster
        view = max(view, 1.04 * (farthest + radius))
    (sin_a, sin_b), (cos_a, cos_b) = np.sin([0.5, 0.35]), np.cos([0.5, 0.35])  # radians about y, then x
    turn = np.array([[cos_a, 0, sin_a], [sin_a * sin_b, cos_b, -cos_a * sin_b], [-sin_a * cos_b, sin_b, cos_a * cos_b]])
    seen = position @ turn.T
    order = np.argsort(seen[:, 2])
    order = order[(np.abs(seen[order, :2]) < view).all(axis=1)]
    nearness = np.clip(0.7 + 0.4 * seen[order, 2] / view, 0.25, 1)[:, None]
    width = 72 * 4.5 * radius / view  # of an atom, in points; the panel is about 4.5 inches wide
    draw_spheres(axes, seen[order, :2], radius, nearness * colours[order] + (1 - nearness), min(0.5, 0.04 * width))
    axes.set(aspect="equal", xlim=(-view, view), ylim=(-view, view), xlabel=units["length"], ylabel=units["length"])
    hidden = len(position) - len(order)
    axes.set_title(f"{len(position)} atoms, step {step}" + (f"; {hidden} outside the picture" if hidden else ""))
    draw_legend(axes, charge, species, colours, "e" if units["length"] == "Å" else "reduced")


def draw_energies(axes, x, energies, units):
    curves = (("potential", "#0072b2"), ("kinetic", "#e69f00"), ("total", "black"), ("conserved", "#009e73"))
    curves = [(name, colour) for name, colour in curves if name in energies]
    for name, colour in curves:
        axes.plot(x, energies[name] - energies[name][0], color=colour, label=f"{name} ({energies[name][0]:.6g})")
    axes.set(ylabel=f"change of energy ({units['energy']})")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2 if len(curves) > 3 else 3, frameon=False,
                title="energies, with their values at the start in brackets")


def draw_convergence(axes, steps, energies, units):
    above = energies["potential"] - energies["potential"].min()
    axes.semilogy(steps, np.where(above > 0, above, np.nan), color="black", marker="." if len(steps) < 50 else "")
    axes.set(xlabel="step", ylabel=f"potential above its lowest ({units['energy']})")


def draw_curves(energy_axes, lower_axes, energies, units):
    """Time is zero throughout a minimiser's energy.csv, since it counts only steps."""
    is_minimiser = len(energies["step"]) > 1 and not energies["time"].any()
    x = energies["step" if is_minimiser else "time"]
    draw_energies(energy_axes, x, energies, units)
    if is_minimiser:
        draw_convergence(lower_axes, x, energies, units)
    else:
        lower_axes.plot(x, energies["temperature"], color="#d55e00")
        lower_axes.set(xlabel=f"time ({units['time']})", ylabel=f"temperature ({units['temperature']})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="output folder of a run")
    parser.add_argument("-o", "--output", type=Path, help="picture (default: run.png in the folder)")
    parser.add_argument("--dpi", type=int, default=100, help="pixels per inch of 13 by 6 inches (default: %(default)s)")
    arguments = parser.parse_args()
    picture = arguments.output or arguments.folder / "run.png"
    energies, units = read_output(arguments.folder / "energy.csv", read_energies, "energy-every")
    frame = read_last_state(arguments.folder)
    figure, axes = plt.subplot_mosaic([["droplet", "energy"], ["droplet", "lower"]], figsize=(13, 6),
                                      layout="constrained")
    draw_droplet(axes["droplet"], *frame, units)
    draw_curves(axes["energy"], axes["lower"], energies, units)
    try:
        figure.savefig(picture, dpi=arguments.dpi)
    except (OSError, ValueError) as error:  # ValueError: a picture format that matplotlib does not know
        sys.exit(f"plot_run: {picture}: {getattr(error, 'strerror', None) or error}")
    print(f"plot_run: wrote {picture}")


if __name__ == "__main__":
    main()
