# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
"""Drop-in replacements for methods of scipy.sparse.linalg: same signatures, same results, same meaning of info.

    from ostinato.scipy import cg, gmres

in place of `from scipy.sparse.linalg import cg, gmres`. The method runs as asked for, without a preconditioner unless M
is given: `ostinato.solve` chooses both. SciPy itself isn't imported.

What differs: convergence is judged by the recomputed b - A x; a method that can't go on ends early, with info -1; GMRES is
preconditioned from the right. Complex values and numbers that aren't finite aren't taken.
"""
import numbers
import warnings

import numpy as np

from . import _core
from ._convert import csr_of, host_array, native, value_type, vector_of
from ._errors import ArgumentError, DimensionError
from ._lsmr import Goals
from ._lsmr import lsmr as run_lsmr
from ._operator import Operator, preconditioner_object
from ._solution import Solution
from ._solver import interrupt

__all__ = ["bicgstab", "cg", "gcrotmk", "gmres", "lsmr", "minres"]

_MOST = np.iinfo(np.int32).max


def _vector(v, n, dtype, name):
    if v.shape not in ((n,), (n, 1)):
        raise DimensionError(f"shapes of A and {name} are incompatible: {n} rows, {name} {v.shape}")
    value_type(v.dtype)
    return np.array(v.reshape(-1), dtype=dtype)


def _number(value, name, least=-np.inf):
    """A real and finite number of at least `least`."""
    value = value.item() if isinstance(value, np.ndarray) and value.ndim == 0 else value
    if isinstance(value, numbers.Real) and least <= value < np.inf:
        return float(value)
    raise ArgumentError(f"{name} is {value!r}; it has to be a number" + (f", {least} or more" if least > -np.inf else ""))


def _count(value, name, usual, least=0):
    """A whole number of at least `least`, in any type of numbers; `usual` for None."""
    if value is None:
        return usual
    number = _number(value, name, least)
    if number != int(number):
        raise ArgumentError(f"{name} is {value!r}; it has to be whole")
    return int(number)


def _operator(A, dtype=None, transpose=False):
    """An operator of A with the coerced type of values."""
    if isinstance(A, Operator) and (dtype is None or A.dtype == dtype):
        return A
    csr = csr_of(A)
    if csr is None:
        return Operator(A, shape=A.shape, dtype=dtype or getattr(A, "dtype", None))
    if dtype is not None and csr.dtype != dtype:
        csr = type(csr)(csr.data.astype(dtype), csr.indices, csr.indptr, csr.shape)
    return Operator(csr, transpose=transpose)


class _Call:
    """One solve: A, b, x0 and M as SciPy takes them."""

    def __init__(self, A, b, x0, M, square=True, transpose=False):
        if M is None and hasattr(A, "psolve"):
            M = A.psolve
        if square and A.shape[0] != A.shape[1]:
            raise DimensionError(f"expected square matrix, but got shape={A.shape}")
        m, n = A.shape
        b = host_array(b, "b")
        dtype = value_type(getattr(A, "dtype", None) or float, b.dtype)
        self.b = _vector(b, m, dtype, "b")
        self.op = _operator(A, dtype, transpose)
        self.n, self.dtype = n, dtype
        self.m = native(dtype)[2].none() if M is None else preconditioner_object(M, n, dtype)
        if isinstance(x0, str):
            if x0 != "Mb":
                raise ValueError(f"x0 is {x0!r}; known: 'Mb'")
            x0 = self.b if M is None else vector_of(M.matvec(self.b) if hasattr(M, "matvec") else M @ self.b, dtype)
        self.x = np.zeros(n, dtype) if x0 is None else _vector(host_array(x0, "x0"), n, dtype, "x0")

    def run(self, solver, rtol, atol, maxiter, **given):
        """Solves from x, to x; returns the Result."""
        system, error = native(self.dtype)[3].of_both(self.op._native, self.m, {"solver": solver, "history": False})
        results, error = system.solve(self.b.reshape(-1, 1), self.x.reshape(-1, 1, order="F"),
                                      {"rtol": float(rtol), "atol": float(atol), "maxiter": min(int(maxiter), _MOST),
                                       **given})
        if error is not None:
            interrupt(error, Solution(self.x, results, {}, "CPU", rtol))
        return results[0]


def _info(result, maxiter):
    if result.status == "converged":
        return 0
    if result.status in ("breakdown", "not_finite", "diverged"):
        return -1
    return max(1, result.iterations if maxiter is None else maxiter)


