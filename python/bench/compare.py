#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
"""Times of the Python package: what a call costs, and solves beside SciPy and PyAMG.

    python python/bench/compare.py [import] [overhead] [interrupt] [solves]

Each time is the median of several runs, those that are compared one after the other in turn.
"""
import os
import statistics
import subprocess
import sys
import time

import numpy as np


def times(runs, *calls):
    """Medians of the seconds of calls, which take turns."""
    seconds = [[] for _ in calls]
    for _ in range(runs):
        for call, of in zip(calls, seconds):
            begin = time.perf_counter()
            call()
            of.append(time.perf_counter() - begin)
    return [statistics.median(of) for of in seconds]


def imports():
    def child(code):
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        return float(run.stdout)

    own = "import time, numpy; t = time.perf_counter(); import ostinato; print(time.perf_counter() - t)"
    both = "import time; t = time.perf_counter(); import ostinato; print(time.perf_counter() - t)"
    print(f"import: {1e3 * statistics.median(child(own) for _ in range(9)):.1f} ms after NumPy, "
          f"{1e3 * statistics.median(child(both) for _ in range(9)):.1f} ms with NumPy")


def overhead():
    import ostinato as ost

    A = ost.generate("poisson2d:32")
    b = np.ones(A.shape[0])
    S = ost.Solver(A)
    out = np.empty(len(b))
    inside = []

    def prepared():
        inside.append(S.solve(b, out=out).seconds)

    for _ in range(50):
        prepared()
    inside.clear()
    whole, = times(500, prepared)
    once, = times(200, lambda: ost.solve(A, b))
    cpp = statistics.median(inside)
    print(f"{len(b)} rows: Solver.solve {1e6 * whole:.0f} us, of which C++ {1e6 * cpp:.0f} us: "
          f"{1e6 * (whole - cpp):.0f} us of overhead; solve {1e6 * once:.0f} us, set-up included")


INTERRUPT = """
import os, signal, threading, time
import numpy as np, ostinato as ost
signal.signal(signal.SIGINT, signal.default_int_handler)  # the caller may have it ignored, as in the background
A = ost.generate({matrix!r})
sent = []
def send():
    time.sleep({after})
    sent.append(time.perf_counter())
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=send).start()
try:
    {work}
except ost.Interrupted:
    print(time.perf_counter() - sent[0], flush=True)
os._exit(0)
"""


def interrupts():
    flow = "convection-diffusion2d:600:peclet=40,rotating"
    gmres = "ost.solve(A, np.ones(A.shape[0]), solver='gmres', preconditioner=None, rtol=1e-13, maxiter=10**6)"
    for name, matrix, work, after in (("set-up of lu", "poisson3d:64", "ost.Solver(A, 'lu')", 0.3),
                                      ("set-up of lu", "poisson3d:64", "ost.Solver(A, 'lu')", 2),
                                      ("set-up of multigrid", "mesh3d:60", "ost.Solver(A, 'multigrid:kind=classical')", 0.5),
                                      ("gmres", flow, gmres, 1.5)):
        code = INTERRUPT.format(matrix=matrix, work=work, after=after)
        waits = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout)
                 for _ in range(5)]
        print(f"Ctrl-C in {name} of {matrix} after {after} s: {1e3 * statistics.median(waits):.0f} ms, "
              f"at most {1e3 * max(waits):.0f}")


def solves():
    import pyamg
    import scipy.sparse.linalg as spla

    import ostinato as ost

    for name in ("poisson2d:500", "mesh2d:316"):
        A = ost.generate(name).tocsr()
        b = np.random.default_rng(0).standard_normal(A.shape[0])
        csc = A.tocsc()

        def amg():
            pyamg.smoothed_aggregation_solver(A).solve(b, tol=1e-8, accel="cg")

        calls = {"ostinato": lambda: ost.solve(A, b, rtol=1e-8).check(), "scipy cg": lambda: spla.cg(A, b, rtol=1e-8),
                 "spsolve": lambda: spla.spsolve(csc, b), "pyamg": amg}
        calls["ostinato"]()
        found = dict(zip(calls, times(3, *calls.values())))
        ours = found["ostinato"]
        print(f"{name}, {A.shape[0]} rows, rtol 1e-8: " + ", ".join(
            f"{who} {1e3 * t:.0f} ms" + ("" if who == "ostinato" else f" ({t / ours:.1f} x)") for who, t in found.items()))


if __name__ == "__main__":
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    parts = {"import": imports, "overhead": overhead, "interrupt": interrupts, "solves": solves}
    for part in sys.argv[1:] or parts:
        parts[part]()
