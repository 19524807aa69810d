# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
"""Matrices and vectors in the memory of a GPU: those of CuPy and torch, and of other packages by one of the two.

Neither is imported: the array of a package has brought it along.
"""
import contextlib
import importlib
import sys

import numpy as np

from . import _core
from ._convert import host_array, is_on_gpu, require_rows, value_type
from ._errors import ArgumentError, DeviceError, DimensionError

_NATIVE = {
    np.dtype(np.float64): (_core.GpuCsr64, _core.gpu_columns64),
    np.dtype(np.float32): (_core.GpuCsr32, _core.gpu_columns32),
}
_INDEX, _OFFSET = np.dtype(np.int32), np.dtype(np.int64)


class _CuPy:
    """What is done with CuPy."""

    def __init__(self, module):
        self._module = module

    def on(self, gpu):
        return self._module.cuda.Device(gpu)

    def wait(self, gpu):
        """Until the work on the current stream is done."""
        with self.on(gpu):
            self._module.cuda.get_current_stream().synchronize()

    def is_own(self, a):
        """Whether a is a dense array of the package, which one may write to."""
        return isinstance(a, self._module.ndarray)

    def number(self, a):
        return a.data.device.id

    def dtype(self, a):
        return a.dtype

    def pointer(self, a):
        return a.data.ptr

    def view(self, a, gpu=None):
        """An array of any package as one of CuPy, copied where it is in other memory."""
        if isinstance(a, self._module.ndarray):
            return a
        if hasattr(a, "toarray"):  # a sparse vector
            return a.toarray()
        with contextlib.nullcontext() if gpu is None else self.on(gpu):
            if not is_on_gpu(a):
                return self._module.asarray(host_array(a))
            a = a.detach() if hasattr(a, "detach") else a
            return self._module.from_dlpack(a) if hasattr(a, "__dlpack__") else self._module.asarray(a)

    def cast(self, a, dtype, copy=False):
        return self._module.ascontiguousarray(a.astype(dtype, copy=copy))

    def columns(self, a, dtype):
        return self._module.asarray(a, dtype, order="F")

    def zeros(self, rows, columns, dtype):
        return self._module.zeros((rows, columns), dtype, order="F")

    def parts(self, A):
        if isinstance(A, self._module.ndarray):
            _require_matrix(A.shape)
            rows, cols = A.nonzero()
            return A[rows, cols], cols, self._module.searchsorted(rows, self._module.arange(A.shape[0] + 1)), A.shape
        A = A.tocsr()
        used = int(A.indptr[-1])
        return A.data[:used], A.indices[:used], A.indptr, A.shape

    def summed(self, data, indices, indptr, shape):
        """Rows that ascend, without duplicates."""
        sparse = importlib.import_module("cupyx.scipy.sparse")  # a part of CuPy that it doesn't import itself
        A = sparse.csr_matrix((data, indices, indptr), shape=shape, copy=True)
        A.sum_duplicates()
        return A.data, A.indices, A.indptr


class _Torch:
    """What is done with torch."""

    def __init__(self, module):
        self._module = module

    def on(self, gpu):
        return self._module.cuda.device(gpu)

    def wait(self, gpu):
        self._module.cuda.current_stream(gpu).synchronize()

    def is_own(self, a):
        return isinstance(a, self._module.Tensor) and a.layout == self._module.strided

    def number(self, a):
        return a.device.index

    def dtype(self, a):
        name = str(a.dtype).partition(".")[2]
        try:
            return np.dtype(name)
        except TypeError:
            raise ArgumentError(f"values of type {name} aren't taken; float32, float64, integers and bool are"
                                ) from None

    def pointer(self, a):
        return a.data_ptr()

    def view(self, a, gpu=None):
        if isinstance(a, self._module.Tensor):
            a = a.detach()
        elif not is_on_gpu(a):
            a = self._module.tensor(np.ascontiguousarray(host_array(a)))  # torch takes no negative strides
        elif hasattr(a, "__dlpack__"):
            a = self._module.from_dlpack(a)
        else:
            self._module.cuda.synchronize()  # torch looks at no stream of __cuda_array_interface__
            a = self._module.as_tensor(a)
        a = a.to_dense() if "sparse" in str(a.layout) else a
        return a if gpu is None else a.to(f"cuda:{gpu}")

    def _type(self, dtype):
        return getattr(self._module, dtype.name)

    def cast(self, a, dtype, copy=False):
        return a.detach().to(self._type(dtype), copy=copy).contiguous()

    def columns(self, a, dtype):
        return a.detach().to(self._type(dtype)).t().contiguous().t()

    def zeros(self, rows, columns, dtype):
        return self._module.zeros((columns, rows), dtype=self._type(dtype), device="cuda").t()

    def parts(self, A):
        _require_matrix(A.shape)
        A = A.detach()
        if A.layout in (self._module.sparse_bsr, self._module.sparse_bsc):
            A = A.to_sparse()  # torch makes no csr of blocks
        A = A if A.layout == self._module.sparse_csr else A.to_sparse_csr()
        return A.values(), A.col_indices(), A.crow_indices(), A.shape

    def summed(self, data, indices, indptr, shape):
        rows = self._module.repeat_interleave(self._module.arange(shape[0], device=data.device), indptr.diff())
        places = self._module.stack([rows, indices.to(self._module.int64)])
        A = self._module.sparse_coo_tensor(places, data, shape).coalesce().to_sparse_csr()
        return A.values(), A.col_indices(), A.crow_indices()


