# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
"""Matrices and vectors of other packages as NumPy arrays, without copies where they are in host memory."""
import sys

import numpy as np

from . import _core
from ._compressed import check_range, csr_of_scipy, entries_in_use
from ._errors import ArgumentError, DimensionError

_NATIVE = {
    np.dtype(np.float64): (_core.Csr64, _core.Operator64, _core.Preconditioner64, _core.System64),
    np.dtype(np.float32): (_core.Csr32, _core.Operator32, _core.Preconditioner32, _core.System32),
}
_LARGEST = np.iinfo(np.int32).max


def native(dtype):
    """The classes of _core for a type of values: Csr, Operator, Preconditioner, System."""
    return _NATIVE[dtype]


def value_type(*dtypes):
    """float32 where all are, float64 for other real numbers and for integers."""
    dtype = np.result_type(*dtypes).newbyteorder("=")
    if dtype == np.float32:
        return dtype
    if dtype.kind in "biu" or dtype == np.float64:
        return np.dtype(np.float64)
    if dtype.kind == "c":
        raise ArgumentError("complex values aren't taken; solve for real and imaginary part as one real system")
    raise ArgumentError(f"values of type {dtype} aren't taken; float32, float64, integers and bool are")


def is_on_gpu(a):
    """Whether a matrix or vector of any package is in the memory of an NVIDIA GPU."""
    package = type(a).__module__.partition(".")[0]
    if package in ("numpy", "scipy", "ostinato"):
        return False
    if package in ("cupy", "cupyx"):
        return True
    if package == "torch":
        return getattr(a, "is_cuda", False)
    if hasattr(a, "__dlpack_device__"):
        return int(a.__dlpack_device__()[0]) in (2, 13)  # kDLCUDA, kDLCUDAManaged
    return hasattr(a, "__cuda_array_interface__")


def _refuse_gpu(what, name):
    if is_on_gpu(what):
        raise TypeError(f"{name} is in the memory of a GPU, but is taken from host memory here: {name}.get() of CuPy "
                        f"or {name}.cpu() of torch copies it there")


def require_rows(shape, rows, name):
    """Throws DimensionError unless an array of a shape is vectors of so many elements."""
    if len(shape) not in (1, 2) or shape[0] != rows:
        raise DimensionError(f"{name} has shape {shape}; A has {rows} rows"
                             if name == "b" else f"{name} has shape {shape} in place of {rows} elements")


def _plain(a, dtype):
    """The array as a contiguous and aligned one of dtype, itself where it is one."""
    if a.dtype == dtype and a.flags.c_contiguous and a.flags.aligned:
        return a
    return np.require(a, dtype, ("C", "A"))


def host_array(a, name="array"):
    """An array-like as a NumPy array that shares its memory where that is host memory.

    Throws TypeError for an array in the memory of a GPU.
    """
    if isinstance(a, np.ndarray):
        return np.asarray(a)
    _refuse_gpu(a, name)
    if type(a).__module__.partition(".")[0] == "torch":
        return a.detach().numpy()
    if hasattr(a, "__dlpack_device__"):
        if int(a.__dlpack_device__()[0]) != 1:
            raise TypeError(f"{name} is in the memory of a device, which isn't taken: copy it to the host")
        return np.from_dlpack(a)
    if hasattr(a, "toarray"):  # a sparse vector
        return np.asarray(a.toarray())
    return np.asarray(a)


def like(x, b):
    """The NumPy array x as an array of the package that b is of; no copy where that package takes NumPy's memory."""
    module = type(b).__module__.partition(".")[0]
    if isinstance(b, np.ndarray) or not hasattr(b, "__dlpack__"):
        return x
    if module == "torch":
        return sys.modules["torch"].from_numpy(x)
    return b.__array_namespace__().asarray(x) if hasattr(b, "__array_namespace__") else x


