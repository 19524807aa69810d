#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
"""Prints tables of docs/performance.md from reports: bench/tables.py REPORT.json...

Reports of `ostinato bench MATRIX --json FILE` become a table of products: microseconds by format. Those of `ostinato
solve MATRIX --json FILE` become a table of solves. A line before each table has the device, the date of the files and
the command.
"""
import json
import pathlib
import sys
import time


def table(header, rows):
    print("| " + " | ".join(header) + " |\n|" + "---|" * len(header))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def number(value, scale=1.0):
    return "-" if value is None else f"{value * scale:.3g}" if value * scale < 100 else f"{value * scale:,.0f}"


def caption(reports, command, unit):
    devices = sorted({report["device"] for report, _ in reports})
    months = sorted({time.strftime("%Y-%m", time.localtime(path.stat().st_mtime)) for _, path in reports})
    version = sorted({report["version"] for report, _ in reports})
    print(f"{', '.join(devices)}, {' to '.join(months)}, Ostinato {', '.join(version)}: `{command}`, {unit}.\n")


def products(reports):
    caption(reports, "ostinato bench NAME --json FILE", "microseconds a product")
    names = [f["format"] for report, _ in reports for f in report["formats"] if f.get("seconds")]
    names = sorted(set(names), key=names.index)
    rows = []
    for report, _ in reports:
        seconds = {f["format"]: f.get("seconds") for f in report["formats"]}
        rows.append([report["matrix"], f"{report['nonzeros']:,}"] + [number(seconds.get(name), 1e6) for name in names])
    table(["matrix", "entries"] + names, rows)


def solves(reports):
    caption(reports, "ostinato solve NAME --json FILE", "set-up and solve in milliseconds")
    rows = []
    for report, _ in reports:
        times = report["times"]
        set_up = sum(times[part] or 0 for part in ("analyse", "renumber", "prepare", "convert", "precondition"))
        rows.append([report["matrix"], f"{report['rows']:,}", report["solver"], report["preconditioner"], number(set_up, 1e3),
                     number(times["solve"], 1e3), str(report["iterations"]), number(report["relative_residual"])])
    table(["matrix", "rows", "solver", "preconditioner", "set-up", "solve", "iterations", "residual"], rows)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    reports = [(json.loads(path.read_text()), path) for path in map(pathlib.Path, sys.argv[1:])]
    for kind, show in (("formats", products), ("stages", solves)):
        chosen = [pair for pair in reports if kind in pair[0]]
        if chosen:
            show(chosen)


main()