_PACKAGES = {"cupy": _CuPy, "torch": _Torch}
_OWN = {"cupy": "cupy", "cupyx": "cupy", "torch": "torch"}


def _name_of(a):
    return type(a).__module__.partition(".")[0]


def _require_matrix(shape):
    if len(shape) != 2:
        raise DimensionError(f"A has shape {tuple(shape)}; a matrix has two dimensions")


def _package_of(a, name):
    """What works on an array in the memory of a GPU: its own package, or one that is there. Throws DeviceError."""
    why = _core.why_no_gpu()
    if why:
        raise DeviceError(f"{name} is in the memory of a GPU, which can't be used: {why}")
    own = _OWN.get(_name_of(a))
    for package in (own,) if own else ("cupy", "torch"):
        if package in sys.modules:
            return _PACKAGES[package](sys.modules[package])
    raise TypeError(f"{name} is an array of {_name_of(a)} in the memory of a GPU: import cupy or torch, by which it is "
                    "taken")


class GpuBlock:
    """Columns in the memory of a GPU: `array` is of CuPy or torch; `dimensions` of what the caller gave."""

    def __init__(self, package, array, dtype, dimensions=2):
        self.package, self.array, self.dtype, self.dimensions = package, array, dtype, dimensions
        self.gpu, self.shape = package.number(array), tuple(array.shape)

    def native(self):
        """The columns for _core, once work on them is done."""
        self.package.wait(self.gpu)
        return _NATIVE[self.dtype][1](self.package.pointer(self.array), *self.shape, self.array)

    def extents(self):
        begin = self.package.pointer(self.array)
        yield begin, begin + self.shape[0] * self.shape[1] * self.dtype.itemsize

    def like(self, b, dimensions):
        """The array with so many dimensions, of the package of b where it is on a GPU, too."""
        a = self.array if dimensions == 2 else self.array.reshape(-1)
        if not is_on_gpu(b) or isinstance(b, type(self.array)) or not hasattr(b, "__array_namespace__"):
            return a
        self.package.wait(self.gpu)
        return b.__array_namespace__().from_dlpack(a)


class GpuCsr:
    """A matrix in compressed rows in the memory of a GPU, by arrays of CuPy or torch; its rows ascend."""

    def __init__(self, package, data, indices, indptr, shape):
        self.package, self.data, self.indices, self.indptr, self.shape = package, data, indices, indptr, shape
        self.dtype, self.gpu = np.dtype(package.dtype(data)), package.number(indptr)

    def native(self, dtype):
        """The matrix for _core, which keeps the arrays, once work on them is done."""
        with self.package.on(self.gpu):
            arrays = self.indptr, self.indices, self.package.cast(self.data, dtype)
        self.package.wait(self.gpu)
        return _NATIVE[dtype][0].of(*self.shape, len(self.data), [self.package.pointer(a) for a in arrays], arrays)

    def extents(self):
        for a in (self.data, self.indices, self.indptr):
            begin = self.package.pointer(a)
            yield begin, begin + a.nbytes

    def __reduce__(self):
        return csr_on_gpu, ((self.data, self.indices, self.indptr, self.shape),)


def facts_of(b, device):
    """Shape and type of a right-hand side in the memory of a GPU, and the device for it.

    Throws ArgumentError for the CPU.
    """
    device = str(device or "auto").lower()
    if device == "cpu":
        raise ArgumentError("device='cpu', but b is in the memory of a GPU: b.get() of CuPy or b.cpu() of torch copies "
                            "it to the host; or leave device out")
    package = _package_of(b, "b")
    a = package.view(b)
    device = f"cuda:{package.number(a)}" if device in ("auto", "cuda") else device
    return tuple(a.shape), np.dtype(package.dtype(a)), device


def block_of(b, rows, dtype, name):
    """b as columns of dtype, itself where it is that."""
    package = _package_of(b, name)
    a = package.view(b)
    require_rows(tuple(a.shape), rows, name)
    value_type(package.dtype(a))
    with package.on(package.number(a)):
        return GpuBlock(package, package.columns(a.reshape(rows, 1) if a.ndim == 1 else a, dtype), dtype, a.ndim)


def new_block(b, rows, columns, dtype):
    """Zeros in the memory of the GPU that has b."""
    package = _package_of(b, "b")
    with package.on(package.number(package.view(b))):
        return GpuBlock(package, package.zeros(rows, columns, dtype), dtype)


