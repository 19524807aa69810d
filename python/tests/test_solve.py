# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
import copy
import json
import pickle
import threading
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as spla

import ostinato as ost
from conftest import residual


@pytest.mark.parametrize("solver", ost.solvers())
@pytest.mark.parametrize("kind", ["csr_matrix", "csr_array", "coo_duplicates", "int64", "csc_array", "bsr_array", "tuple"])
def test_each_method_solves_each_kind_of_matrix(solver, kind, poisson, rng):
    b = rng.standard_normal(poisson.shape[0])
    A = {
        "csr_matrix": sp.csr_matrix,
        "csr_array": sp.csr_array,
        "csc_array": sp.csc_array,
        "bsr_array": lambda a: a.tobsr((2, 2)),
        "coo_duplicates": lambda a: sp.coo_array((np.r_[a.tocoo().data, a.tocoo().data] / 2,
                                                  (np.r_[a.tocoo().row, a.tocoo().row],
                                                   np.r_[a.tocoo().col, a.tocoo().col])), shape=a.shape),
        "int64": lambda a: sp.csr_array((a.data, a.indices.astype(np.int64), a.indptr.astype(np.int64)), shape=a.shape),
        "tuple": lambda a: (a.data, a.indices, a.indptr, a.shape),
    }[kind](poisson)
    r = ost.solve(A, b, solver=solver, rtol=1e-9)
    assert r.converged and r.solver == solver
    assert residual(poisson, b, r.x) <= 1e-9
    np.testing.assert_allclose(r.x, spla.spsolve(poisson.tocsc(), b), rtol=1e-5, atol=1e-6 * abs(r.x).max())


def test_result_says_how_it_went(poisson):
    b = np.ones(poisson.shape[0])
    r = ost.solve(poisson, b, rtol=1e-9)
    assert bool(r) and r.status == "converged" and r.iterations > 0
    np.testing.assert_allclose(r.residual, np.linalg.norm(b - poisson @ r.x), rtol=1e-3)
    np.testing.assert_allclose(r.relative_residual, residual(poisson, b, r.x), rtol=1e-3)
    assert len(r.history) == r.iterations + 1 and r.history[0] == 1 and r.history[-1] <= 1e-9
    assert not r.history.flags.writeable and r.history.base is not None
    x, info = r
    assert x is r.x is r.check() and info == 0
    assert r.to_dict()["solver"] == r.solver and r.set_up["format"] and r.device
    assert json.loads(json.dumps(r.to_dict()))["history"] == list(r.history)
    assert repr(r.results[0]).startswith("<ostinato.Result: ") and r.message in repr(r.results[0])
    assert "converged" in repr(r)


def test_failure_warns_raises_or_is_silent(rng):
    A = ost.generate("poisson2d:60").tocsr()
    b = rng.standard_normal(A.shape[0])
    few = dict(maxiter=2, preconditioner=None)
    with pytest.warns(ost.ConvergenceWarning, match="iteration limit") as caught:
        r = ost.solve(A, b, **few)
    assert caught[0].filename == __file__
    assert not r and r.info == 2 and r.status == "iteration_limit" and np.isfinite(r.x).all()
    with pytest.raises(ost.NotConverged) as error:
        r.check()
    assert error.value.result is r
    with pytest.raises(ost.NotConverged):
        ost.solve(A, b, on_failure="raise", **few)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ost.solve(A, b, on_failure="ignore", **few)
    with pytest.raises(ost.ArgumentError, match="known: warn"):
        ost.solve(A, b, on_failure="shout")


def test_numbers_that_arent_finite_are_named(poisson):
    b = np.ones(poisson.shape[0])
    b[5] = np.nan
    with pytest.warns(ost.ConvergenceWarning):
        r = ost.solve(poisson, b)
    assert r.status == "not_finite" and r.info == -1 and np.isfinite(r.x).all()


