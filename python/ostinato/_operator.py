# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
"""Operators and preconditioners."""
import numpy as np

from . import _core
from ._convert import block_of, csr_of, host_array, like, native, value_type, vector_of
from ._errors import ArgumentError, DimensionError
from ._memory import bytes_of


class _Linear:
    """What an object that multiplies has: SciPy's aslinearoperator takes it. `_multiply(x, y)` sets y from blocks."""

    ndim = 2

    def matvec(self, x):
        """The product with a vector, in the shape of x."""
        return self._product(x, self.shape[1], self.shape[0], self._multiply)

    def matmat(self, x):
        """The product with the columns of a matrix."""
        return self._product(x, self.shape[1], self.shape[0], self._multiply)

    def rmatvec(self, x):
        """The product of the transpose with a vector."""
        return self._product(x, self.shape[0], self.shape[1], self._multiply_transposed)

    rmatmat = rmatvec

    def _product(self, x, n, m, multiply):
        given = host_array(x, "x")
        block = block_of(given, n, self.dtype, "x")
        y = np.empty((m, block.shape[1]), self.dtype, order="F")
        multiply(block, y)
        return like(y.reshape(-1) if given.ndim == 1 else y, x)

    def __matmul__(self, x):
        return self._product(x, self.shape[1], self.shape[0], self._multiply)

    __mul__ = dot = __call__ = __matmul__

    def as_linear_operator(self):
        """The same as a `scipy.sparse.linalg.LinearOperator`."""
        from scipy.sparse.linalg import LinearOperator

        return LinearOperator(self.shape, matvec=self.matvec, rmatvec=self.rmatvec, matmat=self.matmat,
                              rmatmat=self.rmatmat, dtype=self.dtype)


class Operator(_Linear):
    """A matrix, analysed once and kept in the format that suits it, or a function in place of one.

    Parameters
    ----------
    A : sparse matrix or array, tuple (data, indices, indptr, shape), or LinearOperator
        The matrix is copied. Left out for a function.
    format : str
        "auto" or the name of a format.
    transpose : bool
        Whether products with the transpose are wanted, which takes the memory twice.
    shape, matvec, rmatvec, dtype : tuple, function, function, dtype
        In place of A: `matvec(x)` returns A x, `rmatvec(x)` the product of the transpose.
    symmetric, positive_definite : bool
        What is known of a function, which chooses the method.

    Notes
    -----
    On the CPU, in host memory. Several threads may multiply at once, without the GIL; a function takes it.

    Examples
    --------
    >>> import numpy as np, ostinato as ost
    >>> op = ost.Operator(ost.generate("poisson2d:3"))
    >>> op.shape, (op @ np.ones(9)).sum()
    ((9, 9), np.float64(12.0))
    """

    def __init__(self, A=None, *, format="auto", transpose=False, shape=None, matvec=None, rmatvec=None, dtype=None,
                 symmetric=False, positive_definite=False):
        csr = None if A is None else csr_of(A)
        if csr is not None:
            self.shape, self.dtype, self._csr = csr.shape, csr.dtype, csr
            self._given = dict(format=format, transpose=transpose)
            self._native = native(self.dtype)[1].of_matrix(csr.native(self.dtype), format, transpose)
            return
        if A is not None:
            shape, dtype = shape or getattr(A, "shape", None), dtype or getattr(A, "dtype", None)
            matvec = getattr(A, "matvec", A)
            rmatvec = rmatvec or (getattr(A, "rmatvec", None) if _has_rmatvec(A) else None)
        if shape is None or matvec is None:
            raise ArgumentError("A is a function without a shape: Operator(shape=(m, n), matvec=f) says it"
                                if callable(A) else "Operator: a matrix, or shape and matvec")
        self.shape, self._csr = (int(shape[0]), int(shape[1])), None
        self.dtype = value_type(np.dtype(float) if dtype is None else np.dtype(dtype))
        self._native = native(self.dtype)[1].of_function(
            *self.shape, self._function(matvec), None if rmatvec is None else self._function(rmatvec), symmetric,
            positive_definite)

    def _function(self, f):  # refers to no self, which would be a cycle through C++
        dtype = self.dtype
        return lambda x: vector_of(f(x), dtype)

    def _multiply(self, x, y):
        self._native.apply(x, y)

    def _multiply_transposed(self, x, y):
        self._native.apply_transposed(x, y)

    @property
    def T(self):
        """The transpose as an operator; needs `transpose=True` or rmatvec."""
        if not self._native.has_transpose:
            raise ArgumentError("T: the operator has no transpose; Operator(A, transpose=True) makes one")
        return Operator(shape=self.shape[::-1], matvec=self.rmatvec, rmatvec=self.matvec, dtype=self.dtype)

    format = property(lambda self: self._native.format, doc="The name of the format; 'function' for a function.")
    nbytes = property(lambda self: self._native.nbytes, doc="Memory that the stored matrix takes.")
    reason = property(lambda self: self._native.reason, doc="Why this format.")

    def explain(self):
        """The formats that were considered, the chosen one first: a list of dictionaries."""
        return self._native.candidates

    def __repr__(self):
        return f"<ostinato.Operator of {self.shape[0]} x {self.shape[1]} in {self.format}, {self.dtype}>"

    def __reduce__(self):
        if self._csr is None:
            raise TypeError("an Operator of a function can't be pickled")
        return _operator_again, (self._csr, self._given)


