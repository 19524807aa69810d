# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
"""ostinato.scipy beside scipy.sparse.linalg: what SciPy promises of x, info, callbacks and arguments."""
import inspect
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as spla

import ostinato as ost
import ostinato.scipy as ours
from conftest import residual

SQUARE = ["cg", "bicgstab", "gmres", "minres", "gcrotmk"]


def f(name):
    return getattr(ours, name)


def laplace(n=60, shift=0.5):
    return sp.diags_array([-np.ones(n - 1), (2 + shift) * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1]).tocsr()


@pytest.fixture
def system(rng):
    A = laplace()
    return A, rng.standard_normal(A.shape[0])


@pytest.mark.parametrize("name", SQUARE + ["lsmr"])
def test_signature_is_scipys(name):
    ours_, theirs = (inspect.signature(getattr(m, name)).parameters for m in (ours, spla))
    shared = [p for p in theirs if p in ours_]
    assert shared == list(ours_)
    assert [ours_[p].default for p in shared] == [theirs[p].default for p in shared]
    assert [ours_[p].kind for p in shared] == [theirs[p].kind for p in shared]


@pytest.mark.parametrize("name", SQUARE)
@pytest.mark.parametrize("rtol, atol", [(1e-5, 0.0), (1e-9, 0.0), (0.0, 1e-3), (1e-9, 1e-2)])
def test_tolerance_is_the_looser_of_both(name, rtol, atol, system):
    A, b = system
    if name == "minres":  # has no atol
        rtol, atol, given = max(rtol, atol), 0, {}
    else:
        given = {"atol": atol}
    x, info = f(name)(A, b, rtol=rtol, **given)
    assert info == 0
    goal = max(rtol * np.linalg.norm(b), atol)
    assert np.linalg.norm(b - A @ x) <= goal * (1 + 1e-10)


@pytest.mark.parametrize("name", SQUARE)
def test_zero_right_side_gives_zero(name):
    x, info = f(name)(laplace(), np.zeros(60), x0=np.ones(60))
    assert info == 0 and not x.any()


@pytest.mark.parametrize("name", SQUARE)
def test_exact_guess_needs_no_iteration(name, system):
    A, b = system
    exact = spla.spsolve(A.tocsc(), b)
    guess = exact.copy()
    x, info = f(name)(A, b, x0=guess, rtol=1e-8)
    assert info == 0 and np.array_equal(x, exact) and x is not guess


@pytest.mark.parametrize("name", SQUARE)
def test_guess_stays_as_it_is(name, system):
    A, b = system
    guess = np.ones(60)
    x, info = f(name)(A, b, x0=guess)
    assert info == 0 and np.all(guess == 1) and residual(A, b, x) <= 1e-5


@pytest.mark.parametrize("name", SQUARE)
def test_guess_by_preconditioner(name, system):
    A, b = system
    M = sp.diags_array(1 / A.diagonal())
    x, info = f(name)(A, b, x0="Mb", M=M)
    assert info == 0 and residual(A, b, x) <= 1e-5


@pytest.mark.parametrize("name", SQUARE)
def test_column_vector_gives_vector(name, system):
    A, b = system
    x, info = f(name)(A, b.reshape(-1, 1))
    assert info == 0 and x.shape == getattr(spla, name)(A, b.reshape(-1, 1))[0].shape == (60,)


@pytest.mark.parametrize("name", SQUARE)
def test_limit_of_iterations_is_the_info(name, rng):
    A = laplace(400, 0)
    b = rng.standard_normal(400)
    extra = {"m": 2, "k": 1} if name == "gcrotmk" else {"restart": 2} if name == "gmres" else {}
    x, info = f(name)(A, b, maxiter=3, rtol=1e-12, **extra)
    assert info == 3 and np.isfinite(x).all() and residual(A, b, x) < 1


@pytest.mark.parametrize("name", SQUARE)
@pytest.mark.parametrize("a, b, x", [("f", "f", "f"), ("f", "d", "d"), ("d", "f", "d"), ("i", "i", "d"), ("i", "f", "d")])
def test_types_are_coerced_as_scipys(name, a, b, x):
    A = sp.csr_array(3 * sp.eye_array(5, format="csr"), dtype=a)
    got = f(name)(A, np.ones(5, b))[0]
    assert got.dtype.char == x
    np.testing.assert_allclose(got, 1 / 3, rtol=1e-5)


