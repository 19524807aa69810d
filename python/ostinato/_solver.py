# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
"""solve() and Solver."""
import contextlib
import contextvars
import time

import numpy as np

from . import _core, _fork, _gpu
from ._convert import block_in, block_of, csr_of, host_array, is_on_gpu, like, native, require_apart, value_type
from ._errors import ArgumentError, Interrupted
from ._memory import bytes_of
from ._operator import Operator, Preconditioner, StencilOperator, preconditioner_object
from ._options import SolveOptions, SolverOptions, takes
from ._solution import Solution

_defaults = contextvars.ContextVar("ostinato.options", default={})
_ON_FAILURE = ("warn", "raise", "ignore")


class _Unsaid(str):
    """The word of a preconditioner where a call says none, and ``options()`` may."""


_AUTO = _Unsaid("auto")


def _with_defaults(preconditioner, given):
    """The preconditioner and the options of a call over those of ``options()``; None leaves an option as it is there."""
    defaults = _defaults.get()
    of_both = {**defaults, **{name: value for name, value in given.items() if value is not None or name not in defaults}}
    by_default = of_both.pop("preconditioner", str(_AUTO))
    return (by_default if preconditioner is _AUTO else preconditioner), of_both


@takes(SolverOptions)
def options(*, preconditioner=_AUTO, **given):
    """Options of all calls of solve() and Solver() within a `with`, unless a call says otherwise.

    Examples
    --------
    >>> import numpy as np, ostinato as ost
    >>> with ost.options(rtol=1e-12):
    ...     r = ost.solve(ost.generate("poisson2d:10"), np.ones(100))
    >>> r.relative_residual <= 1e-12
    True
    """
    for name in given:
        _core.require_option(name)
    return _within(preconditioner, given)


@contextlib.contextmanager
def _within(preconditioner, given):
    preconditioner, given = _with_defaults(preconditioner, given)
    token = _defaults.set({**given, "preconditioner": preconditioner})
    try:
        yield
    finally:
        _defaults.reset(token)


def interrupt(error, solution, where=""):
    """Raises what a handler of signals raised: KeyboardInterrupt as Interrupted."""
    if isinstance(error, KeyboardInterrupt):
        raise Interrupted(str(error) or "interrupted" + where, solution) from None
    raise error


def _interrupt_set_up(error, preconditioner, begin):
    name = preconditioner if isinstance(preconditioner, str) else "a given preconditioner"
    interrupt(error, None, f" after {time.perf_counter() - begin:.3g} s, while the set-up with {name} was made")


def _watched(given):
    """Options with the callback that shows the progress, and what ends the show."""
    if not given.pop("progress", None):
        return given, None
    from ._progress import Progress

    bar = Progress(given.get("rtol"), given.get("callback"))
    return {**given, "callback": bar}, bar