def _operator_again(csr, given):
    return Operator(csr, **given)


def _has_rmatvec(A):
    if type(A).__module__.startswith("scipy.sparse.linalg"):
        try:
            A.rmatvec(np.zeros(A.shape[0], A.dtype or float))
        except NotImplementedError:
            return False
    return hasattr(A, "rmatvec")


class StencilOperator(_Linear):
    """A matrix on a grid that is never stored: the coefficients of a point and of its neighbours.

    Parameters
    ----------
    extents : int or tuple of int
        Points along x, y and z. Point (x, y, z) is row `x + extents[0] * (y + extents[1] * z)`.
    terms : dict
        From steps (dx,), (dx, dy) or (dx, dy, dz), each -1, 0 or 1, to coefficients.
    boundary : str, or sequence of a str or pair of str for each axis
        What lies beyond the ends: "dirichlet" (0), "neumann" (as the point itself), "periodic".
    dtype : dtype

    Examples
    --------
    >>> import numpy as np, ostinato as ost
    >>> A = ost.StencilOperator((4, 4), {(0, 0): 4, (-1, 0): -1, (1, 0): -1, (0, -1): -1, (0, 1): -1})
    >>> ost.solve(A, np.ones(16)).converged
    True
    """

    def __init__(self, extents, terms, boundary="dirichlet", dtype=float):
        extents = (extents,) if np.isscalar(extents) else tuple(extents)
        ends = [boundary] * 3 if isinstance(boundary, str) else [*boundary, *["dirichlet"] * (3 - len(boundary))]
        ends = [(e, e) if isinstance(e, str) else tuple(e) for e in ends]
        self._given = (extents, dict(terms), boundary, dtype)
        self._stencil = _core.Stencil.of((*extents, *[1] * (3 - len(extents))),
                                         [(*step, *[0] * (3 - len(step)), float(c)) for step, c in terms.items()], ends)
        self.dtype = value_type(np.dtype(dtype))
        self.shape = (self._stencil.rows,) * 2
        make = _core.stencil_operator64 if self.dtype == np.float64 else _core.stencil_operator32
        self._native = make(self._stencil)

    format = "stencil"

    def _multiply(self, x, y):
        self._native.apply(x, y)

    def _multiply_transposed(self, x, y):
        raise ArgumentError("rmatvec: a StencilOperator has no transpose")

    def __repr__(self):
        return f"<ostinato.StencilOperator on {' x '.join(map(str, self._given[0]))}, {self.dtype}>"

    def __reduce__(self):
        return StencilOperator, self._given


