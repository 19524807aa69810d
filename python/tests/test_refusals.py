# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
"""What would give a wrong answer, or end the process, is refused with a word about what is wrong."""
import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as spla

import ostinato as ost
import ostinato.scipy as ours
from conftest import residual

N = 576  # rows of the fixture poisson


class TestOut:
    """`out` that shares memory with what the solve reads."""

    @staticmethod
    def refused(A, b, out, match, x0=None, **given):
        kept, x0_kept, out_kept = np.copy(b), np.copy(x0) if x0 is not None else None, out.copy()
        for solve in (lambda: ost.solve(A, b, x0, out=out, **given), lambda: ost.Solver(A, **given).solve(b, x0, out=out)):
            with pytest.raises(ost.ArgumentError, match=match):
                solve()
        assert np.array_equal(b, kept) and np.array_equal(out, out_kept)
        assert x0 is None or np.array_equal(x0, x0_kept)

    def test_with_the_values_of_A(self, poisson):
        self.refused(poisson, np.ones(N), poisson.data[:N], "out.*A")

    @pytest.mark.parametrize("of", ["indices", "indptr"])
    def test_with_the_pattern_of_A(self, of, poisson):
        A = ost.generate("poisson2d:24")
        array = getattr(A, of)
        room = array.view(np.uint8)[array.nbytes % 8:].view(float)
        self.refused(A, np.ones(N), room[:N], "out.*A")

    @pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_array, sp.coo_array, sp.bsr_array, np.asarray],
                             ids=lambda k: k.__name__)
    def test_with_other_kinds_of_A(self, kind, poisson):
        A = kind(poisson.toarray())
        values = A if isinstance(A, np.ndarray) else A.data
        with pytest.raises(ost.ArgumentError, match="out.*A"):
            ost.solve(A, np.ones(N), out=values.reshape(-1)[:N])
        assert abs(A - poisson).max() == 0

    def test_with_the_values_of_a_tuple(self, poisson):
        A = (poisson.data, poisson.indices, poisson.indptr, poisson.shape)
        self.refused(A, np.ones(N), poisson.data[5:N + 5], "out.*A")

    def test_with_an_operators_matrix(self, poisson):
        self.refused(ost.Operator(poisson), np.ones(N), poisson.data[:N], "out.*A")

    def test_with_a_preconditioner(self, poisson):
        M = np.linalg.inv(poisson.toarray())
        self.refused(poisson, np.ones(N), M[0], "out.*preconditioner", preconditioner=M)
        M = sp.csr_array(M)
        self.refused(poisson, np.ones(N), M.data[:N], "out.*preconditioner", preconditioner=M)

    @pytest.mark.parametrize("shift", [0, 1, 200])
    def test_with_b(self, shift, poisson):
        room = np.ones(2 * N)
        self.refused(poisson, room[:N], room[shift:N + shift], "out.*b")

    def test_with_columns_of_b(self, poisson):
        room = np.ones((N, 3), order="F")
        self.refused(poisson, room[:, :2], room[:, 1:], "out.*b")

    def test_with_a_copied_b(self, poisson):
        room = np.ones((N, 2))  # rows after one another: the columns are copied
        assert residual(poisson, room[:, 0], ost.solve(poisson, room[:, 0], out=np.zeros(N)).x) <= 1e-8

    @pytest.mark.parametrize("shift", [1, 200])
    def test_with_a_part_of_x0(self, shift, poisson):
        room = np.ones(2 * N)
        self.refused(poisson, np.ones(N), room[shift:N + shift], "out.*x0", x0=room[:N])

    def test_may_be_x0(self, poisson, rng):
        b = rng.standard_normal(N)
        x = ost.solve(poisson, b).x
        again = ost.solve(poisson, b, x, out=x)
        assert again.x is x and again.iterations == 0 and residual(poisson, b, x) <= 1e-8

    def test_has_to_be_writable_and_aligned(self, poisson):
        out = np.zeros(N)
        out.flags.writeable = False
        self.refused(poisson, np.ones(N), out, "out")
        self.refused(poisson, np.ones(N), np.zeros(8 * N + 8, np.uint8)[1:8 * N + 1].view(float), "out")


def with_wrong(A, name, value):
    setattr(A, name, value)
    return A


def changed(a, at, to):
    a = a.copy()
    a[at] = to
    return a


