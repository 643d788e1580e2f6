#!/usr/bin/env python3
"""Plot the time per step against the number of atoms, a panel for each of the first two tables of docs/performance.md.

A table's first row has the panel's title and the numbers of atoms. Each other row has a program's name, which is the
first word of its first cell, and its times in microseconds, which are empty where it was not measured. Of a range such
as 11.4-12.8 the slower end counts. Needs matplotlib.
"""

import argparse
import sys
from pathlib import Path

try:
    import matplotlib
except ImportError as error:
    sys.exit(f"plot_performance: {error} (Debian: apt install python3-matplotlib)")

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of backend)

UNIT = ", µs per step"  # follows the title of each table to plot
N_TABLES = 2
# Okabe and Ito's colours; marker and line style distinguish the programs without any colour.
STYLES = {"dropmd": ("black", "o", "-"), "GROMACS": ("#0072b2", "s", "--"), "OpenMM": ("#009e73", "^", "-."),
          "LAMMPS": ("#d55e00", "D", (0, (1, 1)))}


def number(text):
    return float(text.replace(",", "").split("-")[-1])


def read_tables(text):
    """[(title, {program: [(atoms, microseconds)]})] in the order of the page."""
    tables, sizes = [], []
    for line in text.splitlines():
        if not line.startswith("|"):
            sizes = []
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if cells[0].endswith(UNIT):
            sizes = [number(cell) for cell in cells[1:]]
            tables.append((cells[0].removesuffix(UNIT), {}))
        elif sizes and set(line) - set("|-: "):
            points = [(size, number(cell)) for size, cell in zip(sizes, cells[1:]) if cell]
            tables[-1][1][cells[0]] = points
    return tables


def draw(axes, title, programs):
    for program, points in sorted(programs.items(), key=lambda item: -item[1][-1][1]):  # the legend in the lines' order
        colour, marker, style = STYLES[program.split()[0]]
        axes.plot(*zip(*points), color=colour, marker=marker, linestyle=style, markersize=7, linewidth=2.2, label=program)
    axes.set(xscale="log", yscale="log", xlabel="atoms", title=title)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.grid(which="major", linewidth=0.4)
    axes.legend(loc="upper left", frameon=False, handlelength=3)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", type=Path, nargs="?", default=Path("docs/performance.md"),
                        help="Markdown page with the tables (default: %(default)s)")
    parser.add_argument("-o", "--output", type=Path, default=Path("performance.png"),
                        help="picture, by its suffix PNG, SVG, PDF (default: %(default)s)")
    arguments = parser.parse_args()
    try:
        tables = read_tables(arguments.page.read_text(encoding="utf-8"))[:N_TABLES]
        if len(tables) < N_TABLES:
            raise ValueError(f"{len(tables)} tables whose first cell ends in '{UNIT}' ({N_TABLES} are drawn)")
    except OSError as error:
        sys.exit(f"plot_performance: {arguments.page}: {error.strerror}")
    except ValueError as error:
        sys.exit(f"plot_performance: {arguments.page}: {error}")
    plt.rcParams["font.size"] = 12
    figure, panels = plt.subplots(1, N_TABLES, figsize=(12, 5), layout="constrained", sharey=True)
    figure.get_layout_engine().set(wspace=0.05)
    for axes, (title, programs) in zip(panels, tables):
        draw(axes, title, programs)
    panels[0].set_ylabel("time of a step (µs), lower is better")
    figure.suptitle("Charged Lennard-Jones droplet on one NVIDIA H200")
    try:
        figure.savefig(arguments.output, dpi=100)
    except (OSError, ValueError) as error:  # ValueError: a picture format that matplotlib does not know
        sys.exit(f"plot_performance: {arguments.output}: {getattr(error, 'strerror', None) or error}")
    print(f"plot_performance: wrote {arguments.output}")


if __name__ == "__main__":
    main()