@pytest.mark.parametrize("name", SQUARE)
def test_complex_is_refused(name):
    with pytest.raises(ValueError, match="complex"):
        f(name)(sp.eye_array(3, format="csr") * 1j, np.ones(3))


@pytest.mark.parametrize("name", SQUARE)
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix, sp.csc_array, sp.coo_array, sp.bsr_array, sp.dia_array,
                                  sp.lil_array, spla.aslinearoperator], ids=lambda k: k.__name__)
def test_kinds_of_matrices(name, kind, system):
    A, b = system
    x, info = f(name)(kind(A.toarray()), b)
    assert info == 0 and residual(A, b, x) <= 1e-5


@pytest.mark.parametrize("name", SQUARE)
def test_shapes_are_checked(name):
    with pytest.raises(ValueError, match="square"):
        f(name)(sp.csr_array(np.ones((3, 4))), np.ones(3))
    with pytest.raises(ValueError, match="incompatible"):
        f(name)(sp.eye_array(3, format="csr"), np.ones(4))
    with pytest.raises(ValueError):
        f(name)(sp.eye_array(3, format="csr"), np.ones(3), M=sp.eye_array(4, format="csr"))


@pytest.mark.parametrize("name", SQUARE)
@pytest.mark.parametrize("kind", ["matrix", "operator", "dense"])
def test_preconditioner_is_applied(name, kind, system):
    A, b = system
    calls = []
    inverse = np.linalg.inv(A.toarray())

    def product(r):
        calls.append(1)
        return inverse @ r

    M = {"matrix": sp.csr_array(inverse), "dense": inverse,
         "operator": spla.LinearOperator(A.shape, matvec=product, dtype=float)}[kind]
    options = {"restart": 2} if name == "gmres" else {}
    x, info = f(name)(A, b, M=M, maxiter=4, rtol=1e-8, **options)
    assert info == 0 and residual(A, b, x) <= 1e-8
    if kind == "operator":
        assert 0 < len(calls) <= 12


@pytest.mark.parametrize("name", ["cg", "bicgstab", "minres"])
def test_callback_gets_each_iterate(name, rng):
    A = laplace(30)
    b = rng.standard_normal(30)
    got, wanted = [], []
    x, _ = f(name)(A, b, callback=lambda xk: got.append(xk.copy()), rtol=1e-6)
    getattr(spla, name)(A, b, callback=lambda xk: wanted.append(xk.copy()), rtol=1e-6)
    assert len(got) > 3 and np.array_equal(got[-1], x)
    for k in range(4):
        np.testing.assert_allclose(got[k], wanted[k], rtol=1e-8, atol=1e-10)


def test_callback_of_gmres_gets_norms(system):
    A, b = system
    norms = []
    gmres = ours.gmres
    x, info = gmres(A, b, callback=norms.append, callback_type="pr_norm", rtol=1e-8)
    theirs = []
    spla.gmres(A, b, callback=theirs.append, callback_type="pr_norm", rtol=1e-8)
    assert info == 0 and abs(len(norms) - len(theirs)) <= 1 and norms[-1] <= 1e-8
    np.testing.assert_allclose(norms[:10], theirs[:10], rtol=1e-6)


def test_callback_of_gmres_gets_x_at_restarts(rng):
    A = laplace(100, 0.1)
    b = rng.standard_normal(100)
    norms = []
    x, info = ours.gmres(A, b, restart=7, callback=lambda xk: norms.append(residual(A, b, xk)), callback_type="x",
                         rtol=1e-6)
    assert info == 0 and len(norms) > 2 and all(b < a for a, b in zip(norms, norms[1:])) and norms[-1] <= 1e-6


def test_gmres_warns_of_the_type_of_callbacks(system):
    A, b = system
    with pytest.warns(DeprecationWarning):
        ours.gmres(A, b, callback=lambda r: None)
    with pytest.raises(ValueError, match="Unknown callback_type"):
        ours.gmres(A, b, callback=lambda r: None, callback_type="y")