COMPRESSED = {
    "index too large": lambda A: with_wrong(A, "indices", changed(A.indices, 3, 10**6)),
    "index just too large": lambda A: with_wrong(A, "indices", changed(A.indices, -1, A.shape[0])),
    "negative index": lambda A: with_wrong(A, "indices", changed(A.indices, 0, -1)),
    "falling pointer": lambda A: with_wrong(A, "indptr", changed(A.indptr, 4, 10**6)),
    "negative pointer": lambda A: with_wrong(A, "indptr", changed(A.indptr, 4, -7)),
    "pointer beyond the end": lambda A: with_wrong(A, "indptr", changed(A.indptr, -1, 10**7)),
    "first pointer": lambda A: with_wrong(A, "indptr", changed(A.indptr, 0, 1)),
    "few pointers": lambda A: with_wrong(A, "indptr", A.indptr[:-3]),
    "no pointers": lambda A: with_wrong(A, "indptr", A.indptr[:0]),
    "many pointers": lambda A: with_wrong(A, "indptr", np.r_[A.indptr, A.indptr[-1]]),
    "few indices": lambda A: with_wrong(A, "indices", A.indices[:5]),
    "few values": lambda A: with_wrong(A, "data", A.data[:5]),
    "indices of two dimensions": lambda A: with_wrong(A, "indices", np.stack([A.indices, A.indices])),
    "indices that are no integers": lambda A: with_wrong(A, "indices", A.indices + 0.5),
}
OTHERS = {
    "coo: row too large": lambda A: with_wrong(A.tocoo(), "row", changed(A.tocoo().row, 3, 10**6)),
    "coo: negative column": lambda A: with_wrong(A.tocoo(), "col", changed(A.tocoo().col, 3, -10**6)),
    "coo: few values": lambda A: with_wrong(A.tocoo(), "data", A.data[:5]),
    "dia: few offsets": lambda A: with_wrong(A.todia(), "offsets", A.todia().offsets[:1]),
    "dia: data of one dimension": lambda A: with_wrong(A.todia(), "data", np.ones(5)),
    "bsr: blocks of another shape": lambda A: with_wrong(A.tobsr((2, 2)), "data", np.ones((5, 3, 3))),
    "lil: few rows": lambda A: with_wrong(A.tolil(), "rows", A.tolil().rows[:5]),
}


def refused_everywhere(A):
    b = np.ones(N)
    calls = [lambda: ost.solve(A, b), lambda: ost.Solver(A), lambda: ost.Operator(A), lambda: ost.inspect(A),
             lambda: ost.preconditioner("jacobi", A)]
    for call in calls if isinstance(A, tuple) else [*calls, lambda: ours.cg(A, b), lambda: ours.lsmr(A, b)]:
        with pytest.raises(ost.Error) as error:
            call()
        assert isinstance(error.value, ValueError)


@pytest.mark.parametrize("kind", ["csr", "csc", "bsr"])
@pytest.mark.parametrize("what", COMPRESSED)
def test_corrupt_compressed_matrices(kind, what, poisson):
    make = {"csr": poisson.copy, "csc": poisson.tocsc, "bsr": lambda: poisson.tobsr((2, 2))}[kind]
    refused_everywhere(COMPRESSED[what](make()))


@pytest.mark.parametrize("what", OTHERS)
def test_corrupt_matrices_of_other_kinds(what, poisson):
    refused_everywhere(OTHERS[what](poisson))


@pytest.mark.parametrize("wrong", [
    lambda A: (A.data[:5], A.indices, A.indptr, A.shape),
    lambda A: (A.data, A.indices, A.indptr[:5], A.shape),
    lambda A: (A.data, A.indices.reshape(2, -1), A.indptr, A.shape),
    lambda A: (A.data.reshape(2, -1), A.indices, A.indptr, A.shape),
    lambda A: (A.data, A.indices, A.indptr, (N, -N)),
    lambda A: (A.data, A.indices, A.indptr, (N,)),
    lambda A: ost.Csr(A.data, A.indices + N, A.indptr, A.shape),
    lambda A: ost.Csr(A.data * 1j, A.indices, A.indptr, A.shape),
], ids=range(8))
def test_corrupt_arrays(wrong, poisson):
    refused_everywhere(wrong(poisson))