def vector_of(y, dtype):
    """What a function of the user returns, as a contiguous vector. Throws ArgumentError for values that aren't real."""
    y = np.asarray(y).reshape(-1)
    if not np.can_cast(y.dtype, dtype, "same_kind"):
        value_type(y.dtype)
    return _plain(y, dtype)


def block_of(b, rows, dtype, name):
    """b as columns of dtype: an array of shape (rows, k) whose columns are contiguous."""
    a = host_array(b, name)
    require_rows(a.shape, rows, name)
    if a.dtype != dtype:
        value_type(a.dtype)
        a = a.astype(dtype)
    if a.ndim == 1:
        a = a.reshape(rows, 1)
    return a if a.flags.f_contiguous and a.flags.aligned else np.require(a, requirements=("F", "A"))


def block_in(out, rows, columns, dtype):
    """An array of the caller that takes a result, as columns of dtype. Throws ArgumentError for what can't be one."""
    shapes = ((rows, columns), (rows,)) if columns == 1 else ((rows, columns),)
    if not isinstance(out, np.ndarray) or out.dtype != dtype or out.shape not in shapes:
        raise ArgumentError(f"out isn't an ndarray of {dtype} with {rows} x {columns} elements")
    if not (out.flags.f_contiguous and out.flags.writeable and out.flags.aligned):
        raise ArgumentError("out has to be writable, aligned, and of contiguous columns")
    return out.reshape((rows, columns), order="F")


def _arrays_of(thing):
    """The NumPy arrays that a matrix or vector, or what keeps a matrix, is made of."""
    if isinstance(thing, np.ndarray):
        return [thing]
    if isinstance(thing, Csr):
        return [thing.data, thing.indices, thing.indptr]
    if isinstance(thing, tuple):
        return [a for part in thing for a in _arrays_of(part)]
    if type(thing).__module__.startswith("scipy.sparse.linalg"):
        return _arrays_of(getattr(thing, "A", None))
    if getattr(thing, "_csr", None) is not None:
        return _arrays_of(thing._csr)
    parts = (getattr(thing, name, None) for name in ("data", "indices", "indptr", "row", "col", "offsets"))
    return [a for a in parts if isinstance(a, np.ndarray)]


def require_apart(out, name, *read):
    """Throws ArgumentError where out shares memory with matrices and vectors of that name that are read."""
    for thing in read:
        for array in () if thing is None or isinstance(thing, str) else _arrays_of(thing):
            if np.may_share_memory(out, array) and np.shares_memory(out, array):
                raise ArgumentError(f"out shares memory with {name}, which is read until the end; out needs its own")


class Csr:
    """A matrix in compressed rows, as SciPy's `csr_array` has one; what `read` and `generate` return.

    Attributes
    ----------
    data, indices, indptr : ndarray
        Values, columns (int32) and row pointers (int64), from 0 on.
    shape : tuple of int

    Examples
    --------
    >>> import ostinato as ost
    >>> A = ost.generate("poisson2d:3")
    >>> A.shape, A.nnz
    ((9, 9), 33)
    """

    format = "csr"
    ndim = 2

    def __init__(self, data, indices, indptr, shape):
        self.data, self.indices, self.indptr = data, indices, indptr
        self.shape = (int(shape[0]), int(shape[1]))

    dtype = property(lambda self: self.data.dtype)
    nnz = property(lambda self: len(self.data))

    def is_plain(self):
        """Whether the arrays are as _core takes them; those that a caller brings may not be."""
        arrays = (self.data, self.indices, self.indptr)
        return (self.data.dtype in _NATIVE and self.indices.dtype == np.int32 and self.indptr.dtype == np.int64
                and all(a.ndim == 1 and a.flags.c_contiguous and a.flags.aligned for a in arrays))

    def tocsr(self):
        """The same as a `scipy.sparse.csr_array`, which shares the arrays."""
        from scipy.sparse import csr_array

        indptr = self.indptr.astype(np.int32) if self.nnz <= _LARGEST else self.indptr  # SciPy wants one type for both
        return csr_array((self.data, self.indices, indptr), shape=self.shape)

    def toarray(self):
        """The same as a dense array; duplicates are added up."""
        a = np.zeros(self.shape, self.dtype)
        np.add.at(a, (np.repeat(np.arange(self.shape[0]), np.diff(self.indptr)), self.indices), self.data)
        return a

    def __repr__(self):
        return f"<ostinato.Csr of {self.shape[0]} x {self.shape[1]} with {self.nnz} entries, {self.dtype}>"

    def native(self, dtype):
        """The matrix for _core, which lends the arrays."""
        return native(dtype)[0](*self.shape, self.indptr, self.indices, self.data.astype(dtype, copy=False))