@pytest.mark.parametrize("name", ["cg", "bicgstab", "gmres"])
def test_legacy_tolerances_are_refused(name, system):
    A, b = system
    with pytest.raises(ValueError):
        f(name)(A, b, atol="legacy")
    with pytest.raises(TypeError):
        f(name)(A, b, tol=1e-5)
    with pytest.raises(TypeError):
        f(name)(A, b, None, 1e-5)


@pytest.mark.parametrize("name", SQUARE)
def test_errors_of_callbacks_come_through(name, system):
    A, b = system

    def fail(_):
        raise LookupError("mine")

    extra = {"callback_type": "x"} if name == "gmres" else {}
    with pytest.raises(LookupError, match="mine"):
        f(name)(A, b, callback=fail, **extra)


def test_cg_of_an_indefinite_matrix_says_so():
    A = sp.diags_array(np.r_[np.ones(5), -np.ones(5)]).tocsr()
    x, info = ours.cg(A, np.ones(10))
    assert info < 0 and np.isfinite(x).all()
    x, info = ours.minres(A, np.ones(10))
    assert info == 0


def test_minres_shifts(rng):
    A = laplace(40, 0)
    b = rng.standard_normal(40)
    x, info = ours.minres(A, b, shift=1.37, rtol=1e-8)
    assert info == 0 and residual(A - 1.37 * sp.eye_array(40), b, x) <= 1e-7


def test_minres_checks_symmetry(nonsymmetric):
    with pytest.raises(ValueError, match="non-symmetric"):
        ours.minres(nonsymmetric, np.ones(nonsymmetric.shape[0]), check=True)


def test_gcrotmk_recycles(rng):
    A = sp.diags_array(np.r_[1e-4 * np.arange(1, 9), np.linspace(1, 10, 292)]).tocsr()
    kept, counts = [], []

    def solve(b, CU):
        products = [0]

        def product(v):
            products[0] += 1
            return A @ v

        op = spla.LinearOperator(A.shape, matvec=product, dtype=float)
        x, info = ours.gcrotmk(op, b, CU=CU, m=20, k=10, rtol=1e-8)
        assert info == 0 and residual(A, b, x) <= 1e-8
        return products[0]

    for _ in range(3):
        counts.append(solve(rng.standard_normal(300), kept))
    assert len(kept) == 1 and counts[1] < 0.9 * counts[0] and counts[2] < 0.9 * counts[0]


def least_squares(shape, rng, density=0.1):
    A = sp.random_array(shape, density=density, rng=rng, format="csr") + 8 * sp.eye_array(*shape)
    return A, rng.standard_normal(shape[0])


def same_as_scipys(A, b, **given):
    ours_, theirs = ours.lsmr(A, b, **given), spla.lsmr(A, b, **given)
    np.testing.assert_allclose(ours_[0], theirs[0], rtol=1e-7, atol=1e-8)
    assert ours_[1] == theirs[1] and abs(ours_[2] - theirs[2]) <= 1
    np.testing.assert_allclose(ours_[3], theirs[3], rtol=1e-6, atol=3e-8)  # normr
    np.testing.assert_allclose(ours_[4], theirs[4], rtol=1e-3, atol=1e-8)  # normar
    np.testing.assert_allclose(ours_[5:], theirs[5:], rtol=1e-2 if ours_[2] == theirs[2] else 0.1)  # norma, conda, normx
    return ours_


@pytest.mark.parametrize("shape", [(90, 40), (40, 90), (120, 120)])
@pytest.mark.parametrize("damp", [0.0, 0.3, -2])
@pytest.mark.parametrize("has_x0", [False, True])
@pytest.mark.parametrize("atol, btol", [(1e-6, 1e-6), (1e-10, 1e-3), (1e-3, 1e-10), (1e-9, 0)])
def test_lsmr_is_scipys(shape, damp, has_x0, atol, btol, rng):
    A, b = least_squares(shape, rng)
    x0 = rng.standard_normal(shape[1]) if has_x0 else None
    same_as_scipys(A, b, damp=damp, atol=atol, btol=btol, x0=x0, conlim=1e8, maxiter=500)