@pytest.mark.parametrize("order", ["C", "F"])
def test_columns_share_a_set_up(order, poisson, rng):
    B = np.asarray(rng.standard_normal((poisson.shape[0], 3)), order=order)
    r = ost.solve(poisson, B, rtol=1e-9)
    assert r.x.shape == B.shape and len(r.iterations) == 3 == len(r.results) and r.converged
    assert residual(poisson, B, r.x) <= 1e-9
    one = ost.solve(poisson, B[:, :1], rtol=1e-9)
    assert one.x.shape == (poisson.shape[0], 1) and isinstance(one.iterations, int)


def test_guess_and_out(poisson, rng):
    b = rng.standard_normal(poisson.shape[0])
    S = ost.Solver(poisson, rtol=1e-9)
    first = S.solve(b)
    guess = first.x.copy()
    again = S.solve(b, x0=guess)
    assert again.iterations == 0 and np.array_equal(guess, first.x)
    out = np.full_like(b, np.nan)
    r = S.solve(b, out=out)
    assert r.x is out and np.array_equal(out, first.x)
    with pytest.raises(ost.ArgumentError, match="out"):
        S.solve(b, out=np.zeros(3))


def test_single_precision(poisson):
    A, b = poisson.astype(np.float32), np.ones(poisson.shape[0], np.float32)
    r = ost.solve(A, b)
    assert r.x.dtype == np.float32 and r.converged and residual(poisson, b, r.x) <= 1.1e-5
    assert ost.solve(A, b.astype(float)).x.dtype == np.float64


@pytest.mark.parametrize("bad, what", [
    (lambda A, b: (A, b[:-1]), "shape"),
    (lambda A, b: (A, b * 1j), "complex"),
    (lambda A, b: (A, b.astype(np.float16)), "float16"),
    (lambda A, b: ((A.data, A.indices + 5, A.indptr, A.shape), b), "column"),
    (lambda A, b: ((A.data, A.indices.astype(np.int64) + 2**31, A.indptr, A.shape), b), "largest"),
    (lambda A, b: ((A.data, A.indices, A.indptr, (2**31, 2**31)), b), "most"),
    (lambda A, b: (A.astype(complex), b), "complex"),
    (lambda A, b: (np.ones(3), b), "two dimensions"),
])
def test_bad_input_is_named(bad, what, poisson):
    A, b = bad(poisson, np.ones(poisson.shape[0]))
    with pytest.raises(ValueError, match=what) as error:
        ost.solve(A, b)
    assert isinstance(error.value, ost.Error)


@pytest.mark.parametrize("given, what", [
    ({"solver": "cgg"}, "cg"),
    ({"preconditioner": "ilutt"}, "ilut"),
    ({"preconditioner": "multigrid:kidn=x"}, "kind"),
    ({"format": "crs2"}, "csr"),
    ({"device": "tpu"}, "cuda"),
    ({"effort": "much"}, "thorough"),
    ({"rtol": -1.0}, "rtol"),
    ({"rtol": "small"}, "rtol"),
    ({"tolerance": 1e-3}, "tolerance"),
    ({"mem_limit": "2 lots"}, "units"),
])
def test_options_are_checked(given, what, poisson):
    with pytest.raises(ost.ArgumentError, match=what):
        ost.solve(poisson, np.ones(poisson.shape[0]), **given)


@pytest.mark.parametrize("value", [None, 3])
@pytest.mark.parametrize("name, what", [("maxitr", "did you mean maxiter"), ("rtoll", "did you mean rtol"), ("tol", "it is rtol"),
                                        ("foo", "known: rtol")])
def test_misspelt_options_are_named(name, what, value, poisson):
    """Also where they say nothing, and where they are to hold for calls that follow."""
    b, S, wrong = np.ones(poisson.shape[0]), ost.Solver(poisson), {name: value}
    for call in (lambda: ost.solve(poisson, b, **wrong), lambda: ost.Solver(poisson, **wrong), lambda: ost.options(**wrong),
                 lambda: S.solve(b, **wrong), lambda: ost.Solver(poisson, lambda r: r, **wrong)):
        with pytest.raises(ost.ArgumentError, match=what):
            call()
    with pytest.raises(ost.ArgumentError, match="unknown option 'device'"):
        S.solve(b, device=None)  # of a set-up