def test_unusual_arrays_are_taken(poisson, rng):
    """Room behind the last row, other integers, the other order of bytes, memory that isn't aligned."""
    b, A = rng.standard_normal(N), poisson.copy()
    A.data, A.indices = np.r_[A.data, np.nan], np.r_[A.indices, -1]
    raw = np.zeros(8 * N + 1, np.uint8)
    raw[1:] = b.view(np.uint8)
    whole = (poisson.data, poisson.indices, poisson.indptr, poisson.shape)
    swapped = poisson.data.astype(poisson.data.dtype.newbyteorder())
    for given, right in ((A, b), (ost.Csr(*whole), b), ((swapped, *whole[1:]), b.astype(b.dtype.newbyteorder())),
                         ((whole[0], whole[1].astype(np.uint16), whole[2].astype(np.uint64), whole[3]), raw[1:].view(float))):
        assert residual(poisson, b, ost.solve(given, right, rtol=1e-9).x) <= 1e-9


NOT_REAL = {"complex": lambda v: v * (1 + 1j), "objects": lambda v: v.astype(object), "text": lambda v: np.full(len(v), "a")}


@pytest.mark.parametrize("kind", NOT_REAL)
def test_functions_return_real_numbers(kind, poisson):
    """A complex result isn't cut to its real part, wherever a function is taken."""
    b, cut = np.ones(N), NOT_REAL[kind]

    def wrong(v):
        return cut(poisson @ v)

    op = spla.LinearOperator(poisson.shape, matvec=wrong, rmatvec=wrong, dtype=float)
    both = ost.Operator(shape=(N, N), matvec=lambda v: poisson @ v, rmatvec=wrong)
    for call in (lambda: ost.solve(op, b), lambda: ost.Operator(shape=(N, N), matvec=wrong) @ b, lambda: both.rmatvec(b),
                 lambda: both.T @ b, lambda: ost.solve(poisson, b, preconditioner=wrong),
                 lambda: ost.solve(poisson, b, preconditioner=op), lambda: ost.solve(both, b, solver="lsmr"),
                 lambda: ours.cg(op, b), lambda: ours.gmres(poisson, b, M=op), lambda: ours.lsmr(op, b),
                 lambda: ours.minres(op, b, shift=0.1), lambda: ours.bicgstab(poisson, b, M=op, x0="Mb")):
        with pytest.raises(ost.ArgumentError, match="complex|type"):
            call()


@pytest.mark.parametrize("x0", [np.ones(N) * 1j, np.full(N, "a"), np.ones(N, object)], ids=["complex", "text", "objects"])
def test_guesses_are_real(x0, poisson):
    for solve in (ost.solve, ours.cg, ours.bicgstab, ours.gmres, ours.minres, ours.gcrotmk):
        with pytest.raises(ost.ArgumentError):
            solve(poisson, np.ones(N), x0=x0)
    with pytest.raises(ost.ArgumentError):
        ours.lsmr(poisson, np.ones(N), x0=x0)


@pytest.mark.parametrize("given", [
    {"maxiter": -1}, {"maxiter": 10.5}, {"maxiter": np.nan}, {"maxiter": np.inf}, {"maxiter": 2**40}, {"maxiter": "10"},
    {"restart": 0}, {"restart": -1}, {"restart": 2.5}, {"restart": "many"}, {"recycle": 0}, {"recycle": -3},
    {"shadow": 0}, {"shadow": 7}, {"rtol": -1e-8}, {"rtol": np.nan}, {"rtol": 1j}, {"atol": -1}, {"atol": np.nan},
    {"time_limit": -1}, {"time_limit": np.nan}, {"mem_limit": -1}, {"mem_limit": "-2G"}, {"mem_limit": "inf"},
    {"mem_limit": np.inf}, {"mem_limit": np.nan}, {"mem_limit": []}, {"divergence_limit": -1}, {"check_every": -1},
    {"history": "no"}, {"callback": 3}, {"right_sides": -1}, {"right_sides": 0},
], ids=str)
def test_numbers_that_cant_be(given, poisson):
    name, = given
    for call in (lambda: ost.solve(poisson, np.ones(N), **given), lambda: ost.Solver(poisson, **given),
                 lambda: ost.Solver(poisson, None).solve(np.ones(N), **given)):
        with pytest.raises(ost.ArgumentError, match=name):
            call()


def test_numbers_of_many_kinds_are_taken(poisson, rng):
    b = rng.standard_normal(N)
    few = dict(solver="gmres", preconditioner=None, on_failure="ignore")
    for three in (3, 3.0, np.int64(3), np.float64(3), np.uint8(3), np.array(3)):
        assert ost.solve(poisson, b, maxiter=three, **few).iterations == 3
        assert ost.solve(poisson, b, restart=three, maxiter=9, **few).iterations == 9
        assert ours.cg(poisson, b, maxiter=three, rtol=1e-12)[1] == 3
        assert ours.gmres(poisson, b, maxiter=three, restart=three, rtol=1e-12)[1] == 3
    assert ost.solve(poisson, b, maxiter=1e3, restart="auto", recycle="auto", symmetric=np.True_, history=1,
                     rtol=np.float32(1e-6), mem_limit=np.int64(10**9)).converged


