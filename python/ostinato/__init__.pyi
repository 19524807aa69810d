# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
from contextlib import AbstractContextManager
from os import PathLike
from typing import Any, Callable, Iterator, Literal, Mapping, Sequence

from numpy import ndarray
from numpy.typing import ArrayLike, DTypeLike
from typing_extensions import Unpack

from ._options import Failure, SolveOptions, SolverOptions

__version__: str

_Status = Literal["converged", "least_squares", "iteration_limit", "time_limit", "breakdown", "stagnated", "diverged",
                  "not_finite", "interrupted"]

class Error(Exception): ...
class FormatError(Error, ValueError):
    path: str | None
    line: int | None
class DimensionError(Error, ValueError): ...
class ArgumentError(Error, ValueError): ...
class MemoryLimitError(Error, MemoryError): ...
class DeviceError(Error, RuntimeError): ...
class NotConverged(Error, ArithmeticError):
    result: Solution | None
class Interrupted(KeyboardInterrupt):
    result: Solution | None
class ConvergenceWarning(UserWarning): ...
class ForkWarning(UserWarning): ...

class Iteration:
    number: int
    relative_residual: float
    seconds: float

class RecycledSpace:
    def __init__(self) -> None: ...
    vectors: int
    nbytes: int
    def clear(self) -> None: ...

class Result:
    status: _Status
    reason: str
    cause: str
    converged: bool
    set_up_stopped: bool
    iterations: int
    residual: float
    relative_residual: float
    history: ndarray
    message: str
    def __getattr__(self, name: str) -> Any: ...

class Solution:
    x: Any
    results: tuple[Result, ...]
    set_up: dict[str, Any]
    device: str
    converged: bool
    info: int
    status: Any
    iterations: Any
    residual: Any
    relative_residual: Any
    history: Any
    notes: Any
    def __bool__(self) -> bool: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __getattr__(self, name: str) -> Any: ...
    def check(self) -> Any: ...
    def to_dict(self) -> dict[str, Any]: ...

class Csr:
    data: ndarray
    indices: ndarray
    indptr: ndarray
    shape: tuple[int, int]
    def __init__(self, data: ndarray, indices: ndarray, indptr: ndarray, shape: Sequence[int]) -> None: ...
    nnz: int
    def tocsr(self) -> Any: ...
    def toarray(self) -> ndarray: ...

class _Linear:
    shape: tuple[int, int]
    dtype: Any
    def matvec(self, x: Any) -> Any: ...
    def matmat(self, x: Any) -> Any: ...
    def rmatvec(self, x: Any) -> Any: ...
    def rmatmat(self, x: Any) -> Any: ...
    def __matmul__(self, x: Any) -> Any: ...
    def as_linear_operator(self) -> Any: ...

class Operator(_Linear):
    def __init__(self, A: Any = None, *, format: str = "auto", transpose: bool = False,
                 shape: tuple[int, int] | None = None, matvec: Callable[[ndarray], ArrayLike] | None = None,
                 rmatvec: Callable[[ndarray], ArrayLike] | None = None, dtype: DTypeLike = None,
                 symmetric: bool = False, positive_definite: bool = False) -> None: ...
    T: Operator
    format: str
    nbytes: int
    reason: str
    def explain(self) -> list[dict[str, Any]]: ...

class StencilOperator(_Linear):
    def __init__(self, extents: int | Sequence[int], terms: Mapping[tuple[int, ...], float],
                 boundary: str | Sequence[str | tuple[str, str]] = "dirichlet", dtype: DTypeLike = ...) -> None: ...

class Preconditioner(_Linear):
    name: str
    nbytes: int
    remarks: str
    levels: list[dict[str, Any]]
    varies: bool

def preconditioner(name: str, A: Any, mem_limit: float | str | None = None) -> Preconditioner: ...

class Solver:
    def __init__(self, A: Any, preconditioner: Any = "auto", **given: Unpack[SolverOptions]) -> None: ...
    shape: tuple[int, int]
    dtype: Any
    device: str
    set_up: dict[str, Any]
    seconds: float
    preconditioner: str
    def solve(self, b: Any, x0: Any = None, *, out: Any = None, on_failure: Failure | None = None,
              **given: Unpack[SolveOptions]) -> Solution: ...
    def update_values(self, A: Any) -> None: ...
    def as_preconditioner(self, rtol: float = 1e-2) -> Preconditioner: ...

def solve(A: Any, b: Any, x0: Any = None, *, preconditioner: Any = "auto", out: Any = None,
          **given: Unpack[SolverOptions]) -> Solution: ...
def options(*, preconditioner: Any = "auto", **given: Unpack[SolverOptions]) -> AbstractContextManager[None]: ...

class Inspection:
    findings: list[tuple[str, str, str]]
    facts: dict[str, Any]
    def __getattr__(self, name: str) -> Any: ...
    def save(self, path: str | PathLike[str]) -> None: ...

def inspect(A: Any, name: str = "A", thorough: bool = False) -> Inspection: ...
def read(path: str | PathLike[str], dtype: DTypeLike = ...) -> Any: ...
def generate(name: str, dtype: DTypeLike = ...) -> Csr: ...
def cuda_available() -> bool: ...
def set_threads(threads: int, /) -> None: ...
def threads() -> int: ...
def solvers() -> list[str]: ...
def preconditioners() -> list[str]: ...
