#!/usr/bin/env python3
"""Draw how long sorting takes by length of the arrays, one line a method: figure 2 of E. S. Fomin (2013) with today's
methods, its two ranges side by side.

Reads what `dropmd bench sort --lengths default -o sort.csv` wrote (or --json, as *.json); of a length that was timed
with several numbers of keys, the row whose number is nearest to the usual one. Needs matplotlib.
"""

import argparse
import csv
import json
import statistics
import sys
from pathlib import Path

try:
    import matplotlib
except ImportError as error:
    sys.exit(f"plot_sort: {error} (Debian: apt install python3-matplotlib)")

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of backend)

RANGES = (128, 1024)  # longest length of each panel
CPU = " (CPU)"  # behind the name of a method that was timed there
PER = {  # what a time is divided by: label, unit of it in microseconds, number in a row
    "array": ("time per array (ns)", 1e-3, lambda row: int(row["segments"])),
    "key": ("time per key (ps)", 1e-6, lambda row: int(row["n_keys"])),
    "case": ("time per case (µs)", 1, lambda row: 1),
}


def read_rows(path):
    """Rows of equal lengths, as dictionaries."""
    with open(path, encoding="utf-8", newline="") as file:
        if path.suffix.lower() == ".json":
            rows = json.load(file)["rows"]
        else:
            rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    rows = [row for row in rows if row["lengths"] == "uniform"]
    if not rows:
        raise ValueError("no rows of uniform lengths (dropmd bench sort --lengths default)")
    return rows


def curves(rows, per):
    """{label: [(length, time)]} in the order of the file; lengths ascend."""
    usual = statistics.median(int(row["n_keys"]) for row in rows)
    _, unit, number = PER[per]
    by_method = {}
    for row in rows:
        label = row["method"] + (CPU if row["backend"] == "cpu" else "")
        points, length = by_method.setdefault(label, {}), int(row["mean_length"])
        other = points.get(length)
        if other is None or abs(int(row["n_keys"]) - usual) < abs(int(other["n_keys"]) - usual):
            points[length] = row
    return {
        label: [(length, float(row["time_us"]) / unit / number(row)) for length, row in sorted(points.items())]
        for label, points in by_method.items()
    }


def draw(axes, lines, longest):
    styles = [(colour, style) for style in ("-", "--") for colour in plt.get_cmap("tab10").colors]
    for (label, points), (colour, style) in zip(lines.items(), styles * (1 + len(lines) // len(styles))):
        shown = [point for point in points if point[0] <= longest]
        production = label.startswith("dropmd")
        if shown:
            axes.plot(*zip(*shown), style, color="black" if label == "dropmd" else colour, label=label, marker=".",
                      markersize=4, linewidth=2.4 if production else 1.2, zorder=3 if production else 2)
    axes.set_yscale("log")
    axes.set(xlim=(0, longest), xticks=range(0, longest + 1, longest // 8), xlabel="length of an array (keys)")
    axes.grid(which="both", linewidth=0.3)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=Path, help="table of dropmd bench sort, *.csv or *.json")
    parser.add_argument("-o", "--output", type=Path, default=Path("sort.png"),
                        help="picture, by its suffix PNG, SVG, PDF (default: %(default)s)")
    parser.add_argument("--per", choices=PER, default="array", help="what the time is of (default: %(default)s)")
    parser.add_argument("--methods", metavar="NAME,...", help="only these, in this order; on all processors")
    parser.add_argument("--title", default="", help="above the picture: processor, commit, number of keys")
    arguments = parser.parse_args()
    try:
        lines = curves(read_rows(arguments.rows), arguments.per)
    except OSError as error:
        sys.exit(f"plot_sort: {arguments.rows}: {error.strerror}")
    except (KeyError, TypeError) as error:
        sys.exit(f"plot_sort: {arguments.rows}: no table of dropmd bench sort ({error})")
    except UnicodeDecodeError:
        sys.exit(f"plot_sort: {arguments.rows}: no table of dropmd bench sort (not UTF-8 text)")
    except (ValueError, csv.Error) as error:
        sys.exit(f"plot_sort: {arguments.rows}: {error}")
    if arguments.methods:
        chosen = {}
        for name in arguments.methods.split(","):
            labels = [label for label in (name, name + CPU) if label in lines]
            if not labels:
                sys.exit(f"plot_sort: no rows of '{name}' (there: {', '.join(lines)})")
            chosen.update({label: lines[label] for label in labels})
        lines = chosen
    figure, panels = plt.subplots(1, len(RANGES), figsize=(13, 6), layout="constrained")
    for axes, longest in zip(panels, RANGES):
        draw(axes, lines, longest)
        axes.set_ylabel(PER[arguments.per][0])
    figure.legend(*panels[-1].get_legend_handles_labels(), loc="outside right upper", frameon=False)
    figure.suptitle(arguments.title)
    try:
        figure.savefig(arguments.output, dpi=100)
    except (OSError, ValueError) as error:  # ValueError: a picture format that matplotlib does not know
        sys.exit(f"plot_sort: {arguments.output}: {getattr(error, 'strerror', None) or error}")


if __name__ == "__main__":
    main()