@pytest.mark.parametrize("name", ["cg", "bicgstab", "gmres", "minres", "gcrotmk"])
@pytest.mark.parametrize("given", [{"maxiter": -1}, {"maxiter": 2.5}, {"maxiter": np.nan}, {"maxiter": "10"},
                                   {"rtol": -1.0}, {"rtol": np.nan}, {"rtol": 1j}], ids=str)
def test_methods_like_scipys_look_at_their_numbers(name, given, poisson):
    with pytest.raises(ValueError, match=next(iter(given))):
        getattr(ours, name)(poisson, np.ones(N), **given)


@pytest.mark.parametrize("call", [
    lambda A, b: ours.gmres(A, b, restart=0), lambda A, b: ours.gmres(A, b, restart=-2),
    lambda A, b: ours.gmres(A, b, restart=1.5), lambda A, b: ours.gcrotmk(A, b, m=0), lambda A, b: ours.gcrotmk(A, b, k=-1),
    lambda A, b: ours.gcrotmk(A, b, m=2.5), lambda A, b: ours.lsmr(A, b, maxiter=-1), lambda A, b: ours.lsmr(A, b, atol=-1.0),
    lambda A, b: ours.lsmr(A, b, btol=np.nan), lambda A, b: ours.lsmr(A, b, damp=np.inf), lambda A, b: ours.lsmr(A, b, damp=1j),
    lambda A, b: ours.cg(A, b, atol=-1.0), lambda A, b: ours.minres(A, b, shift=1j), lambda A, b: ours.minres(A, b, shift=np.nan),
], ids=range(14))
def test_numbers_of_single_methods(call, poisson):
    with pytest.raises(ValueError):
        call(poisson, np.ones(N))


def test_gcrotmk_without_recycling(poisson, rng):
    b = rng.standard_normal(N)
    x, info = ours.gcrotmk(poisson, b, k=0, rtol=1e-8)
    assert info == 0 and residual(poisson, b, x) <= 1e-8


SWAP = sp.csr_array([[0.0, 1.0], [1.0, 0.0]])  # no diagonal


@pytest.mark.parametrize("call", [
    lambda A, b: ost.Solver(A, "lu", mem_limit="10k"),
    lambda A, b: ost.preconditioner("lu", A, mem_limit="10k"),
    lambda A, b: ost.Solver(A, None, solver="gmres").solve(b, restart=400, mem_limit="100k"),
    lambda A, b: ost.Solver(A, None, solver="gcrodr").solve(b, restart=400, recycle=200, mem_limit="100k"),
    *(lambda A, b, name=name: ost.preconditioner(name, SWAP)
      for name in ("jacobi", "ssor", "chebyshev", "fsai", "ic0", "multigrid")),
    lambda A, b: ost.preconditioner("multigrid:kind=structured", ost.generate("mesh2d:10")),
    lambda A, b: ost.Operator(shape=A.shape, matvec=lambda v: v).rmatvec(b),
    lambda A, b: ost.solve(ost.Operator(shape=A.shape, matvec=lambda v: v), b, solver="lsmr"),
    lambda A, b: ost.solve(A, b, solver="cgg"),
    lambda A, b: ost.generate("poisson2d:0"),
    lambda A, b: ost.generate("poisson9d:4"),
    lambda A, b: ost.solve(A[:, :-1], b, solver="cg"),
    lambda A, b: ost.solve(A, np.ones(3), solver="cg"),
], ids=range(18))
def test_errors_have_no_words_of_the_program(call, poisson):
    with pytest.raises(ost.Error) as error:
        call(poisson, np.ones(N))
    assert "--" not in str(error.value) and "ostinato solve" not in str(error.value)


def test_inspections_have_no_words_of_the_program():
    report = repr(ost.inspect(ost.generate("elasticity3d:16")))
    assert "--" not in report.replace("---", "")


def test_inspections_pickle(poisson):
    import copy
    import pickle

    i = ost.inspect(poisson, thorough=True)
    for again in (pickle.loads(pickle.dumps(i)), copy.copy(i), copy.deepcopy(i)):
        assert repr(again) == repr(i) and again._repr_html_() == i._repr_html_() and again.facts == i.facts
        assert again.findings == i.findings and again.solver == i.solver
