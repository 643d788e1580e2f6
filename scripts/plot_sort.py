#!/usr/bin/env python3
"""Plot sorting speed against the length of short arrays: the axes of figure 2 of E. S. Fomin (2013), today's methods.

Reads what `dropmd bench sort --lengths default -o sort.csv` wrote (or --json, as *.json), or a Markdown page whose
first table with the columns "Length" and methods has these numbers in Gkeys/s (docs/sort.md). Where a length was timed
with several numbers of keys, the row whose number is nearest to the usual one is used. Needs matplotlib.
"""

import argparse
import csv
import json
import re
import statistics
import sys
from pathlib import Path

try:
    import matplotlib
except ImportError as error:
    sys.exit(f"plot_sort: {error} (Debian: apt install python3-matplotlib)")

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of backend)

CPU = " (CPU)"  # follows the name of a method that was timed on the CPU
# What is plotted unless --methods says otherwise: names in tables of the benchmark, label, colour (Okabe, Ito), style.
USUAL = {
    "copy": ("copy of the keys (the limit)", "#999999", (0, (1, 1))),
    "dropmd": ("dropmd", "black", "-"),
    "register-bitonic": ("bitonic network in registers", "#0072b2", (0, (6, 2))),
    "rank-n": ("rank sort, one thread per element (Fomin 2013)", "#009e73", "-."),
    "cub-segmented-sort": ("cub::DeviceSegmentedSort", "#d55e00", "--"),
}
OTHER_COLOURS = ("#e69f00", "#56b4e9", "#cc79a7", "#f0e442", "#0072b2", "#009e73", "#d55e00", "#999999")


def read_table(path):
    """{method: {length: keys per second}} of the first table in a Markdown page that begins with a column "Length"."""
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")]
            for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    for number, names in enumerate(rows):
        if names[0] == "Length" and "dropmd" in names:
            break
    else:
        raise ValueError('no table with columns "Length" and "dropmd"')
    methods = [re.sub(r"[ -]+", "-", name.lower()) for name in names[1:]]
    speeds = {method: {} for method in methods}
    for cells in rows[number + 2 :]:
        if not cells[0].replace(",", "").isdigit() or len(cells) != len(names):
            break
        for method, cell in zip(methods, cells[1:]):
            speeds[method][int(cells[0].replace(",", ""))] = 1e9 * float(cell)
    return speeds


def read_rows(path):
    """The same from a table that `dropmd bench sort` wrote; rows of unequal lengths are left out."""
    with open(path, encoding="utf-8", newline="") as file:
        if path.suffix.lower() == ".json":
            rows = json.load(file)["rows"]
        else:
            rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    rows = [row for row in rows if row["lengths"] == "uniform"]
    if not rows:
        raise ValueError("no rows of uniform lengths (dropmd bench sort --lengths default)")
    usual = statistics.median(int(row["n_keys"]) for row in rows)
    taken = {}
    for row in rows:
        method = row["method"] + (CPU if row["backend"] == "cpu" else "")
        by_length, length = taken.setdefault(method, {}), int(row["mean_length"])
        other = by_length.get(length)
        if other is None or abs(int(row["n_keys"]) - usual) < abs(int(other["n_keys"]) - usual):
            by_length[length] = row
    return {method: {length: int(row["n_keys"]) / (1e-6 * float(row["time_us"])) for length, row in by_length.items()}
            for method, by_length in taken.items()}


def chosen(speeds, methods):
    """The methods to plot, in this order; those that were not timed are left out unless they were requested."""
    if methods is None:
        usual = [name for name in USUAL if name in speeds]
        return usual or list(speeds)
    names = []
    for name in methods.split(","):
        labels = [label for label in (name, name + CPU) if label in speeds]
        if not labels:
            sys.exit(f"plot_sort: no rows of '{name}' (there are: {', '.join(speeds)})")
        names += labels
    return names


def draw(axes, speeds, names):
    """Time per array in nanoseconds against its length, both logarithmic."""
    spare = iter(OTHER_COLOURS * len(names))
    for name in names:
        label, colour, style = USUAL.get(name) or (name, next(spare), "-")
        points = sorted(speeds[name].items())
        axes.plot([length for length, _ in points], [1e9 * length / speed for length, speed in points], color=colour,
                  linestyle=style, label=label, linewidth=3 if name == "dropmd" else 2)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.set(xlabel="length of an array (keys)", ylabel="time per array (ns)")
    axes.grid(which="major", linewidth=0.4)
    axes.legend(frameon=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=Path, help="table of dropmd bench sort (*.csv, *.json) or a Markdown page (*.md)")
    parser.add_argument("-o", "--output", type=Path, default=Path("sort.png"),
                        help="picture, by its suffix PNG, SVG, PDF (default: %(default)s)")
    parser.add_argument("--methods", metavar="NAME,...", help=f"what to draw (default: {','.join(USUAL)})")
    parser.add_argument("--title", default="", help="above the picture: processor, commit, number of keys")
    arguments = parser.parse_args()
    try:
        speeds = read_table(arguments.rows) if arguments.rows.suffix == ".md" else read_rows(arguments.rows)
    except OSError as error:
        sys.exit(f"plot_sort: {arguments.rows}: {error.strerror}")
    except (KeyError, TypeError) as error:
        sys.exit(f"plot_sort: {arguments.rows}: not a table of dropmd bench sort ({error})")
    except UnicodeDecodeError:
        sys.exit(f"plot_sort: {arguments.rows}: not a table of dropmd bench sort (not UTF-8 text)")
    except (ValueError, csv.Error) as error:
        sys.exit(f"plot_sort: {arguments.rows}: {error}")
    plt.rcParams["font.size"] = 12
    figure, axes = plt.subplots(figsize=(9, 5.5), layout="constrained")
    draw(axes, speeds, chosen(speeds, arguments.methods))
    axes.set_title(arguments.title, fontsize="medium")
    try:
        figure.savefig(arguments.output, dpi=100)
    except (OSError, ValueError) as error:  # ValueError: a picture format that matplotlib does not know
        sys.exit(f"plot_sort: {arguments.output}: {getattr(error, 'strerror', None) or error}")
    print(f"plot_sort: wrote {arguments.output}")


if __name__ == "__main__":
    main()