def test_gpu_that_isnt_there_is_named(poisson):
    if ost.cuda_available():
        r = ost.solve(poisson, np.ones(poisson.shape[0]), device="cuda")
        assert r.converged and residual(poisson, np.ones(poisson.shape[0]), r.x) <= 1e-8
    else:
        with pytest.raises(ost.DeviceError):
            ost.solve(poisson, np.ones(poisson.shape[0]), device="cuda")


def test_limits(rng):
    A = ost.generate("poisson2d:200").tocsr()
    with pytest.raises(MemoryError) as error:
        ost.Solver(A, "lu", mem_limit="100k")
    assert isinstance(error.value, ost.MemoryLimitError)
    for amount in ("100 kB", "97KiB", 1e5, np.int64(10**5)):
        with pytest.raises(ost.MemoryLimitError, match="limit is"):
            ost.preconditioner("lu", A, mem_limit=amount)
    bound = ost.Solver(A, mem_limit="2MiB", effort="thorough")
    r = bound.solve(rng.standard_normal(A.shape[0]), on_failure="ignore")
    assert max(stage["preconditioner_bytes"] for stage in r.stages or [{"preconditioner_bytes": 0}]) <= 2**21
    with pytest.warns(ost.ConvergenceWarning):
        r = ost.solve(A, rng.standard_normal(A.shape[0]), preconditioner="none", rtol=1e-13, time_limit=1e-6)
    assert r.status == "time_limit" and r.info > 0
    with pytest.raises(ost.MemoryLimitError):
        ost.Solver(A, None, solver="gmres").solve(np.ones(A.shape[0]), restart=400, mem_limit="1M")


def test_a_set_up_that_was_stopped_says_what_was_made():
    A = ost.generate("poisson2d:100")
    r = ost.Solver(A, "lu", time_limit=1e-9).solve(np.ones(10**4), on_failure="ignore")
    assert r.set_up_stopped and r.status == "time_limit" and r.preconditioner == "lu" and not r.x.any()
    assert "in the set-up: the limit of 1e-09 s was reached while lu was made" in repr(r) and "nan" not in repr(r)
    assert "NaN" not in json.dumps(r.to_dict()) and r.to_dict()["set_up_stopped"] is True


def test_none_leaves_an_option_as_it_is(poisson):
    with ost.options(solver="bicgstab"):
        assert ost.solve(poisson, np.ones(poisson.shape[0]), solver=None).solver == "bicgstab"


def test_options_within_with(poisson):
    b = np.ones(poisson.shape[0])
    with ost.options(rtol=1e-3, solver="bicgstab"):
        assert ost.solve(poisson, b).solver == "bicgstab"
        assert ost.solve(poisson, b, solver="cg").solver == "cg"
        seen = []
        thread = threading.Thread(target=lambda: seen.append(ost.solve(poisson, b).solver))
        thread.start(), thread.join()
    assert seen == ["cg"] and ost.solve(poisson, b).solver == "cg"


def test_options_of_two_withs_add_up(poisson):
    loose = ost.options(rtol=1e-3)
    with ost.options(solver="minres"), loose:
        assert ost.solve(poisson, np.ones(poisson.shape[0])).solver == "minres"


@pytest.mark.parametrize("given, name", [("ilu0", "ilu0"), (None, "none"), (lambda r: r, "function")])
def test_options_have_a_preconditioner(given, name, poisson):
    b = np.ones(poisson.shape[0])
    usual = ost.Solver(poisson).preconditioner
    with ost.options(preconditioner=given), ost.options(rtol=1e-6):
        assert ost.Solver(poisson).preconditioner == name
        assert ost.solve(poisson, b, effort="quick").preconditioner == name
        assert ost.Solver(poisson, "ssor").preconditioner == ost.solve(poisson, b, preconditioner="ssor").preconditioner == "ssor"
        assert ost.Solver(poisson, None).preconditioner == "none"
        assert ost.Solver(poisson, "auto").preconditioner == usual
    assert ost.Solver(poisson).preconditioner == usual