def block_in(out, rows, columns, dtype):
    """An array of the caller that takes a result, as columns of dtype. Throws ArgumentError for what can't be one."""
    package = _package_of(out, "out")
    if not package.is_own(out):
        raise ArgumentError(f"out is a {type(out).__name__}; an array of NumPy or CuPy or a dense tensor of torch is "
                            "needed")
    shapes = ((rows, columns), (rows,)) if columns == 1 else ((rows, columns),)
    a = package.view(out)
    if package.dtype(a) != dtype or tuple(a.shape) not in shapes:
        raise ArgumentError(f"out isn't an array of {dtype} with {rows} x {columns} elements")
    with package.on(package.number(a)):
        block = GpuBlock(package, package.columns(a.reshape(rows, 1) if a.ndim == 1 else a, dtype), dtype)
    if package.pointer(block.array) != package.pointer(a):
        raise ArgumentError("out has to be of contiguous columns")
    return block


def set_guess(x, x0):
    """Sets a block to a guess in any memory, or to 0."""
    with x.package.on(x.gpu):
        if x0 is None:
            x.array[...] = 0
            return
        guess = x.package.view(x0, x.gpu)
        require_rows(tuple(guess.shape), x.shape[0], "x0")
        guess = guess.reshape(x.shape[0], 1) if guess.ndim == 1 else guess
        if tuple(guess.shape) != x.shape:
            raise DimensionError(f"x0 has {guess.shape[1]} columns, and b {x.shape[1]}")
        value_type(x.package.dtype(guess))
        x.array[...] = x.package.cast(guess, x.dtype, copy=True)  # it may overlap the caller's array that takes x


def require_apart(x, **read):
    """Throws ArgumentError where a block shares memory with blocks and matrices that are read."""
    (begin, end), = x.extents()
    for name, thing in read.items():
        extents = thing.extents() if isinstance(thing, (GpuBlock, GpuCsr)) else ()
        if any(begin < last and first < end for first, last in extents):
            raise ArgumentError(f"out shares memory with {name}, which is read until the end; out needs its own")


def _check(package, data, indices, indptr, shape):
    """Throws ArgumentError unless the arrays form a matrix."""
    largest = np.iinfo(_INDEX).max
    if min(shape) < 0 or max(shape) > largest:
        raise ArgumentError(f"A is {shape[0]} x {shape[1]}; 0 to {largest} rows and columns are taken")
    for a, name in ((data, "data"), (indices, "indices"), (indptr, "indptr")):
        if a.ndim != 1:
            raise ArgumentError(f"{name} of A has {a.ndim} dimensions in place of 1")
        if name != "data" and np.dtype(package.dtype(a)).kind not in "iu":
            raise ArgumentError(f"{name} of A is of type {a.dtype}, not of integers")
    if len(indptr) != shape[0] + 1:
        raise ArgumentError(f"indptr of A has {len(indptr)} elements in place of {shape[0] + 1}")
    if len(indices) != len(data):
        raise ArgumentError(f"indices of A has {len(indices)} elements, and data {len(data)}")
    if int(indptr[0]) != 0 or int(indptr[-1]) != len(data) or bool((indptr[1:] < indptr[:-1]).any()):
        raise ArgumentError(f"indptr of A doesn't rise from 0 to {len(data)}, the number of entries")
    if len(indices) and not (0 <= int(indices.min()) and int(indices.max()) < shape[1]):
        raise ArgumentError(f"indices of A holds {int(indices.min())} to {int(indices.max())}; 0 to {shape[1] - 1} are "
                            "its columns")


def _ascends(indices, indptr):
    """Whether the columns of each row ascend, without duplicates."""
    falls = indices[1:] <= indices[:-1]
    starts = indptr[1:-1]
    falls[starts[(starts > 0) & (starts < len(indices))] - 1] = False
    return not bool(falls.any())


def csr_on_gpu(A, copy=False):
    """A matrix in the memory of a GPU as GpuCsr, which shares its arrays where they are as needed; None for another.

    cupyx.scipy.sparse in any format, torch in any layout, a tuple (data, indices, indptr, shape), or a dense array.
    """
    if isinstance(A, GpuCsr):
        return A
    is_tuple = isinstance(A, tuple) and len(A) == 4
    if not is_on_gpu(A[0] if is_tuple else A):
        return None
    if hasattr(A, "matvec"):
        raise ArgumentError(f"A is a {type(A).__name__} of {_name_of(A)}, whose entries are needed: give the matrix")
    package = _package_of(A[0] if is_tuple else A, "A")
    values = package.view(A[0]) if is_tuple else A if _name_of(A) in _OWN else package.view(A)
    gpu = package.number(values)
    with package.on(gpu):
        data, indices, indptr, shape = ((values, package.view(A[1], gpu), package.view(A[2], gpu), A[3]) if is_tuple
                                        else package.parts(values))
        shape = tuple(int(n) for n in shape)
        _require_matrix(shape)
        data = package.cast(data, value_type(package.dtype(data)), copy)
        _check(package, data, indices, indptr, shape)
        indptr = package.cast(indptr, _OFFSET, copy)
        if not _ascends(indices, indptr):
            data, indices, indptr = package.summed(data, indices, indptr, shape)
        return GpuCsr(package, data, package.cast(indices, _INDEX, copy), package.cast(indptr, _OFFSET), shape)
