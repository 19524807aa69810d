# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
"""Matrices from files and generators, and what a matrix is."""
import os

import numpy as np

from . import _core
from ._convert import Csr, csr_of, value_type
from ._errors import ArgumentError
from ._solver import interrupt


def _csr(parts):
    rows, cols, indptr, indices, data = parts
    return Csr(data, indices, indptr, (rows, cols))


def read(path, dtype=float):
    """A matrix from a Matrix Market file, gzipped or not; a vector from a .npy or .txt file.

    Examples
    --------
    >>> import ostinato as ost
    >>> ost.read("nowhere.mtx")
    Traceback (most recent call last):
    ostinato._errors.FormatError: nowhere.mtx: can't be opened: No such file or directory
    """
    path = os.fspath(path)
    if path.endswith((".npy", ".txt")):
        return _core.read_vector(path).astype(dtype, copy=False)
    return _csr((_core.read64 if value_type(np.dtype(dtype)) == np.float64 else _core.read32)(path))


def generate(name, dtype=float):
    """A matrix of a family of the program: "poisson3d:64", "convection-diffusion2d:100:peclet=5".

    Examples
    --------
    >>> import ostinato as ost
    >>> ost.generate("poisson3d:4")
    <ostinato.Csr of 64 x 64 with 352 entries, float64>
    """
    return _csr((_core.generate64 if value_type(np.dtype(dtype)) == np.float64 else _core.generate32)(name))


class Inspection:
    """What `inspect` found out: prints as the program's table, shows its pictures in a notebook, and pickles.

    Attributes
    ----------
    findings : list of (subject, weight, text)
        weight: fact, good, caution or trouble.
    facts : dict
        shape, nnz, symmetric, definiteness, condition (a lower bound, or None), and the choices of "auto".
    """

    def __init__(self, report, thorough):
        self.findings, self.facts = report.findings, report.facts
        self._text, self._part, self._page = (show(thorough) for show in (report.text, report.part, report.page))

    def __getattr__(self, name):
        if not name.startswith("_") and name in self.__dict__.get("facts", ()):
            return self.facts[name]
        raise AttributeError(name)

    def __repr__(self):
        return self._text

    def _repr_html_(self):
        return self._part

    def save(self, path):
        """Writes the page of `ostinato inspect --html`."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._page)


def inspect(A, name="A", thorough=False):
    """Examines a matrix: structure, definiteness, condition, the formats and preconditioners that suit it.

    Parameters
    ----------
    A : sparse matrix or array
    name : str
        Of the matrix, for the report.
    thorough : bool
        Nothing is left out, however long that takes; otherwise about a second.

    Returns
    -------
    Inspection

    Examples
    --------
    >>> import ostinato as ost
    >>> i = ost.inspect(ost.generate("poisson2d:20"))
    >>> i.symmetric, i.definiteness, i.solver
    (True, 'positive definite', 'cg')
    """
    csr = csr_of(A)
    if csr is None:
        raise ArgumentError("inspect: A has no entries; a matrix is needed")
    report, error = _core.inspect(csr.native(csr.dtype), name, thorough)
    if error is not None:
        interrupt(error, None)
    return Inspection(report, thorough)


def cuda_available():
    """Whether this build has GPU code and the machine a GPU that it can use."""
    return _core.why_no_gpu() == ""