class Solver:
    """The set-up of a system A x = b, kept for many right-hand sides and for new values.

    Parameters
    ----------
    A : sparse matrix or array, tuple, Operator, StencilOperator or LinearOperator
        A matrix is copied. A LinearOperator or an Operator of a function has no preconditioner unless one is given.
        A matrix of cupyx.scipy.sparse or of torch in the memory of a GPU stays there.
    preconditioner : str, Preconditioner, LinearOperator, matrix or function
        A name of the program, with options ("auto", "multigrid:kind=classical", "lu"), or what multiplies by about
        A^-1.
    solver : str
        "auto" or one of `ostinato.solvers()`.
    device : str
        "auto", "cpu", "cuda" or "cuda:N". "auto" takes the GPU that has A, or the b of solve(), in its memory, and
        otherwise a GPU where the whole is predicted to take less time there.
    rtol, atol : float
        The solve ends at ||b - A x|| <= max(rtol ||b||, atol), recomputed. rtol is 1e-8 unless given, 1e-5 in float32.
    maxiter : int
    time_limit : float
        Seconds of the set-up, and of each solve.
    mem_limit : int or str
        Bytes at most of preconditioners and of the basis of GMRES or GCRO-DR together: 2e9, "2G", "1.5GiB". The matrix,
        b, x and the few vectors of a method come on top.
    right_sides : int
        That are expected: a dearer preconditioner pays where there are many.
    **given
        format, renumber, effort, prepare, symmetric, restart, recycle, recycled, flexible, shadow, mixed, check_every,
        history, divergence_limit, callback, as in C++; `varies` and `symmetric_preconditioner` of a function,
        which is called twice to see whether it is symmetric unless the latter says so.

    Notes
    -----
    The GIL is released. One thread at a time works with a Solver, others wait; several Solvers work at once. Ctrl-C
    raises Interrupted. Pickles as matrix and options. On a GPU b and x are copied there and back, but for arrays that
    are there: those are used as they are, once the work on the current stream of CuPy or torch is done; x is ready when
    the call returns.

    Examples
    --------
    >>> import numpy as np, ostinato as ost
    >>> S = ost.Solver(ost.generate("poisson2d:30"), rtol=1e-10)
    >>> S.solve(np.ones(900)).converged, S.solve(np.ones((900, 2))).iterations[0] > 0
    (True, True)
    """

    @takes(SolverOptions)
    def __init__(self, A, preconditioner=_AUTO, **given):
        self._start(A, *_with_defaults(preconditioner, given), lend=False, dtype=None)

    @classmethod
    def _lending(cls, A, preconditioner, given, dtype):
        self = cls.__new__(cls)
        self._start(A, preconditioner, given, lend=True, dtype=dtype)
        return self

    def _start(self, A, preconditioner, given, lend, dtype):
        _fork.tell()
        begin = time.perf_counter()
        self._on_failure = _failure_word(given.pop("on_failure", None))
        if given.get("mem_limit") is not None:
            given["mem_limit"] = bytes_of(given["mem_limit"])
        kept = dict(given)
        varies, of_m = given.pop("varies", False), given.pop("symmetric_preconditioner", None)
        given, bar = _watched(given)
        csr = None if isinstance(A, (Operator, StencilOperator)) else _matrix_of(A, not lend)
        if csr is None and not isinstance(A, (Operator, StencilOperator)):
            A = Operator(A)
        source = A if csr is None else csr
        self._given = (source, preconditioner, kept)
        self.shape = source.shape
        self.dtype = source.dtype if dtype is None or csr is None else value_type(source.dtype, dtype)
        self._rtol = given.get("rtol") or (1e-5 if self.dtype == np.float32 else 1e-8)
        system = native(self.dtype)[3]
        if not isinstance(preconditioner, str):
            if preconditioner is None:
                given["preconditioner"] = "none"
            else:
                if isinstance(csr, _gpu.GpuCsr):
                    raise ArgumentError("A is in the memory of a GPU, where a preconditioner is made by its name only")
                op = source if csr is None else Operator(csr)
                M = preconditioner_object(preconditioner, self.shape[0], self.dtype, varies, of_m)
                made = system.of_both(op._native, M, given)
        else:
            given["preconditioner"] = preconditioner
        if "preconditioner" in given:
            if isinstance(csr, _gpu.GpuCsr):
                made = system.of_gpu_matrix(csr.native(self.dtype), given)
            elif csr is not None:
                made = system.of_matrix(csr.native(self.dtype), lend, given)
            elif isinstance(A, StencilOperator):
                made = system.of_stencil(A._stencil, given)
            else:
                made = system.of_operator(A._native, given)
        self._system, error = made  # None where the set-up was left behind
        self._bar = bar
        if error is not None:
            _interrupt_set_up(error, preconditioner, begin)
        self._chosen = self._system.set_up
        self.device = self._system.device

    set_up = property(lambda self: dict(self._chosen), doc="What was chosen, and why.")
    seconds = property(lambda self: self._system.seconds, doc="Of the set-up.")
    preconditioner = property(lambda self: self._system.preconditioner, doc="The name of the preconditioner.")

    @takes(SolveOptions)
    def solve(self, b, x0=None, *, out=None, on_failure=None, **given):
        """Solves A x = b.

        Parameters
        ----------
        b : array of shape (m,), (m, 1) or (m, k)
            In host memory or in that of the Solver's GPU; x is of the same package, in the same memory.
        x0 : array
            The guess, 0 if left out. It isn't changed.
        out : array
            Of NumPy, CuPy or torch. Takes x, without an allocation: contiguous columns of the type of A. It shares no
            memory with A, b and the preconditioner; it may be x0, which then is the guess.
        on_failure : {"warn", "raise", "ignore"}
        **given
            rtol, atol, maxiter, time_limit, callback, progress and others of Solver for this solve.

        Returns
        -------
        Solution
        """
        return self._solve(b, x0, out, on_failure, given, once=False)

    def _solve(self, b, x0, out, on_failure, given, once, A=None):
        _fork.tell()
        given, bar = _watched(given)
        m, n = self.shape
        right = _gpu.block_of(b, m, self.dtype, "b") if is_on_gpu(b) else block_of(b, m, self.dtype, "b")
        is_there = is_on_gpu(b if out is None else out)
        x = (self._guess_on_gpu if is_there else self._guess)(b, right, x0, out, A)
        if given.get("mem_limit") is not None:
            given["mem_limit"] = bytes_of(given["mem_limit"])
        blocks = [block.native() if isinstance(block, _gpu.GpuBlock) else block for block in (right, x)]
        try:
            results, error = self._system.solve_once(*blocks) if once else self._system.solve(*blocks, given)
        finally:
            for shown in (bar, self._bar):
                if shown is not None:
                    shown.close()
        if isinstance(right, _gpu.GpuBlock):
            dimensions = right.dimensions
        else:
            dimensions = len(np.shape(b) if not hasattr(b, "shape") else b.shape)
        if out is None:
            out = x.like(b, dimensions) if is_there else like(x.reshape(-1) if dimensions == 1 else x, b)
        solution = Solution(out, results, self._chosen, self.device,
                            given.get("rtol") or self._rtol)
        if error is not None:
            interrupt(error, solution)
        return solution._report(_failure_word(on_failure or self._on_failure), 3)

    def _guess(self, b, right, x0, out, A):
        """The guess in the host memory that takes x."""
        n, columns = self.shape[1], right.shape[1]
        guess = None if x0 is None else block_of(x0, n, self.dtype, "x0")
        if out is None:
            return np.zeros((n, columns), self.dtype, order="F") if guess is None else np.array(guess, order="F")
        x = block_in(out, n, columns, self.dtype)
        require_apart(out, "A", A, self._given[0])
        if not is_on_gpu(b):
            require_apart(out, "b", host_array(b), right)
        require_apart(out, "x0", x0 if x0 is not out else None)
        require_apart(out, "the preconditioner", self._given[1])
        x[:] = 0 if guess is None else guess
        return x

    def _guess_on_gpu(self, b, right, x0, out, A):
        """The same in the memory of a GPU."""
        n, columns = self.shape[1], right.shape[1]
        if out is None:
            x = _gpu.new_block(b, n, columns, self.dtype)
        else:
            x = _gpu.block_in(out, n, columns, self.dtype)
            _gpu.require_apart(x, A=self._given[0], b=right)
        if x0 is None or x0 is not out:
            _gpu.set_guess(x, x0)
        return x

    def update_values(self, A):
        """Takes a matrix with new values on the same pattern. What was chosen stays; what depends on values is new."""
        csr = _matrix_of(A)
        if csr is None:
            raise ArgumentError("update_values: a matrix is needed")
        begin = time.perf_counter()
        error = self._system.update_values(csr.native(self.dtype))
        self._given, self._chosen = (csr, *self._given[1:]), self._system.set_up
        if error is not None:
            _interrupt_set_up(error, self._given[1], begin)

    def as_preconditioner(self, rtol=1e-2):
        """A preconditioner that solves to rtol, for SciPy's methods or ours. It varies: flexible methods need that."""
        return _SolvesToTolerance(self, rtol)

    def __repr__(self):
        m, n = self.shape
        return f"<ostinato.Solver of {m} x {n} with {self.preconditioner}, {self.dtype}, on {self.device}>"

    def __reduce__(self):
        return _solver_again, self._given


