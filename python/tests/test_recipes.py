# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
"""With other packages. Each recipe is skipped where its package isn't installed."""
import numpy as np
import pytest

import ostinato as ost
from conftest import residual


def test_scikit_fem():
    fem = pytest.importorskip("skfem")
    from skfem.helpers import dot, grad

    mesh = fem.MeshTri.init_lshaped().refined(5)
    basis = fem.Basis(mesh, fem.ElementTriP1())
    stiffness = fem.BilinearForm(lambda u, v, w: dot(grad(u), grad(v))).assemble(basis)
    load = fem.LinearForm(lambda v, w: v).assemble(basis)
    solver = lambda A, b: ost.solve(A, b, rtol=1e-10).check()
    u = fem.solve(*fem.condense(stiffness, load, D=mesh.boundary_nodes()), solver=solver)
    exact = fem.solve(*fem.condense(stiffness, load, D=mesh.boundary_nodes()))
    np.testing.assert_allclose(u, exact, atol=1e-8 * exact.max())


def test_pyamg():
    """PyAMG's hierarchy as our preconditioner, ours as that of PyAMG's methods, and one beside the other."""
    pyamg = pytest.importorskip("pyamg")
    A = ost.generate("mesh2d:60").tocsr()
    b = np.random.default_rng(1).standard_normal(A.shape[0])
    theirs = pyamg.smoothed_aggregation_solver(A)
    r = ost.solve(A, b, preconditioner=theirs.aspreconditioner(), solver="cg")
    plain = ost.solve(A, b, preconditioner=None, solver="cg")
    assert r.converged and residual(A, b, r.x) <= 1e-8 and r.iterations < plain.iterations / 3
    ours = ost.preconditioner("multigrid:kind=aggregation", A)
    assert ours.levels[0]["rows"] == A.shape[0] == theirs.levels[0].A.shape[0] and len(ours.levels) > 1
    x, info = pyamg.krylov.cg(A, b, M=ours.as_linear_operator(), tol=1e-8, maxiter=60)
    assert info == 0 and residual(A, b, x) <= 1e-6


def test_pylops():
    pylops = pytest.importorskip("pylops")
    rng = np.random.default_rng(2)
    smooth = pylops.Smoothing1D(nsmooth=5, dims=200)
    rough = pylops.SecondDerivative(200)
    x = np.cumsum(rng.standard_normal(200))
    data = smooth @ x
    stacked = pylops.VStack([smooth, 0.1 * rough])
    right = np.r_[data, np.zeros(200)]
    r = ost.solve(stacked, right, solver="lsmr", rtol=1e-9, maxiter=5000)
    wanted = np.linalg.lstsq(stacked.todense(), right)[0]
    assert r.converged
    np.testing.assert_allclose(r.x, wanted, atol=1e-4 * abs(wanted).max())


def test_networkx():
    """Currents in a network of resistors: a Laplacian is singular, and so is the answer up to a constant."""
    nx = pytest.importorskip("networkx")
    graph = nx.grid_2d_graph(15, 15)
    L = nx.laplacian_matrix(graph).astype(float)
    b = np.zeros(225)
    b[0], b[-1] = 1, -1
    r = ost.solve(L, b, rtol=1e-10)
    assert r.converged and residual(L, b, r.x) <= 1e-10
    np.testing.assert_allclose(r.x[0] - r.x[-1], nx.resistance_distance(graph, (0, 0), (14, 14)), rtol=1e-7)


def test_fipy(monkeypatch):
    """A solver of FiPy: a class whose _solve_ takes a matrix of SciPy, the guess and the right-hand side."""
    monkeypatch.setenv("FIPY_SOLVERS", "scipy")
    fipy = pytest.importorskip("fipy")
    from fipy.solvers.scipy.scipySolver import ScipySolver

    class Ostinato(ScipySolver):
        def _solve_(self, L, x, b):
            r = ost.solve(L, b, x0=x, rtol=self.tolerance, maxiter=self.iterations)
            self._setConvergence(suite="scipy", code=r.info, iterations=r.iterations, residual=r.residual)
            self.convergence.warn()
            return r.x

    mesh = fipy.Grid2D(nx=40, ny=40, dx=1 / 40, dy=1 / 40)

    def concentration(solver):
        u = fipy.CellVariable(mesh=mesh, value=0.0)
        u.constrain(0, mesh.exteriorFaces)
        equation = fipy.DiffusionTerm(coeff=1.0) == fipy.ConvectionTerm(coeff=(20.0, 10.0)) - 1
        equation.solve(u, solver=solver)
        return u.value

    exact = concentration(fipy.LinearLUSolver())
    np.testing.assert_allclose(concentration(Ostinato(tolerance=1e-10)), exact, atol=1e-8 * abs(exact).max())