def test_callbacks(poisson, rng):
    b, seen = rng.standard_normal(poisson.shape[0]), []
    ost.solve(poisson, b, preconditioner=None, callback=lambda it: seen.append((it.number, it.relative_residual)),
              check_every=1)
    assert [n for n, _ in seen] == list(range(1, len(seen) + 1)) and seen[-1][1] <= 1e-8
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # an end that was asked for is no failure
        r = ost.solve(poisson, b, preconditioner=None, callback=lambda it: it.number < 5, check_every=1)
    assert r.status == "interrupted" and 5 <= r.iterations < len(seen) and residual(poisson, b, r.x) < 1

    def fail(it):
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        ost.solve(poisson, b, callback=fail)


def test_solver_within_its_callback_is_refused(poisson):
    S = ost.Solver(poisson, None)
    b = np.ones(poisson.shape[0])
    with pytest.raises(ost.ArgumentError, match="at work"):
        S.solve(b, callback=lambda it: S.solve(b))
    assert S.solve(b).converged


def test_new_values_are_taken(nonsymmetric, rng):
    A, b = nonsymmetric, rng.standard_normal(nonsymmetric.shape[0])
    S = ost.Solver(A, "ilu0", rtol=1e-9)
    assert residual(A, b, S.solve(b).x) <= 1e-9
    other = A + 3 * sp.eye_array(A.shape[0], format="csr")
    S.update_values(other)
    assert residual(other, b, S.solve(b).x) <= 1e-9
    with pytest.raises(ost.ArgumentError):
        S.update_values(sp.eye_array(A.shape[0], format="csr"))
    assert residual(other, b, S.solve(b).x) <= 1e-9


def test_solver_owns_its_matrix(poisson):
    b, A = np.ones(poisson.shape[0]), poisson.copy()
    S = ost.Solver(A, rtol=1e-10)
    before = S.solve(b).x
    A.data[:] = 0
    del A
    assert np.array_equal(S.solve(b).x, before)


@pytest.mark.parametrize("preconditioner", [None, "jacobi", "ilu0", "multigrid:kind=plain", "lu"])
def test_preconditioners_by_name(preconditioner, poisson, rng):
    b = rng.standard_normal(poisson.shape[0])
    r = ost.solve(poisson, b, preconditioner=preconditioner)
    assert r.converged and residual(poisson, b, r.x) <= 1e-8
    assert r.preconditioner == ("none" if preconditioner is None else preconditioner.partition(":")[0])


def test_preconditioner_objects(nonsymmetric, rng):
    A, b = nonsymmetric, rng.standard_normal(nonsymmetric.shape[0])
    M = ost.preconditioner("ilu0", A)
    plain = ost.solve(A, b, preconditioner=None, solver="gmres")
    counts = []
    for given in (M, M.as_linear_operator(), M.matvec, spla.LinearOperator(A.shape, matvec=spla.spilu(A.tocsc()).solve)):
        r = ost.solve(A, b, preconditioner=given, solver="gmres")
        assert r.converged and residual(A, b, r.x) <= 1e-8
        counts.append(r.iterations)
    assert counts[0] == counts[1] == counts[2] and max(counts) < plain.iterations / 2
    inner = ost.Solver(A).as_preconditioner(1e-3)
    r = ost.solve(A, b, preconditioner=inner)
    assert inner.varies and r.converged and residual(A, b, r.x) <= 1e-8 and r.iterations <= 4


