#!/usr/bin/env python3
"""Plot the error of a particle mesh against its spacing, or the time of a step against the number of atoms.

    dropmd bench mesh --backend cpu --precision double --atoms 4139 --accuracy 1e-2 --mesh-cutoff 12 \\
        --mesh-order 4,5,6,7,8 --mesh-spacing 0.96,1.2,1.44,1.68,1.92,2.16,2.4,2.64,2.88 --json -o lattice.json
    (the same with --random -o random.json)
    python3 scripts/plot_mesh.py errors random.json lattice.json --title "random charges" "benchmark droplet" -o docs/images/mesh-errors.svg
    python3 scripts/plot_mesh.py times docs/images/mesh-times.csv -o docs/images/mesh-times.svg

`errors` draws the measured errors as points and the estimated ones as lines, a panel for each file; --table prints them
as Markdown tables instead. `times` reads a CSV file with the columns method, n_atoms, us_per_step, in which lines that
begin with # are comments, and draws a line for each method. Needs matplotlib.
"""

import argparse
import csv
import json
import sys
from pathlib import Path

try:
    import matplotlib
except ImportError as error:
    sys.exit(f"plot_mesh: {error} (Debian: apt install python3-matplotlib)")

matplotlib.use("Agg")
matplotlib.rcParams["svg.hashsalt"] = "dropmd"  # equal pictures from equal figures
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of backend)

# Okabe and Ito's colours with a marker and a line style each, so that no colour is needed to tell them apart.
STYLES = (("#0072b2", "o", "-"), ("#d55e00", "s", "--"), ("#009e73", "^", "-."), ("#cc79a7", "D", (0, (1, 1))),
          ("black", "v", (0, (5, 1, 1, 1, 1, 1))), ("#e69f00", "P", (0, (3, 1))), ("#56b4e9", "X", "-"))


def read_errors(path):
    """{order: [(spacing, measured, estimated)]}, ascending, and the row that all have in common."""
    with open(path, encoding="utf-8") as file:
        rows = [row for row in json.load(file)["rows"] if row["part"] == "mesh"]
    if not rows:
        raise ValueError("no rows of meshes")
    errors = {}
    for row in rows:
        errors.setdefault(row["order"], set()).add((row["spacing"], row["measured_error"], row["estimated_error"]))
    return {order: sorted(points) for order, points in sorted(errors.items())}, rows[0]


def read_times(path):
    """{method: [(atoms, microseconds)]} in the order of the file."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    if not rows:
        raise ValueError("no rows")
    times = {}
    for row in rows:
        times.setdefault(row["method"], []).append((float(row["n_atoms"]), float(row["us_per_step"])))
    return {method: sorted(points) for method, points in times.items()}


def error_table(errors):
    """Markdown, a row for each spacing and a column for each order."""
    spacings = sorted({point[0] for points in errors.values() for point in points})
    lines = ["| h, Å | " + " | ".join(f"P = {order}" for order in errors) + " |", "|---" * (len(errors) + 1) + "|"]
    for spacing in spacings:
        cells = []
        for points in errors.values():
            found = [measured for h, measured, _ in points if h == spacing]
            cells.append(f"{found[0]:.1e}" if found else "")
        lines.append(f"| {spacing:g} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def draw_errors(axes, errors):
    for (order, points), (colour, marker, style) in zip(errors.items(), STYLES):
        spacing, measured, estimated = zip(*points)
        axes.plot(spacing, estimated, color=colour, linestyle=style, linewidth=1.6)
        axes.plot(spacing, measured, color=colour, marker=marker, linestyle="none", markersize=7, label=f"P = {order}")
    axes.plot([], [], color="#777777", linewidth=1.6, label="estimated")
    axes.set(xscale="log", yscale="log", xlabel="spacing h (Å)")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.xaxis.set_minor_formatter(lambda value, _: f"{value:g}" if round(10 * value) % 5 == 0 else "")
    axes.grid(which="major", linewidth=0.4)
    axes.legend(frameon=False)


def draw_times(axes, times):
    for (method, points), (colour, marker, style) in zip(times.items(), STYLES):
        axes.plot(*zip(*points), color=colour, marker=marker, linestyle=style, markersize=7, linewidth=2, label=method)
    axes.set(xscale="log", yscale="log", xlabel="atoms", ylabel="time of a step (µs), lower is better")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.grid(which="major", linewidth=0.4)
    axes.legend(frameon=False)


def show_errors(arguments):
    """Prints the tables, or returns the picture."""
    tables = [read_errors(path) for path in arguments.rows]
    if arguments.table:
        for errors, _ in tables:
            print(error_table(errors) + "\n")
        return None
    figure, panels = plt.subplots(1, len(tables), figsize=(2 + 5 * len(tables), 5), layout="constrained", sharey=True,
                                  squeeze=False)
    for axes, (errors, row), title in zip(panels[0], tables, arguments.title + [""] * len(tables)):
        draw_errors(axes, errors)
        axes.set_title(f"{title}{', ' if title else ''}{row['n_atoms']:,} atoms, pairs within {row['cutoff']:g} Å",
                       fontsize="medium")
    panels[0][0].set_ylabel("RMS error of the forces\nover the RMS Coulomb force")
    return figure


def show_times(arguments):
    figure, axes = plt.subplots(figsize=(8, 5), layout="constrained")
    draw_times(axes, read_times(arguments.rows[0]))
    axes.set_title(" ".join(arguments.title), fontsize="medium")
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("errors", "times"))
    parser.add_argument("rows", type=Path, nargs="+", help="errors: dropmd bench mesh --json; times: a CSV file")
    parser.add_argument("-o", "--output", type=Path, default=Path("mesh.svg"),
                        help="picture, by its suffix SVG, PNG, PDF (default: %(default)s)")
    parser.add_argument("--table", action="store_true", help="errors: print tables instead of a picture")
    parser.add_argument("--title", nargs="+", default=[], help="above the panels")
    arguments = parser.parse_args()
    if arguments.what == "times" and (arguments.table or len(arguments.rows) > 1):
        parser.error("times are drawn from one file, and have no tables")
    plt.rcParams["font.size"] = 12
    files = ", ".join(str(path) for path in arguments.rows)
    try:
        figure = (show_errors if arguments.what == "errors" else show_times)(arguments)
    except OSError as error:
        sys.exit(f"plot_mesh: {error.filename}: {error.strerror}")
    except (KeyError, TypeError) as error:
        sys.exit(f"plot_mesh: {files}: not a table of this kind ({error})")
    except (ValueError, csv.Error) as error:
        sys.exit(f"plot_mesh: {files}: {error}")
    if figure is None:
        return
    try:
        figure.savefig(arguments.output, dpi=100, metadata={"Date": None} if arguments.output.suffix == ".svg" else None)
    except (OSError, ValueError) as error:  # ValueError: a picture format that matplotlib does not know
        sys.exit(f"plot_mesh: {arguments.output}: {getattr(error, 'strerror', None) or error}")
    print(f"plot_mesh: wrote {arguments.output}")


if __name__ == "__main__":
    main()
