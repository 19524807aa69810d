# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
"""The result of a solve."""
import math
import warnings

from ._errors import ConvergenceWarning, NotConverged

_FIELDS = ("status", "reason", "cause", "iterations", "residual", "relative_residual", "backward_error", "row_error",
           "scaled_error", "forward_error", "condition", "at_precision_limit", "is_singular", "set_up_stopped", "unsolved_rows", "gradient",
           "history", "stages", "notes", "solver", "preconditioner", "seconds", "setup_seconds", "preconditioner_bytes",
           "workspace_bytes", "message")


class Solution:
    """x, and how the solve went. It isn't x: `r.x` is, and `r.check()` gives x or raises.

    For b with k columns every attribute but `x`, `results`, `converged` and `set_up` is a list, a value a column.

    Attributes
    ----------
    x : array
        In the shape of b, of the package of b, and in the same memory.
    converged : bool
        b - A x was recomputed and is within `max(rtol ||b||, atol)` (or x solves the least squares problem).
    status : str
        converged, least_squares, iteration_limit, time_limit, breakdown, stagnated, diverged, not_finite, interrupted.
    reason, cause : str
        Why it ended so: a sentence, and a word.
    set_up_stopped : bool
        A limit of time ended the set-up: x is the guess, and nothing was solved.
    iterations : int
    residual, relative_residual : float
        ||b - A x||, recomputed, and the same over ||b||.
    backward_error, forward_error, condition : float
        What x is worth, where that is known; nan or None where not.
    history : ndarray
        Relative residuals of the recurrence, read only: at the start, then of each iteration.
    solver, preconditioner : str
        Those that ended the solve; `stages` has all that went before, and `notes` says why.
    seconds, setup_seconds : float
    set_up : dict
        What was chosen at the set-up, and the reasons.
    device : str

    Examples
    --------
    >>> import numpy as np, ostinato as ost
    >>> A = ost.generate("poisson2d:20")
    >>> r = ost.solve(A, np.ones(400))
    >>> bool(r), r.status
    (True, 'converged')
    >>> x, info = r
    >>> info
    0
    """

    __slots__ = ("x", "results", "set_up", "device", "goal")

    def __init__(self, x, results, set_up, device, goal):
        self.x, self.results, self.set_up, self.device, self.goal = x, tuple(results), set_up, device, goal

    @property
    def converged(self):
        return all(r.converged for r in self.results)

    def __bool__(self):
        return self.converged

    @property
    def info(self):
        """0 where converged, the iterations where a limit ended the solve, -1 otherwise; the worst of all columns."""
        def of(r):
            if r.converged:
                return 0
            return max(1, r.iterations) if r.status in ("iteration_limit", "time_limit", "stagnated", "interrupted") else -1
        infos = [of(r) for r in self.results]
        return min(infos) if min(infos, default=0) < 0 else max(infos, default=0)

    def __iter__(self):
        return iter((self.x, self.info))

    def check(self):
        """x; raises NotConverged where the solve didn't get to its tolerance."""
        if not self.converged:
            raise NotConverged(self._failure(), self)
        return self.x

    def _failure(self):
        return "; ".join(r.message for r in self.results if not r.converged)

    def _report(self, on_failure, stacklevel):
        """Warns, raises or keeps silent where the solve didn't converge; a callback that ended it is no failure."""
        if self.converged or on_failure == "ignore":
            return self
        if on_failure == "raise":
            self.check()
        if any(r.cause != "callback" and not r.converged for r in self.results):
            warnings.warn(self._failure(), ConvergenceWarning, stacklevel=stacklevel + 1)
        return self

    def to_dict(self):
        """All attributes but x as a dictionary, with lists in place of arrays and None for what isn't finite, for JSON."""
        return {name: _plain(getattr(self, name)) for name in _FIELDS}

    def __repr__(self):
        return "\n".join(r.message for r in self.results)

    def _repr_html_(self):
        from ._html import of_solution

        return of_solution(self)

    def __reduce__(self):
        return Solution, (self.x, self.results, self.set_up, self.device, self.goal)


def _plain(value):
    if isinstance(value, dict):
        return {key: _plain(of) for key, of in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(of) for of in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _field(name):
    def get(self):
        if len(self.results) == 1:
            return getattr(self.results[0], name)
        return [getattr(r, name) for r in self.results]
    return property(get)


for _name in _FIELDS:
    setattr(Solution, _name, _field(_name))