def matrix_of(a, pattern):
    return (a, *pattern)


def tridiagonal(n):
    """The pattern of a tridiagonal matrix: columns, row pointers, shape; and the row of each entry."""
    rows, cols = np.nonzero(abs(np.subtract.outer(np.arange(n), np.arange(n))) <= 1)
    return (cols, np.searchsorted(rows, np.arange(n + 1)), (n, n)), rows


def test_torch():
    """The gradient of a solve by the adjoint system: dA = -lambda x^T on the pattern of A, with A^T lambda = g."""
    torch = pytest.importorskip("torch")
    pattern, rows = tridiagonal(30)

    class Solve(torch.autograd.Function):
        @staticmethod
        def forward(context, values, b):
            solver = ost.Solver(matrix_of(values.detach(), pattern), rtol=1e-13)
            x = solver.solve(b.detach()).x
            context.solver = solver  # A is symmetric: the same serves the adjoint
            context.save_for_backward(x)
            return x

        @staticmethod
        def backward(context, g):
            x, = context.saved_tensors
            adjoint = context.solver.solve(g).x
            return -adjoint[rows] * x[pattern[0]], adjoint

    values = torch.tensor(np.where(rows == pattern[0], 3.0, -1.0), requires_grad=True)
    b = torch.ones(30, dtype=torch.float64, requires_grad=True)
    x = Solve.apply(values, b)
    assert isinstance(x, torch.Tensor)
    (x**2).sum().backward()
    step = 1e-6
    for at in (0, 1, 40):  # with the mirror image, so that A stays symmetric
        mirror = int(np.flatnonzero((rows == pattern[0][at]) & (pattern[0] == rows[at]))[0])
        changed = values.detach().clone()
        for k in {at, mirror}:
            changed[k] += step
        there = ost.solve(matrix_of(changed, pattern), b.detach(), rtol=1e-13).x
        wanted = ((there**2).sum() - (x.detach()**2).sum()) / step
        got = sum(values.grad[k] for k in {at, mirror})
        np.testing.assert_allclose(float(got), float(wanted), rtol=1e-4)


def test_jax():
    """The same by a custom derivative, with a callback to the host."""
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    pattern, rows = tridiagonal(30)
    columns = pattern[0]

    def on_host(values, b):
        return np.asarray(ost.solve(matrix_of(np.asarray(values), pattern), np.asarray(b), rtol=1e-13).check())

    @jax.custom_vjp
    def solve(values, b):
        return jax.pure_callback(on_host, jax.ShapeDtypeStruct(b.shape, b.dtype), values, b)

    def forward(values, b):
        x = solve(values, b)
        return x, (values, x)

    def backward(kept, g):
        values, x = kept
        adjoint = solve(values, g)  # A is symmetric
        return -adjoint[rows] * x[columns], adjoint

    solve.defvjp(forward, backward)
    values, b = jax.numpy.where(rows == columns, 3.0, -1.0), jax.numpy.ones(30)
    loss = lambda v: (solve(v, b) ** 2).sum()
    gradient = jax.jit(jax.grad(loss))(values)
    for at in (0, 3):
        step = jax.numpy.zeros(len(rows)).at[at].set(1e-6)
        wanted = (loss(values + step) - loss(values - step)) / 2e-6
        if rows[at] == columns[at]:
            np.testing.assert_allclose(gradient[at], wanted, rtol=1e-5)
    x = ost.solve(matrix_of(values, pattern), b).x
    assert isinstance(x, jax.Array)


def test_lent_memory_isnt_copied():
    """DLPack and NumPy arrays go in without a copy."""
    from ostinato._convert import csr_of, host_array

    class Shares:
        def __init__(self, a):
            self.a = a

        def __dlpack__(self, **given):
            return self.a.__dlpack__(**given)

        def __dlpack_device__(self):
            return self.a.__dlpack_device__()

    a = np.arange(5.0)
    assert np.shares_memory(host_array(Shares(a)), a)
    A = ost.generate("poisson2d:5")
    parts = csr_of(A.tocsr())
    assert np.shares_memory(parts.data, A.data) and np.shares_memory(parts.indices, A.indices)
    assert csr_of((A.data, A.indices, A.indptr, A.shape)).indptr is A.indptr

    class Elsewhere(Shares):
        def __dlpack_device__(self):
            return (2, 0)

    with pytest.raises(TypeError, match="memory of a GPU"):
        host_array(Elsewhere(a))