def test_lsmr_minimises_the_damped_sum(rng):
    A, b = least_squares((30, 10), rng)
    x0, damp = rng.standard_normal(10), 0.7
    x = ours.lsmr(A, b, damp=damp, x0=x0, atol=1e-12, btol=1e-12, maxiter=500)[0]
    wanted = np.linalg.lstsq(np.r_[A.toarray(), damp * np.eye(10)], np.r_[b, damp * x0])[0]
    np.testing.assert_allclose(x, wanted, rtol=1e-8)
    assert np.linalg.norm(x - np.linalg.lstsq(A.toarray(), b)[0]) > 0.01


@pytest.mark.parametrize("given", [dict(conlim=3), dict(conlim=0), dict(maxiter=3), dict(maxiter=1), dict(atol=0, btol=0)], ids=str)
def test_lsmr_ends_as_scipys(given, rng):
    A, b = least_squares((40, 25), rng)
    if given.get("atol") == 0:  # as far as rounding allows, which may differ by some iterations
        x, istop, *_ = ours.lsmr(A, b, maxiter=500, **given)
        assert istop in (4, 5) and istop == spla.lsmr(A, b, maxiter=500, **given)[1]
        np.testing.assert_allclose(x, np.linalg.lstsq(A.toarray(), b)[0], rtol=1e-10)
    else:
        same_as_scipys(A, b, **given)


def test_lsmr_of_special_systems(rng):
    A, b = least_squares((30, 10), rng)
    for right, given in ((0 * b, {}), (0 * b, dict(x0=np.ones(10))), (A @ np.ones(10), dict(x0=np.ones(10)))):
        wanted = spla.lsmr(A, right, **given)
        x, istop, itn, *_ = ours.lsmr(A, right, **given)
        np.testing.assert_allclose(x, wanted[0], atol=1e-9)
        assert istop == wanted[1] == 0 and itn == 0
    exact = ours.lsmr(A, A @ np.arange(10.0), atol=1e-12, btol=1e-12, maxiter=100)
    assert exact[1] == 1 and exact[3] <= 1e-10
    guess = np.ones(10)
    ours.lsmr(A, b, x0=guess)
    assert np.all(guess == 1)
    for wrong in (np.nan, np.inf):
        with pytest.raises(ost.ArgumentError, match="NaN"):
            ours.lsmr(A, np.r_[wrong, b[1:]])


def test_lsmr_tells_no_residual_that_isnt(rng):
    """Of a bad condition the estimates of the recurrence may be better than x; istop 1 and 2 hold for what is recomputed."""
    left, right = (np.linalg.qr(rng.standard_normal((60, 60)))[0] for _ in range(2))
    A = sp.csr_array(left @ np.diag(np.logspace(0, -13, 60)) @ right)
    for tolerance in (1e-8, 1e-12, 1e-14):
        b = A @ rng.standard_normal(60)
        x, istop, _, normr, normar, norma, *_ = ours.lsmr(A, b, atol=tolerance, btol=tolerance, conlim=0, maxiter=5000)
        r = b - A @ x
        np.testing.assert_allclose(normr, np.linalg.norm(r), rtol=1e-2, atol=1e-15)
        assert istop != 1 or np.linalg.norm(r) <= 1.02 * tolerance * (np.linalg.norm(b) + norma * np.linalg.norm(x))
        assert istop != 2 or np.linalg.norm(A.T @ r) <= 1.03 * tolerance * norma * np.linalg.norm(r)


def test_lsmr_takes_operators(rng):
    A = sp.random_array((30, 10), density=0.5, rng=rng, format="csr")
    b = rng.standard_normal(30)
    x = ours.lsmr(spla.aslinearoperator(A), b, atol=1e-10, btol=1e-10, maxiter=200)[0]
    np.testing.assert_allclose(x, np.linalg.lstsq(A.toarray(), b)[0], rtol=1e-6)


@pytest.mark.parametrize("name", SQUARE)
def test_no_warning_is_given(name, system):
    A, b = system
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f(name)(A, b, maxiter=1, rtol=1e-14)


@pytest.mark.parametrize("name", SQUARE)
def test_info_isnt_0_where_no_x_solves_the_system(name):
    A = sp.diags_array([1.0] * 150 + [0.0] * 150).tocsr()
    x, info = f(name)(A, np.ones(300))
    assert np.linalg.norm(1 - A @ x) > 1e-5 * np.sqrt(300) and info != 0