class Preconditioner(_Linear):
    """What `preconditioner` and `Solver.as_preconditioner` return: M @ r is about A^-1 r. SciPy takes it as M.

    Attributes
    ----------
    name : str
    shape, dtype
    nbytes : int
    levels : list of dict
        Of a multigrid hierarchy, the finest first; otherwise empty.
    varies : bool
        Whether M differs from call to call, so that methods have to be flexible.
    """

    def __init__(self, native_object, n, dtype, again=None):
        self._native, self.shape, self.dtype, self._again = native_object, (n, n), dtype, again

    name = property(lambda self: self._native.name)
    nbytes = property(lambda self: self._native.nbytes)
    remarks = property(lambda self: self._native.remarks)
    levels = property(lambda self: self._native.levels)
    varies = property(lambda self: self._native.varies)

    def _multiply(self, x, y):
        self._native.apply(x, y)

    def _multiply_transposed(self, x, y):
        raise ArgumentError("rmatvec: a preconditioner has no transpose")

    def __repr__(self):
        n = self.shape[0]
        return f"<ostinato.Preconditioner {self.name} of {n} x {n}, {self.nbytes} bytes, {self.dtype}>"

    def __reduce__(self):
        if self._again is None:
            raise TypeError(f"the preconditioner {self.name} can't be pickled")
        return preconditioner, self._again


def preconditioner(name, A, mem_limit=None):
    """A preconditioner of a matrix, on the CPU.

    Parameters
    ----------
    name : str
        As of the program: "auto", "multigrid:kind=classical", "ilut:drop=1e-4", "lu", ...
    A : sparse matrix or array
        Square. It is copied.
    mem_limit : int or str
        Bytes that it may keep at most: 2e9, "2G".

    Returns
    -------
    Preconditioner
        One thread at a time has it; others wait.

    Examples
    --------
    >>> import ostinato as ost
    >>> M = ost.preconditioner("ilu0", ost.generate("poisson2d:10"))
    >>> M.name, M.shape
    ('ilu0', (100, 100))
    """
    if not isinstance(name, str):
        raise ArgumentError(f"preconditioner(name, A): the name is of type {type(name).__name__}, not str")
    csr = csr_of(A)
    if csr is None:
        raise ArgumentError("preconditioner: A has no entries; a matrix is needed")
    if csr.shape[0] != csr.shape[1]:
        raise DimensionError(f"preconditioner: A is {csr.shape[0]} x {csr.shape[1]}, not square")
    made, error = native(csr.dtype)[2].of_matrix(csr.native(csr.dtype), name, bytes_of(mem_limit))
    if error is not None:
        from ._solver import interrupt

        interrupt(error, None)
    return Preconditioner(made, csr.shape[0], csr.dtype, (name, csr, mem_limit))


def _is_symmetric(f, n, dtype):
    """Whether u.f(v) is v.f(u) for two vectors."""
    u, v = np.random.default_rng(7).standard_normal((2, n)).astype(dtype)
    of_u, of_v = vector_of(f(u), dtype), vector_of(f(v), dtype)
    if len(of_u) != n or len(of_v) != n:
        return True  # refused where it is used
    size = np.linalg.norm(u) * np.linalg.norm(of_v) + np.linalg.norm(v) * np.linalg.norm(of_u)
    return bool(abs(u @ of_v - v @ of_u) <= np.sqrt(np.finfo(dtype).eps) * size)


def preconditioner_object(M, n, dtype, varies=False, symmetric=None):
    """A function, matrix or operator M, which multiplies by about A^-1, as a preconditioner for _core."""
    if isinstance(M, Preconditioner) and M.dtype == dtype and M._native is not None:
        return M._native
    if hasattr(M, "shape") and tuple(M.shape) != (n, n):
        raise DimensionError(f"the preconditioner is {M.shape[0]} x {M.shape[1]} in place of {n} x {n}")
    f = M.matvec if hasattr(M, "matvec") else M if callable(M) else getattr(M, "__matmul__", None)
    if f is None:
        raise ArgumentError(f"the preconditioner is {M!r}; a name, a function, a matrix or an operator is needed")
    varies = varies or getattr(M, "varies", False) is True
    if symmetric is None:
        symmetric = varies or _is_symmetric(f, n, dtype)
    return native(dtype)[2].of_function(n, lambda r: vector_of(f(r), dtype), varies, symmetric)