def _integers(a, name, dtype):
    a = host_array(a, name)
    if a.ndim != 1:
        raise ArgumentError(f"{name} of A has {a.ndim} dimensions in place of 1")
    if a.dtype == dtype:
        return _plain(a, dtype)
    if a.dtype.kind not in "iu":
        raise ArgumentError(f"{name} of A is of type {a.dtype}, not of integers")
    check_range(a, name, np.iinfo(dtype).max)
    return _plain(a, dtype)


def _csr_of_arrays(data, indices, indptr, shape):
    if len(shape) != 2 or min(shape) < 0:
        raise ArgumentError(f"the shape of A is {shape}; two numbers are needed")
    if max(shape) > _LARGEST:
        raise ArgumentError(f"A is {shape[0]} x {shape[1]}; {_LARGEST} rows and columns is the most")
    data = host_array(data, "A")
    dtype = value_type(data.dtype)
    if data.ndim != 1:
        raise ArgumentError(f"data of A has {data.ndim} dimensions in place of 1")
    return Csr(_plain(data, dtype), _integers(indices, "indices", np.int32),
               _integers(indptr, "indptr", np.int64), shape)


def _csr_of_dense(a):
    rows, cols = np.nonzero(a)
    indptr = np.searchsorted(rows, np.arange(a.shape[0] + 1))
    return _csr_of_arrays(a[rows, cols], cols, indptr, a.shape)


def csr_of(A):
    """A matrix of SciPy (any format), torch (sparse_csr), JAX (BCSR), a tuple or a dense array as Csr.

    Returns None for what isn't a matrix: a function, or an operator with matvec.
    """
    if isinstance(A, Csr):
        return A if A.is_plain() else _csr_of_arrays(A.data, A.indices, A.indptr, A.shape)
    if isinstance(A, tuple) and len(A) == 4:
        return _csr_of_arrays(*A)
    _refuse_gpu(A, "A")
    if type(A).__module__.startswith("torch"):
        if "sparse" in str(A.layout):
            A = A.detach()
            A = (A.to_sparse() if "sparse_bs" in str(A.layout) else A).to_sparse_csr()  # torch makes no csr of blocks
            return _csr_of_arrays(A.values(), A.col_indices(), A.crow_indices(), tuple(A.shape))
        return _csr_of_dense(host_array(A, "A"))
    if hasattr(A, "tocsr"):
        A = csr_of_scipy(A)
    if all(hasattr(A, name) for name in ("data", "indices", "indptr", "shape")):
        return _csr_of_arrays(*entries_in_use(A), A.indptr, tuple(A.shape))
    if hasattr(A, "matvec") or callable(A):
        return None
    if isinstance(A, (str, bytes)) or hasattr(A, "__fspath__"):
        raise ArgumentError("A is a path; ost.read(path) reads a matrix")
    if A is None:
        raise ArgumentError("A is None; a matrix or an operator is needed")
    a = host_array(A, "A")
    if a.ndim != 2:
        raise DimensionError(f"A has shape {a.shape}; a matrix has two dimensions")
    return _csr_of_dense(a)