def _tolerances(rtol, atol):
    return _number(rtol, "rtol", 0), _number(atol, "atol", 0)


def _each_iterate(call, callback, late):
    """Options with which callback(xk) gets x after each iteration; `late`: the method updates x one iteration late."""
    if callback is None:
        return {}, lambda result: None
    calls = [0]

    def at(iteration):
        if iteration.number > late:
            calls[0] += 1
            callback(call.x.copy())

    def at_end(result):
        if result.iterations > calls[0]:
            callback(call.x.copy())

    return {"callback": at, "check_every": 1}, at_end


def _short_recurrence(solver, A, b, x0, rtol, atol, maxiter, M, callback, late, most):
    rtol, atol = _tolerances(rtol, atol)
    call = _Call(A, b, x0, M)
    if not call.b.any():
        return call.b, 0
    maxiter = _count(maxiter, "maxiter", most * call.n)
    given, at_end = _each_iterate(call, callback, late)
    result = call.run(solver, rtol, atol, maxiter, **given)
    at_end(result)
    return call.x, _info(result, maxiter)


def cg(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None):
    """Conjugate gradients, as scipy.sparse.linalg.cg.

    Returns
    -------
    x : ndarray of shape (n,)
    info : int
        0 where ||b - A x|| <= max(rtol ||b||, atol); maxiter where that wasn't reached; -1 after a breakdown.

    Examples
    --------
    >>> import numpy as np, ostinato as ost
    >>> from ostinato.scipy import cg
    >>> x, info = cg(ost.generate("poisson2d:10"), np.ones(100), rtol=1e-8)
    >>> info
    0
    """
    return _short_recurrence("cg", A, b, x0, rtol, atol, maxiter, M, callback, 1, 10)


def bicgstab(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None):
    """BiCGSTAB, as scipy.sparse.linalg.bicgstab; returns as cg."""
    return _short_recurrence("bicgstab", A, b, x0, rtol, atol, maxiter, M, callback, 0, 10)


def minres(A, b, x0=None, *, rtol=1e-5, shift=0.0, maxiter=None, M=None, callback=None, show=False, check=False):
    """MINRES, as scipy.sparse.linalg.minres; returns as cg. The tolerance is that of cg: ||b - A x|| <= rtol ||b||."""
    if check:
        x = np.random.default_rng(0).standard_normal((2, A.shape[0]))
        one, other = x[0] @ (A @ x[1]), x[1] @ (A @ x[0])
        if abs(one - other) > 1e-10 * np.linalg.norm(x[0]) * np.linalg.norm(A @ x[1]):
            raise ValueError("non-symmetric matrix")
    shift = _number(shift, "shift")
    if shift != 0:
        a, dtype = _operator(A), value_type(getattr(A, "dtype", None) or float)
        A = Operator(shape=A.shape, matvec=lambda v: a @ v - shift * v, dtype=dtype, symmetric=True)
    x, info = _short_recurrence("minres", A, b, x0, rtol, 0.0, maxiter, M, callback, 0, 5)
    if show:
        print(f"minres: info {info}")
    return x, info


def gmres(A, b, x0=None, *, rtol=1e-5, atol=0.0, restart=None, maxiter=None, M=None, callback=None, callback_type=None):
    """GMRES(restart), as scipy.sparse.linalg.gmres; returns as cg. maxiter counts cycles of `restart` iterations."""
    if callback is not None and callback_type is None:
        warnings.warn("gmres called without callback_type; 'legacy' is assumed, as SciPy does", DeprecationWarning,
                      stacklevel=2)
    callback_type = callback_type or "legacy"
    if callback_type not in ("x", "pr_norm", "legacy"):
        raise ValueError(f"Unknown callback_type: {callback_type!r}")
    rtol, atol = _tolerances(rtol, atol)
    call = _Call(A, b, x0, M)
    if not call.b.any():
        return call.b, 0
    restart = min(_count(restart, "restart", 20, 1), call.n)
    maxiter = _count(maxiter, "maxiter", 10 * call.n)
    if callback is not None and callback_type == "x":
        for _ in range(maxiter):
            result = call.run("gmres", rtol, atol, restart, restart=restart)
            if result.iterations > 0:
                callback(call.x.copy())
            if result.status != "iteration_limit":
                break
        return call.x, _info(result, maxiter)
    given, most = {}, maxiter * restart
    if callback is not None:
        given = {"callback": lambda it: callback(it.relative_residual) and None, "check_every": 1}
        most = maxiter if callback_type == "legacy" else most
    result = call.run("gmres", rtol, atol, most, restart=restart, **given)
    return call.x, _info(result, maxiter)


