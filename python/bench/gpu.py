#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
"""Times of solves with arrays of CuPy in and out, beside CuPy's own methods.

    python python/bench/gpu.py [--limit SECONDS] [MATRIX ...]

Each method has a process of its own, and does the same solve twice: the second one counts. What takes longer than the
limit together is left out. Prints a table: seconds, the recomputed relative residual, and the ratio to ostinato.
"""
import argparse
import subprocess
import sys
import time

import numpy as np

RTOL = 1e-8


def _calls(A, b, host):
    """What each method calls to get x."""
    from cupyx.scipy.sparse.linalg import cg, spsolve

    import ostinato as ost

    def kept():
        S = ost.Solver(A, device="cuda", rtol=RTOL)
        return lambda: S.solve(b).x

    def from_host():
        right = b.get()
        return lambda: ost.solve(host, right, device="cuda", rtol=RTOL).x

    return {
        "ostinato": lambda: lambda: ost.solve(A, b, device="cuda", rtol=RTOL).x,
        "ostinato, set-up kept": kept,
        "ostinato, from the host and back": from_host,
        "cupyx cg": lambda: lambda: cg(A, b, rtol=RTOL, maxiter=100_000)[0],
        "cupyx spsolve": lambda: lambda: spsolve(A, b),
    }


METHODS = ("ostinato", "ostinato, set-up kept", "ostinato, from the host and back", "cupyx cg", "cupyx spsolve")


def one(matrix, method):
    """Prints the seconds of the second solve, and its residual."""
    import cupy
    from cupyx.scipy.sparse import csr_matrix

    import ostinato as ost

    host = ost.generate(matrix).tocsr()
    A = csr_matrix(host)
    b = cupy.asarray(np.random.default_rng(0).standard_normal(A.shape[0]))
    call = _calls(A, b, host)[method]()
    for _ in range(2):
        cupy.cuda.Device().synchronize()
        begin = time.perf_counter()
        x = call()
        cupy.cuda.get_current_stream().synchronize()
        seconds = time.perf_counter() - begin
    residual = cupy.linalg.norm(b - A @ cupy.asarray(x)) / cupy.linalg.norm(b)
    print(seconds, float(residual))


def row(matrix, method, limit):
    """Seconds and residual, or why there are none."""
    try:
        run = subprocess.run([sys.executable, __file__, "--one", method, matrix], capture_output=True, text=True,
                             timeout=limit)
    except subprocess.TimeoutExpired:
        return None, f"more than {limit:g} s"
    if run.returncode != 0:
        return None, (run.stderr.strip().splitlines() or ["failed"])[-1][:80]
    seconds, residual = map(float, run.stdout.split())
    return seconds, residual


def table(matrix, limit):
    print(f"{matrix}, rtol {RTOL:g}, second of two runs")
    print(f"{'method':34} {'seconds':>9} {'residual':>9} {'ratio':>7}")
    ours = None
    for method in METHODS:
        seconds, residual = row(matrix, method, limit)
        if seconds is None:
            print(f"{method:34} {residual}")
            continue
        ours = seconds if method == "ostinato" else ours
        ratio = f"{seconds / ours:7.2f}" if ours else "      -"
        print(f"{method:34} {seconds:9.4f} {residual:9.1e} {ratio}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=float, default=60, help="seconds of a method, its start included")
    parser.add_argument("--one", choices=METHODS, help=argparse.SUPPRESS)
    parser.add_argument("matrices", nargs="*", default=["poisson2d:1000", "poisson3d:100"])
    given = parser.parse_args()
    for matrix in given.matrices:
        one(matrix, given.one) if given.one else table(matrix, given.limit)


if __name__ == "__main__":
    main()
