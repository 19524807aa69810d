# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
"""SciPy's matrices in compressed rows. SciPy's conversions look at no index, so that wrong ones end the process."""
import numpy as np

from ._errors import ArgumentError


def csr_of_scipy(A):
    """A.tocsr(), once the arrays of A fit together. Throws ArgumentError that names the array that doesn't."""
    check = _CHECKS.get(getattr(A, "format", None))
    if check is not None:
        check(A)
    return A.tocsr()


def entries_in_use(A):
    """data and indices of compressed rows, without the room that SciPy allows behind the last row."""
    used = int(A.indptr[-1]) if getattr(A, "format", None) == "csr" and np.size(A.indptr) else None
    if used is None or not 0 <= used < len(A.indices) == len(A.data):
        return A.data, A.indices
    return A.data[:used], A.indices[:used]


def check_range(a, name, largest):
    """Throws ArgumentError unless all integers of a are 0 to largest."""
    if a.size and int(a.max()) > largest:
        raise ArgumentError(f"{name} of A holds {int(a.max())}; {largest} is the largest")
    if a.size and int(a.min()) < 0:
        raise ArgumentError(f"{name} of A holds {int(a.min())}; 0 is the smallest")


def _check_indices(a, name, number):
    if a.ndim != 1 or a.dtype.kind not in "iu":
        raise ArgumentError(f"{name} of A isn't a vector of integers")
    check_range(a, name, number - 1)


def _check_length(a, name, length):
    if len(a) != length:
        raise ArgumentError(f"{name} of A has {len(a)} elements in place of {length}")


def _check_compressed(A):
    """Columns, or rows of blocks."""
    rows, columns = A.shape if A.format == "bsr" else A.shape[::-1]
    if A.format == "bsr":
        if A.data.ndim != 3 or 0 in A.data.shape[1:] or rows % A.data.shape[1] or columns % A.data.shape[2]:
            raise ArgumentError(f"data of A has shape {A.data.shape}: no blocks that {rows} x {columns} holds")
        rows, columns = rows // A.data.shape[1], columns // A.data.shape[2]
    _check_length(A.indptr, "indptr", rows + 1)
    _check_length(A.data, "data", len(A.indices))
    _check_indices(A.indptr, "indptr", len(A.indices) + 1)
    if A.indptr[0] != 0 or np.any(A.indptr[1:] < A.indptr[:-1]):
        raise ArgumentError("indptr of A doesn't rise from 0")
    _check_indices(A.indices[:A.indptr[-1]], "indices", columns)


def _check_coordinates(A):
    for indices, name, number in zip((A.row, A.col), ("row", "col"), A.shape):
        _check_length(indices, name, len(A.data))
        _check_indices(indices, name, number)


def _check_diagonals(A):
    if A.data.ndim != 2:
        raise ArgumentError(f"data of A has {A.data.ndim} dimensions in place of 2")
    _check_length(A.offsets, "offsets", A.data.shape[0])


def _check_lists(A):
    _check_length(A.rows, "rows", A.shape[0])
    _check_length(A.data, "data", A.shape[0])
    for indices, values in zip(A.rows, A.data):
        if len(indices) != len(values):
            raise ArgumentError(f"a row of A has {len(indices)} columns, but {len(values)} values")


_CHECKS = {"csc": _check_compressed, "bsr": _check_compressed, "coo": _check_coordinates, "dia": _check_diagonals,
           "lil": _check_lists}