class _SolvesToTolerance(Preconditioner):
    """A Preconditioner that solves with a Solver."""

    name, nbytes, remarks, levels, varies = "solver", 0, "", (), True

    def __init__(self, solver, rtol):
        self._solver, self._rtol = solver, rtol
        super().__init__(None, solver.shape[0], solver.dtype)

    def _multiply(self, x, y):
        self._solver._system.precondition(x, y, self._rtol)

    def _product(self, x, n, m, multiply):
        if not is_on_gpu(x):
            return super()._product(x, n, m, multiply)
        block = _gpu.block_of(x, n, self.dtype, "x")
        y = _gpu.new_block(x, m, block.shape[1], self.dtype)
        multiply(block.native(), y.native())
        return y.like(x, block.dimensions)


def _matrix_of(A, copy=False):
    """A matrix in host memory as Csr or in that of a GPU as GpuCsr, of which arrays are copied; None for others."""
    csr = _gpu.csr_on_gpu(A, copy)
    return csr_of(A) if csr is None else csr


def _solver_again(A, preconditioner, given):
    return Solver(A, preconditioner, **given)


def _failure_word(word):
    if word is None:
        return _ON_FAILURE[0]
    if word not in _ON_FAILURE:
        raise ArgumentError(f"on_failure is {word!r}; known: {', '.join(_ON_FAILURE)}")
    return word


@takes(SolverOptions)
def solve(A, b, x0=None, *, preconditioner=_AUTO, out=None, **given):
    """Solves A x = b, and chooses what isn't named: device, method, preconditioner and format.

    Parameters
    ----------
    A : sparse matrix or array, tuple, Operator, StencilOperator or LinearOperator
        m x n, real. A least squares problem where m != n.
    b : array of shape (m,), (m, 1) or (m, k)
        NumPy, torch or JAX in host memory; CuPy or torch in that of a GPU, or what has DLPack or
        __cuda_array_interface__ where CuPy or torch is imported. x is of the same package, in the same memory.
    x0 : array
        The guess, 0 if left out. It isn't changed.
    preconditioner, out, **given
        As for Solver and Solver.solve: rtol, atol, maxiter, time_limit (of set-up and solve together), mem_limit,
        solver, device, callback, progress, on_failure, ...

    Returns
    -------
    Solution
        It warns (ConvergenceWarning) where it didn't converge. `on_failure="raise"` raises NotConverged.

    Examples
    --------
    >>> import numpy as np, ostinato as ost
    >>> A = ost.generate("poisson2d:50")
    >>> x = ost.solve(A, np.ones(2500), rtol=1e-10).check()
    """
    preconditioner, given = _with_defaults(preconditioner, given)
    if is_on_gpu(b):
        shape, dtype, given["device"] = _gpu.facts_of(b, given.get("device"))
    else:
        right = host_array(b, "b")
        shape, dtype = right.shape, right.dtype
    S = Solver._lending(A, preconditioner, {"right_sides": shape[1] if len(shape) == 2 else None, **given},
                        value_type(dtype))
    return S._solve(b, x0, out, None, {}, once=True, A=A)
