# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
"""Threads, signals, processes and imports."""
import concurrent.futures
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import ostinato as ost


def child(code, **given):
    """Runs code in a process of its own, and returns its output."""
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120, **given)
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


# Prints the seconds from the signal to the exception, and what the exception has.
INTERRUPTED = """
    import os, signal, threading, time
    import numpy as np, ostinato as ost, ostinato.scipy
    signal.signal(signal.SIGINT, signal.default_int_handler)  # the caller may have it ignored, as in the background
    A = {matrix}
    sent = []
    def send():
        time.sleep({after})
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=send).start()
    try:
        {work}
    except ost.Interrupted as e:
        r = e.result
        assert r is not None or "s, while the set-up with lu was made" in str(e), e
        print(time.perf_counter() - sent[0], r is not None and r.status, r is not None and r.iterations > 0
              and np.linalg.norm(1 - A.tocsr() @ r.x) < np.sqrt(A.shape[0]))
    else:
        print("not interrupted")
"""


@pytest.mark.parametrize("matrix, work, after, has_result", [
    ("ost.generate('poisson3d:64')", "ost.Solver(A, 'lu')", 1.0, False),
    ("ost.generate('convection-diffusion2d:600:peclet=40,rotating')",
     "ost.solve(A, np.ones(A.shape[0]), solver='gmres', preconditioner=None, rtol=1e-13, maxiter=10**6)", 1.5, True),
    ("ost.generate('convection-diffusion2d:600:peclet=40,rotating')",
     "ostinato.scipy.gmres(A, np.ones(A.shape[0]), rtol=1e-13)", 1.5, True),
], ids=["set-up of lu", "gmres", "gmres in place of SciPy's"])
def test_ctrl_c_ends_work(matrix, work, after, has_result):
    took = []
    for _ in range(3):  # another process may be in the way once
        seconds, status, nearer = child(INTERRUPTED.format(matrix=matrix, work=work, after=after)).split()
        assert (status, nearer) == (("interrupted", "True") if has_result else ("False", "False"))
        took.append(float(seconds))
        if min(took) < 0.1:  # as it is where nothing else runs (python/bench/compare.py)
            break
    assert min(took) < 5  # the work itself takes longer


def test_handlers_of_signals_may_raise_what_they_like():
    assert child("""
        import signal, numpy as np, ostinato as ost
        class Alarm(Exception): pass
        def ring(number, frame): raise Alarm
        signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        A = ost.generate('convection-diffusion2d:600:peclet=40,rotating')
        try:
            ost.solve(A, np.ones(A.shape[0]), solver='gmres', preconditioner=None, rtol=1e-13, maxiter=10**6)
        except Alarm:
            print('rung')
        print(ost.solve(ost.generate('poisson2d:20'), np.ones(400)).converged)
    """) == "rung\nTrue"


def test_gil_is_released():
    A = ost.generate("poisson2d:200")
    b, ticks, done = np.ones(A.shape[0]), [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    calls = []
    for _ in range(5):
        begin = time.perf_counter()
        ost.solve(A, b, preconditioner=None, rtol=1e-8)
        calls.append((begin, time.perf_counter()))
    done.set(), thread.join()
    during = [t for t in ticks if any(begin < t < end for begin, end in calls)]
    assert len(during) > 2 * len(calls)  # one a call is possible before it lets go


@pytest.mark.parametrize("shared", ["Operator", "Solver", "none"])
def test_eight_threads_give_equal_bits(shared, rng):
    A = ost.generate("variable2d:40")
    rights = rng.standard_normal((50, A.shape[0]))
    S, op = ost.Solver(A), ost.Operator(A)

    def solve(b):
        r = {"Solver": S.solve, "Operator": lambda b: ost.solve(op, b), "none": lambda b: ost.solve(A, b)}[shared](b)
        assert r.converged
        return r.x.tobytes()

    wanted = [solve(b) for b in rights]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        runs = [pool.submit(lambda: [solve(b) for b in rights]) for _ in range(8)]
    assert all(run.result() == wanted for run in runs)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_forked_child_works_and_is_told():
    assert child("""
        import os, sys, warnings, numpy as np, ostinato as ost
        A = ost.generate('poisson2d:300')
        b = np.ones(A.shape[0])
        before = ost.solve(A, b).x
        if os.fork() == 0:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter('always')
                same = np.array_equal(ost.solve(A, b).x, before)
                ost.Solver(A).solve(b)
            print([w.category.__name__ for w in caught], same, ost.threads(), flush=True)
            os._exit(0)
        os.wait()
        print(np.array_equal(ost.solve(A, b).x, before))
    """) == "['ForkWarning'] True 1\nTrue"


def test_import_needs_no_scipy():
    assert child("""
        import sys, ostinato as ost
        S = ost.Solver(ost.generate('poisson2d:10'))
        assert S.solve([1.0] * 100).converged
        print([m for m in ('scipy', 'IPython', 'torch', 'jax') if m in sys.modules])
    """) == "[]"


def test_nothing_is_printed(capfd):
    ost.solve(ost.generate("poisson2d:50"), np.ones(2500))
    out = capfd.readouterr()
    assert out.out == "" and out.err == ""


def test_threads_may_be_set():
    assert child("""
        import numpy as np, ostinato as ost
        ost.set_threads(1)
        A = ost.generate('poisson2d:50')
        one = ost.solve(A, np.ones(2500)).x
        print(ost.threads())
    """, env={**os.environ, "OMP_NUM_THREADS": "2"}) == "1"


def test_program_comes_along(tmp_path):
    run = subprocess.run([sys.executable, "-m", "ostinato", "solve", "poisson2d:20", "--json", "-"], capture_output=True, text=True)
    assert run.returncode == 0 and '"converged"' in run.stdout
    assert subprocess.run([sys.executable, "-m", "ostinato", "solve", "nowhere.mtx"], capture_output=True).returncode == 3


def test_memory_isnt_leaked():
    assert child("""
        import gc, resource, numpy as np, ostinato as ost
        A = ost.generate('poisson2d:100'); S = A.tocsr(); b = np.ones(A.shape[0])
        def work():
            ost.solve(A, b); ost.Operator(A) @ b; ost.solve(ost.Operator(shape=A.shape, matvec=lambda v: S @ v), b, solver='cg')
            ost.Solver(A).solve(b).history
        for _ in range(5): work()
        gc.collect(); before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(25): work()
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 5000)
    """) == "True"
