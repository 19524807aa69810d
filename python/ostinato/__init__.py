# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
"""Sparse linear systems on CPU and GPU: one call chooses format, method and preconditioner, and says why.

>>> import numpy as np, ostinato as ost
>>> A = ost.generate("poisson2d:100")
>>> r = ost.solve(A, np.ones(10000))
>>> bool(r), r.solver, r.preconditioner
(True, 'cg', 'multigrid')
"""
from ._core import Iteration, RecycledSpace, Result, __version__, preconditioners, set_threads, solvers, threads
from ._convert import Csr
from ._errors import (ArgumentError, ConvergenceWarning, DeviceError, DimensionError, Error, ForkWarning, FormatError,
                      Interrupted, MemoryLimitError, NotConverged)
from ._inspect import Inspection, cuda_available, generate, inspect, read
from ._operator import Operator, Preconditioner, StencilOperator, preconditioner
from ._solution import Solution
from ._solver import Solver, options, solve

__all__ = [
    "ArgumentError", "ConvergenceWarning", "Csr", "DeviceError", "DimensionError", "Error", "ForkWarning", "FormatError",
    "Inspection", "Interrupted", "Iteration", "MemoryLimitError", "NotConverged", "Operator", "Preconditioner", "RecycledSpace",
    "Result", "Solution", "Solver", "StencilOperator", "cuda_available", "generate", "inspect", "options",
    "preconditioner", "preconditioners", "read", "set_threads", "solve", "solvers", "threads",
]