def test_preconditioners_serve_scipy(poisson, rng):
    b = rng.standard_normal(poisson.shape[0])
    counts = {}
    for name in ("none", "multigrid", "solver"):
        calls = []
        M = {"none": None, "multigrid": ost.preconditioner("multigrid", poisson),
             "solver": ost.Solver(poisson).as_preconditioner(1e-6)}[name]
        x, info = spla.cg(poisson, b, M=M, rtol=1e-8, callback=calls.append)
        assert info == 0 and residual(poisson, b, x) <= 1e-8
        counts[name] = len(calls)
    assert counts["multigrid"] < counts["none"] / 2 and counts["solver"] <= 3
    values, _ = spla.lobpcg(poisson, rng.standard_normal((poisson.shape[0], 3)), largest=False, tol=1e-6, maxiter=60,
                            M=ost.preconditioner("multigrid", poisson))
    np.testing.assert_allclose(np.sort(values)[0], 8 * np.sin(np.pi / 50) ** 2, rtol=1e-6)


def test_scipys_operators_are_taken(nonsymmetric, rng):
    A, b = nonsymmetric, rng.standard_normal(nonsymmetric.shape[0])
    op = spla.aslinearoperator(A)
    for given, factor in ((op, 1), (ost.Operator(shape=A.shape, matvec=lambda v: A @ v), 1), (2 * op, 2)):
        r = ost.solve(given, b)
        assert r.converged and residual(factor * A, b, r.x) <= 1e-8


def test_errors_of_functions_come_through():
    def fail(v):
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        ost.solve(ost.Operator(shape=(9, 9), matvec=fail), np.ones(9))
    with pytest.raises(ost.DimensionError, match="3 elements in place of 9"):
        ost.solve(ost.Operator(shape=(9, 9), matvec=lambda v: v[:3]), np.ones(9))
    with pytest.raises(ost.ArgumentError, match="without a shape"):
        ost.solve(lambda v: v, np.ones(9))
    with pytest.raises(ost.DimensionError, match="preconditioner"):
        ost.solve(ost.generate("poisson2d:3"), np.ones(9), preconditioner=lambda r: r[:2])


def test_stencils(poisson, rng):
    A = ost.StencilOperator((24, 24), {(0, 0): 4, (1, 0): -1, (-1, 0): -1, (0, 1): -1, (0, -1): -1})
    b = rng.standard_normal(576)
    np.testing.assert_allclose(A @ b, poisson @ b, rtol=1e-13, atol=1e-13)
    r = ost.solve(A, b)
    assert r.converged and residual(poisson, b, r.x) <= 1e-8
    ring = ost.StencilOperator(5, {(0,): 2, (1,): -1, (-1,): -1}, boundary="periodic")
    np.testing.assert_array_equal(ring @ np.arange(5.0), [-5, 0, 0, 0, 5])
    ends = ost.StencilOperator(3, {(0,): 2, (1,): -1, (-1,): -1}, boundary=[("neumann", "dirichlet")])
    np.testing.assert_array_equal(ends @ np.ones(3), [0, 0, 1])


def test_least_squares(rng):
    A = sp.random_array((50, 12), density=0.4, rng=rng, format="csr")
    b = rng.standard_normal(50)
    r = ost.solve(A, b)
    assert r.converged and r.status == "least_squares" and r.gradient <= 1e-8
    np.testing.assert_allclose(r.x, np.linalg.lstsq(A.toarray(), b)[0], rtol=1e-6)