def gcrotmk(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=1000, M=None, callback=None, m=20, k=None, CU=None,
            discard_C=False, truncate="oldest"):
    """GCRO with recycling, in place of scipy.sparse.linalg.gcrotmk: GCRO-DR(m + k, k). Returns as cg.

    CU : list
        Holds what a solve has found out for the next one; begin with []. What is in the list is opaque.
    discard_C, truncate
        Aren't needed: images that are out of date are found by one product, and the slowest directions are kept.
    """
    if truncate not in ("oldest", "smallest"):
        raise ValueError(f"Invalid value for 'truncate': {truncate!r}")
    rtol, atol = _tolerances(rtol, atol)
    call = _Call(A, b, x0, M)
    if not call.b.any():
        return call.b, 0
    m, maxiter = _count(m, "m", 20, 1), _count(maxiter, "maxiter", 1000)
    k = min(_count(k, "k", m), max(1, call.n - 2))
    restart = max(k + 1, min(m + k, call.n))
    kept = [c for c in CU or [] if isinstance(c, _core.RecycledSpace)]
    space = kept[0] if kept else _core.RecycledSpace()
    solver, given = "gcrodr", {"restart": restart, "recycle": k, "recycled": space}
    if k == 0:  # nothing is kept
        solver, given = "gmres", {"restart": restart}
    for _ in range(maxiter if callback is not None else 1):
        most = restart if callback is not None else maxiter * restart
        result = call.run(solver, rtol, atol, most, **given)
        if callback is not None and result.iterations > 0:
            callback(call.x.copy())
        if result.status != "iteration_limit":
            break
    if CU is not None:
        CU[:] = [space]
    return call.x, _info(result, maxiter)


def lsmr(A, b, damp=0.0, atol=1e-6, btol=1e-6, conlim=1e8, maxiter=None, show=False, x0=None):
    """Least squares by LSMR, as scipy.sparse.linalg.lsmr: minimises ||b - A x||^2 + damp^2 ||x - x0||^2, in float64.

    Returns
    -------
    x, istop, itn, normr, normar, norma, conda, normx
        istop: 0 x0 (or 0) is the solution; 1 ||b - A x|| <= btol ||b|| + atol ||A|| ||x||; 2 the gradient is within
        atol ||A|| ||b - A x||; 3 the condition is at least conlim; 4, 5, 6 the same as far as rounding allows; 7 maxiter
        was reached. 1 and 2 hold for residuals that were recomputed, and so do normr and normar; norma and conda are
        estimates.
    """
    double = np.dtype(float)
    m, n = A.shape
    maxiter, damp = _count(maxiter, "maxiter", min(m, n)), _number(damp, "damp")
    a = _operator(A, double, transpose=True)
    b = host_array(b, "b")
    value_type(b.dtype)
    b = _vector(b, m, double, "b")
    x = np.zeros(n) if x0 is None or not (b.any() or damp) else _vector(host_array(x0, "x0"), n, double, "x0")
    start = x.copy()
    goals = Goals(float(np.linalg.norm(b)), _number(atol, "atol", 0), _number(btol, "btol", 0), conlim or 0)
    try:
        istop, itn, norms = run_lsmr(a.matvec, a.rmatvec, b, x, damp, goals, maxiter)
    except KeyboardInterrupt as error:
        interrupt(error, None)
    r, normx = b - a.matvec(x), float(np.linalg.norm(x))
    normr = float(np.hypot(np.linalg.norm(r), damp * np.linalg.norm(x - start)))
    normar = float(np.linalg.norm(a.rmatvec(r) - damp**2 * (x - start)))
    nearly = 0.99  # what estimates and recomputed norms may differ by
    if istop in (1, 2) and not goals.reached(nearly * normr, nearly**2 * normar, norms.a, 0, normx):
        istop += 3
    if show:
        print(f"lsmr: istop {istop} after {itn} iterations, ||r|| = {normr:.3e}, ||A^T r|| = {normar:.3e}")
    return x, istop, itn, normr, normar, norms.a, norms.condition, normx