class TestOperator:
    def test_products(self, nonsymmetric, rng):
        A, x = nonsymmetric, rng.standard_normal((nonsymmetric.shape[0], 3))
        op = ost.Operator(A, transpose=True)
        for v in (x, x[:, 0], x[:, :1]):
            np.testing.assert_allclose(op @ v, A @ v, rtol=1e-13, atol=1e-12)
            np.testing.assert_allclose(op.T @ v, A.T @ v, rtol=1e-13, atol=1e-12)
            assert (op @ v).shape == (A @ v).shape
        assert op.shape == A.shape and op.dtype == A.dtype and op.ndim == 2
        assert op.explain()[0]["format"] == op.format

    def test_transpose_has_to_be_wanted(self, nonsymmetric):
        with pytest.raises(ost.ArgumentError, match="transpose=True"):
            ost.Operator(nonsymmetric).rmatvec(np.ones(nonsymmetric.shape[0]))

    def test_scipy_takes_it(self, nonsymmetric, rng):
        A, b = nonsymmetric, rng.standard_normal(nonsymmetric.shape[0])
        x, info = spla.gmres(ost.Operator(A), b, rtol=1e-8)
        assert info == 0 and residual(A, b, x) <= 1e-7
        lin = spla.aslinearoperator(ost.Operator(A)) * 2 + spla.aslinearoperator(A)
        np.testing.assert_allclose(lin @ b, 3 * (A @ b), rtol=1e-12, atol=1e-12)

    def test_is_independent_of_the_arrays(self, poisson):
        A = poisson.copy()
        op, x = ost.Operator(A), np.ones(A.shape[0])
        before = op @ x
        A.data[:] = np.nan
        del A
        assert np.array_equal(op @ x, before)

    @pytest.mark.parametrize("format", ["csr", "dia"])
    def test_format_may_be_named(self, format, poisson):
        assert ost.Operator(poisson, format=format).format == format


@pytest.mark.parametrize("make", [
    lambda A: ost.Solver(A, "ilu0", rtol=1e-9),
    lambda A: ost.Operator(A),
    lambda A: ost.preconditioner("ilu0", A),
    lambda A: ost.solve(A, np.ones(A.shape[0])),
    lambda A: ost.StencilOperator((24, 24), {(0, 0): 4, (1, 0): -1, (-1, 0): -1}),
], ids=["Solver", "Operator", "preconditioner", "Solution", "StencilOperator"])
def test_pickle_and_copies(make, poisson):
    thing, b = make(poisson), np.ones(poisson.shape[0])

    def answer(t):
        return t.x if isinstance(t, ost.Solution) else t.solve(b).x if isinstance(t, ost.Solver) else t @ b

    for again in (pickle.loads(pickle.dumps(thing)), copy.deepcopy(thing), copy.copy(thing)):
        assert np.array_equal(answer(again), answer(thing))
    if isinstance(thing, ost.Solution):
        again = pickle.loads(pickle.dumps(thing))
        for name, value in thing.to_dict().items():
            np.testing.assert_equal(again.to_dict()[name], value, name)


def test_read_and_generate(tmp_path, poisson):
    import scipy.io

    scipy.io.mmwrite(tmp_path / "a.mtx", poisson)
    A = ost.read(tmp_path / "a.mtx")
    assert abs(A.tocsr() - poisson).max() == 0 and A.nnz == poisson.nnz
    np.save(tmp_path / "b.npy", np.arange(3.0))
    np.testing.assert_array_equal(ost.read(tmp_path / "b.npy"), [0, 1, 2])
    (tmp_path / "bad.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 x 1\n")
    with pytest.raises(ost.FormatError) as error:
        ost.read(tmp_path / "bad.mtx")
    assert error.value.line == 3 and error.value.path.endswith("bad.mtx")
    with pytest.raises(ost.ArgumentError, match="poisson2d"):
        ost.generate("poisson4d:3")
    assert ost.generate("poisson2d:24", dtype=np.float32).dtype == np.float32
    assert np.array_equal(ost.generate("poisson2d:24").toarray(), poisson.toarray())


@pytest.mark.parametrize("wrong", [-1, -2**63, 3 - 2**32])
def test_negative_columns_are_refused(wrong):
    A = ost.generate("poisson2d:20").tocsr()
    indices = A.indices.astype(np.int64)
    indices[5] = wrong
    with pytest.raises(ost.ArgumentError, match="smallest"):
        ost.solve((A.data, indices, A.indptr, A.shape), np.ones(400))
