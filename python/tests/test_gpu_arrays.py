# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
"""Matrices and vectors in the memory of a GPU, in and out."""
import json
import pickle
import types

import numpy as np
import pytest

import ostinato as ost

sparse = pytest.importorskip("scipy.sparse")
in_place_of_scipy = pytest.importorskip("ostinato.scipy")


def _cupy():
    cupy = pytest.importorskip("cupy")
    import cupyx.scipy.sparse as gpu_sparse

    def matrix(A, layout="csr"):
        return getattr(gpu_sparse, layout + "_matrix")(A.asformat(layout))

    return types.SimpleNamespace(
        module=cupy, matrix=matrix, array=cupy.asarray, host=cupy.asnumpy, Array=cupy.ndarray,
        columns=lambda a: cupy.asarray(a, order="F"), double=lambda a: a.astype(np.float64),
        arrays=lambda A: (A.data, A.indices, A.indptr))


def _torch():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("torch sees no GPU")

    def matrix(A, layout="csr"):
        A = A.tocsr()
        made = torch.sparse_csr_tensor(*(torch.tensor(a) for a in (A.indptr, A.indices, A.data)), size=A.shape).cuda()
        return made if layout == "csr" else made.to_sparse_coo()

    return types.SimpleNamespace(
        module=torch, matrix=matrix, array=lambda a: torch.tensor(a, device="cuda"), host=lambda a: a.cpu().numpy(),
        Array=torch.Tensor, columns=lambda a: torch.tensor(np.ascontiguousarray(a.T), device="cuda").t(),
        double=lambda a: a.to(torch.float64), arrays=lambda A: (A.values(), A.col_indices(), A.crow_indices()))


@pytest.fixture(params=[_cupy, _torch], ids=["cupy", "torch"])
def gpu(request):
    if not ost.cuda_available():
        pytest.skip("no GPU, or a build without CUDA")
    return request.param()


@pytest.fixture
def cupy():
    if not ost.cuda_available():
        pytest.skip("no GPU, or a build without CUDA")
    return _cupy()


def residual(A, b, x):
    """||b - A x|| / ||b|| of the worst column, in double precision."""
    b, x = (np.asarray(v, np.float64).reshape(len(v), -1) for v in (b, x))
    return max(np.linalg.norm(b - A.astype(np.float64) @ x, axis=0) / np.linalg.norm(b, axis=0))


def residual_there(A, b, x):
    """The same by the package that has the arrays, on the GPU."""
    r = b - A @ x
    return float((r * r).sum() / (b * b).sum()) ** 0.5


@pytest.mark.parametrize("dtype, rtol", [(np.float64, 1e-10), (np.float32, 1e-5)])
def test_matrix_and_vector(gpu, nonsymmetric, rng, dtype, rtol):
    A = nonsymmetric.astype(dtype)
    b = rng.standard_normal(A.shape[0]).astype(dtype)
    there, right = gpu.matrix(A), gpu.array(b)
    for device in ("auto", "cuda", "cuda:0"):
        r = ost.solve(there, right, device=device, rtol=rtol)
        assert r.converged and isinstance(r.x, gpu.Array) and r.x.device == right.device
        assert r.x.dtype == right.dtype and r.x.shape == right.shape
        assert residual(A, b, gpu.host(r.x)) <= 1.01 * rtol
        assert residual_there(*map(gpu.double, (there, right, r.x))) <= 1.01 * rtol
        assert "NVIDIA" in r.device
    assert residual(A, b, gpu.host(right)) > 0.1 and np.array_equal(gpu.host(right), b)


@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("layout", ["columns", "array"])
def test_columns(gpu, nonsymmetric, rng, columns, layout):
    B = rng.standard_normal((nonsymmetric.shape[0], columns))
    right = getattr(gpu, layout)(B)
    r = ost.solve(gpu.matrix(nonsymmetric), right)
    assert r.x.shape == right.shape and isinstance(r.x, gpu.Array)
    assert residual(nonsymmetric, B, gpu.host(r.x)) <= 1.01e-8


def test_every_other_element(gpu, poisson, rng):
    b = rng.standard_normal(2 * poisson.shape[0])
    r = ost.solve(gpu.matrix(poisson), gpu.array(b)[::2])
    assert residual(poisson, b[::2], gpu.host(r.x)) <= 1.01e-8


def test_half_of_it_from_the_host(gpu, poisson, rng):
    b = rng.standard_normal(poisson.shape[0])
    r = ost.solve(poisson, gpu.array(b))
    assert isinstance(r.x, gpu.Array) and "NVIDIA" in r.device
    assert residual(poisson, b, gpu.host(r.x)) <= 1.01e-8
    r = ost.solve(gpu.matrix(poisson), b)
    assert isinstance(r.x, np.ndarray) and "NVIDIA" in r.device
    assert residual(poisson, b, r.x) <= 1.01e-8
    S = ost.Solver(poisson, device="cuda")
    assert residual(poisson, b, gpu.host(S.solve(gpu.array(b)).x)) <= 1.01e-8
    assert residual(poisson, b, S.solve(b).x) <= 1.01e-8
    out = gpu.array(np.full(len(b), 7.0))
    assert S.solve(b, out=out).x is out and residual(poisson, b, gpu.host(out)) <= 1.01e-8
    here = np.empty(len(b))
    assert S.solve(gpu.array(b), out=here).x is here and residual(poisson, b, here) <= 1.01e-8


def test_mixed_types(gpu, poisson, rng):
    b = rng.standard_normal(poisson.shape[0])
    r = ost.solve(gpu.matrix(poisson.astype(np.float32)), gpu.array(b), rtol=1e-12)
    assert residual(poisson, b, gpu.host(r.x)) <= 1.01e-12
    r = ost.solve(gpu.matrix(poisson), gpu.array(np.arange(poisson.shape[0])))
    assert residual(poisson, np.arange(poisson.shape[0]), gpu.host(r.x)) <= 1.01e-8


def test_guess_and_out(gpu, poisson, rng):
    b = rng.standard_normal(poisson.shape[0])
    there, right = gpu.matrix(poisson), gpu.array(b)
    x = ost.solve(there, right, rtol=1e-10).x
    for guess in (x, gpu.host(x)):
        r = ost.solve(there, right, guess, rtol=1e-8)
        assert r.iterations == 0 and residual(poisson, b, gpu.host(r.x)) <= 1.01e-8
    out = gpu.array(np.full(len(b), np.nan))
    r = ost.solve(there, right, out=out, rtol=1e-10)
    assert r.x is out and residual(poisson, b, gpu.host(out)) <= 1.01e-10
    assert ost.solve(there, right, out, out=out).iterations == 0
    B = gpu.columns(np.stack([b, -b], axis=1))
    outs = gpu.columns(np.zeros((len(b), 2)))
    assert ost.solve(there, B, out=outs).x is outs
    assert residual(poisson, gpu.host(B), gpu.host(outs)) <= 1.01e-8


def test_guess_that_overlaps_out(gpu, poisson, rng):
    """It is read before out is written to: with no iterations, out is the guess."""
    n = poisson.shape[0]
    both = rng.standard_normal(n + 1)
    there = gpu.array(both)
    ost.solve(gpu.matrix(poisson), gpu.array(np.ones(n)), there[:n], out=there[1:], maxiter=0, effort="quick",
              on_failure="ignore")
    assert np.array_equal(gpu.host(there)[1:], both[:n])


def test_guess_of_the_host_in_reverse(gpu, poisson, rng):
    b = rng.standard_normal(poisson.shape[0])
    r = ost.solve(gpu.matrix(poisson), gpu.array(b), b[::-1])
    assert residual(poisson, b, gpu.host(r.x)) <= 1.01e-8


def test_bad_out_and_guess(gpu, poisson):
    n = poisson.shape[0]
    there, b = gpu.matrix(poisson), gpu.array(np.ones(poisson.shape[0]))
    for out in (b, gpu.arrays(there)[0][:n]):
        with pytest.raises(ost.ArgumentError, match="shares memory"):
            ost.solve(there, b, out=out)
    with pytest.raises(ost.ArgumentError, match="out is a Lent"):
        ost.solve(there, b, out=Lent(gpu.array(np.zeros(n))))
    for out in (gpu.array(np.zeros(n, np.float32)), gpu.array(np.zeros(2 * n))[::2], gpu.array(np.zeros(n + 1)),
                gpu.array(np.zeros((n, 2)))):
        with pytest.raises(ost.ArgumentError, match="out"):
            ost.solve(there, b, out=out)
    with pytest.raises(ost.DimensionError, match="x0"):
        ost.solve(there, b, gpu.array(np.zeros(n + 1)))
    with pytest.raises(ost.DimensionError, match="x0"):
        ost.solve(there, gpu.array(np.ones((n, 2))), gpu.array(np.zeros(n)))
    with pytest.raises(ost.DimensionError, match="b has shape"):
        ost.solve(there, gpu.array(np.ones(n + 1)))
    with pytest.raises(ost.ArgumentError, match="complex"):
        ost.solve(there, gpu.array(np.ones(n, complex)))


@pytest.mark.parametrize("layout", ["csr", "csc", "coo"])
def test_layouts(gpu, nonsymmetric, rng, layout):
    b = rng.standard_normal(nonsymmetric.shape[0])
    r = ost.solve(gpu.matrix(nonsymmetric, layout), gpu.array(b))
    assert residual(nonsymmetric, b, gpu.host(r.x)) <= 1.01e-8


def test_dense_matrix(gpu, poisson):
    b = np.ones(poisson.shape[0])
    r = ost.solve(gpu.array(poisson.toarray()), gpu.array(b))
    assert residual(poisson, b, gpu.host(r.x)) <= 1.01e-8


def test_rows_that_do_not_ascend(gpu, nonsymmetric, rng):
    """Unsorted, and with each entry in two halves."""
    A = nonsymmetric
    parts = [np.repeat(A.indices, 2), np.repeat(A.data / 2, 2), 2 * A.indptr]
    for row in range(A.shape[0]):
        at = slice(parts[2][row], parts[2][row + 1])
        order = rng.permutation(at.stop - at.start)
        parts[0][at], parts[1][at] = parts[0][at][order], parts[1][at][order]
    loose = sparse.csr_matrix((parts[1], parts[0], parts[2]), shape=A.shape)
    there = gpu.matrix(loose)
    b = rng.standard_normal(A.shape[0])
    r = ost.solve(there, gpu.array(b))
    assert residual(A, b, gpu.host(r.x)) <= 1.01e-8
    assert np.array_equal(gpu.host(gpu.arrays(there)[1]), loose.indices), "the caller's matrix stays"


def test_arrays_in_a_tuple(gpu, poisson):
    b = gpu.array(np.ones(poisson.shape[0]))
    arrays = [gpu.array(a) for a in (poisson.data, poisson.indices, poisson.indptr)]
    r = ost.solve((*arrays, poisson.shape), b)
    assert residual(poisson, gpu.host(b), gpu.host(r.x)) <= 1.01e-8
    for at, place, value in ((1, 7, -1), (1, 7, poisson.shape[1]), (2, 5, 0), (2, 0, 1)):
        wrong = [gpu.array(gpu.host(a)) for a in arrays]
        wrong[at][place] = value
        with pytest.raises(ost.ArgumentError, match="indices" if at == 1 else "indptr"):
            ost.solve((*wrong, poisson.shape), b)


def test_a_solver_copies(gpu, poisson, rng):
    b = rng.standard_normal(poisson.shape[0])
    there = gpu.matrix(poisson)
    S = ost.Solver(there, preconditioner="jacobi")
    gpu.arrays(there)[0][:] = 0
    for _ in range(2):
        assert residual(poisson, b, gpu.host(S.solve(gpu.array(b)).x)) <= 1.01e-8
    again = pickle.loads(pickle.dumps(S))
    assert residual(poisson, b, gpu.host(again.solve(gpu.array(b)).x)) <= 1.01e-8


def test_new_values(gpu, nonsymmetric, rng):
    b = rng.standard_normal(nonsymmetric.shape[0])
    S = ost.Solver(gpu.matrix(nonsymmetric))
    other = nonsymmetric.copy()
    other.data = np.where(other.data > 0, 1.5 * other.data, other.data)
    there = gpu.matrix(other)
    S.update_values(there)
    gpu.arrays(there)[0][:] = 0
    assert residual(other, b, gpu.host(S.solve(gpu.array(b)).x)) <= 1.01e-8
    S.update_values(nonsymmetric)
    assert residual(nonsymmetric, b, gpu.host(S.solve(gpu.array(b)).x)) <= 1.01e-8
    with pytest.raises(ost.ArgumentError, match="pattern"):
        S.update_values(gpu.matrix(sparse.eye(other.shape[0], format="csr")))
    assert residual(nonsymmetric, b, gpu.host(S.solve(gpu.array(b)).x)) <= 1.01e-8


def test_as_preconditioner(gpu, poisson, rng):
    b = rng.standard_normal(poisson.shape[0])
    M = ost.Solver(gpu.matrix(poisson)).as_preconditioner(1e-3)
    z = M @ gpu.array(b)
    assert isinstance(z, gpu.Array) and residual(poisson, b, gpu.host(z)) <= 1.01e-3
    assert residual(poisson, b, M @ b) <= 1.01e-3


def test_a_linear_operator_of_cupy_refuses(cupy, poisson):
    from cupyx.scipy.sparse.linalg import aslinearoperator

    with pytest.raises(ost.ArgumentError, match="LinearOperator"):
        ost.solve(aslinearoperator(cupy.matrix(poisson)), np.ones(poisson.shape[0]))


def test_preconditions_a_method_of_cupy(cupy, poisson, rng):
    from cupyx.scipy.sparse.linalg import cg

    there, b = cupy.matrix(poisson), cupy.array(rng.standard_normal(poisson.shape[0]))
    M = ost.Solver(there).as_preconditioner(1e-6)
    steps = []
    x, info = cg(there, b, rtol=1e-10, M=M, callback=lambda _: steps.append(1))
    assert info == 0 and len(steps) <= 5 and residual_there(there, b, x) <= 1.01e-10


def test_least_squares(gpu, rng):
    A = sparse.random(300, 80, 0.1, random_state=1, format="csr") + sparse.eye(300, 80, format="csr")
    A = A.tocsr()
    b = rng.standard_normal(300)
    x = gpu.host(ost.solve(gpu.matrix(A), gpu.array(b), rtol=1e-10).x)
    assert x.shape == (80,) and np.linalg.norm(A.T @ (b - A @ x)) <= 1e-8 * np.linalg.norm(A.T @ b)


def test_stencil(gpu):
    A = ost.StencilOperator((30, 30), {(0, 0): 4, (1, 0): -1, (-1, 0): -1, (0, 1): -1, (0, -1): -1})
    b = np.ones(900)
    r = ost.solve(A, gpu.array(b))
    assert isinstance(r.x, gpu.Array) and residual(ost.generate("poisson2d:30").tocsr(), b, gpu.host(r.x)) <= 1.01e-8


def test_what_works_on_the_cpu_refuses(gpu, poisson):
    there, b = gpu.matrix(poisson), gpu.array(np.ones(poisson.shape[0]))
    for A in (poisson, there):
        with pytest.raises(ost.ArgumentError, match="memory of a GPU"):
            ost.solve(A, b, device="cpu")
    with pytest.raises(ost.ArgumentError, match="memory of a GPU"):
        ost.Solver(there, device="cpu")
    S = ost.Solver(poisson, device="cpu")
    with pytest.raises(ost.ArgumentError, match="memory of GPU 0.*the CPU"):
        S.solve(b)
    with pytest.raises(ost.ArgumentError, match="memory of GPU 0"):
        S.update_values(there)
    with pytest.raises(ost.ArgumentError, match="CPU"):
        ost.solve(poisson, b, preconditioner=lambda r: r)
    with pytest.raises(ost.ArgumentError, match="name"):
        ost.solve(there, b, preconditioner=lambda r: r)
    with pytest.raises(ost.ArgumentError, match="CPU"):
        ost.solve(ost.Operator(poisson), b)
    for work in (lambda: ost.Operator(there), lambda: ost.preconditioner("ilu0", there), lambda: ost.inspect(there),
                 lambda: ost.Operator(poisson) @ b, lambda: in_place_of_scipy.cg(poisson, b),
                 lambda: in_place_of_scipy.cg(there, b)):
        with pytest.raises(TypeError, match="memory of a GPU"):
            work()


class Interface:
    """An array of a package that has __cuda_array_interface__ alone."""

    def __init__(self, a):
        self._a, self.shape, self.__cuda_array_interface__ = a, a.shape, a.__cuda_array_interface__


class Lent:
    """An array of a package that has DLPack alone, without a shape."""

    def __init__(self, a):
        self._a = a

    def __dlpack__(self, **given):
        return self._a.__dlpack__(**given)

    def __dlpack_device__(self):
        return self._a.__dlpack_device__()


@pytest.mark.parametrize("package", [Interface, Lent])
def test_other_packages(gpu, poisson, rng, package):
    b = rng.standard_normal(poisson.shape[0])
    right = package(gpu.array(b))
    x = ost.solve(poisson, right).x  # of CuPy or torch, whichever is there
    assert residual(poisson, b, x.get() if hasattr(x, "get") else x.cpu().numpy()) <= 1.01e-8
    assert ost.solve(poisson, package(gpu.columns(np.stack([b, -b], axis=1)))).x.shape == (len(b), 2)
    out = gpu.array(np.zeros(len(b)))
    assert ost.solve(gpu.matrix(poisson), right, package(gpu.array(b)), out=out).x is out
    assert residual(poisson, b, gpu.host(out)) <= 1.01e-8


@pytest.mark.parametrize("layout", ["csc", "bsr", "bsc"])
def test_layouts_of_torch(nonsymmetric, layout):
    """In host memory, too."""
    torch = pytest.importorskip("torch")
    A = torch.tensor(nonsymmetric.toarray())
    A = getattr(A, f"to_sparse_{layout}")(*([(2, 2)] if layout != "csc" else []))
    b = np.ones(nonsymmetric.shape[0])
    assert residual(nonsymmetric, b, ost.solve(A, b).x) <= 1.01e-8
    if ost.cuda_available() and torch.cuda.is_available():
        assert residual(nonsymmetric, b, ost.solve(A.cuda(), b).x) <= 1.01e-8


def test_gradients_do_not_hinder(poisson):
    if not ost.cuda_available():
        pytest.skip("no GPU, or a build without CUDA")
    torch = _torch().module
    b = torch.ones(poisson.shape[0], dtype=torch.float64, device="cuda", requires_grad=True)
    x = ost.solve(poisson, b).x
    assert not x.requires_grad and residual(poisson, b.detach().cpu().numpy(), x.cpu().numpy()) <= 1.01e-8


def test_the_second_gpu(cupy, poisson, rng):
    if cupy.module.cuda.runtime.getDeviceCount() < 2:
        pytest.skip("one GPU")
    b = rng.standard_normal(poisson.shape[0])
    there = cupy.matrix(poisson)
    with cupy.module.cuda.Device(1):
        right = cupy.array(b)
    r = ost.solve(poisson, right)
    assert r.x.device.id == 1 and residual(poisson, b, cupy.host(r.x)) <= 1.01e-8
    with pytest.raises(ost.ArgumentError, match="memory of GPU 0.*GPU 1"):
        ost.solve(there, right)
    with pytest.raises(ost.ArgumentError, match="memory of GPU 1.*GPU 0"):
        ost.Solver(there).solve(right)


def _late(gpu, b):
    """b, by work that takes some time on the current stream."""
    big = gpu.array(np.ones((3000, 3000)))
    for _ in range(30):
        big = big @ big * (1 / 3000)
    return gpu.array(b) * big[0, 0]


def test_waits_for_work_on_the_current_stream(gpu, poisson, rng):
    b = rng.standard_normal(poisson.shape[0])
    cuda = gpu.module.cuda
    if gpu.module.__name__ == "cupy":
        first, second = cuda.Stream(non_blocking=True), cuda.Stream(non_blocking=True)
    else:
        first, second = (cuda.stream(cuda.Stream()) for _ in range(2))
    S = ost.Solver(gpu.matrix(poisson))
    _late(gpu, b)
    with first:
        x = S.solve(_late(gpu, b)).x
    with second:  # x is there for any stream
        assert residual(poisson, b, gpu.host(x + 0)) <= 1.01e-8


def _bytes_through_the_host(torch, work, file):
    """Bytes that are copied between host and GPU, and the kernels that run, by the driver's own records."""
    activity = torch.profiler.ProfilerActivity
    with torch.profiler.profile(activities=[activity.CPU, activity.CUDA]) as p:
        work()
        torch.cuda.synchronize()
    p.export_chrome_trace(str(file))
    events = json.loads(file.read_text())["traceEvents"]
    copies = [e["args"].get("bytes", 0) for e in events if e.get("cat") == "gpu_memcpy" and "DtoD" not in e["name"]]
    return sum(copies), sum(e.get("cat") == "kernel" for e in events)


def test_nothing_goes_through_the_host(tmp_path):
    if not ost.cuda_available():
        pytest.skip("no GPU, or a build without CUDA")
    torch = _torch().module
    A = ost.generate("poisson2d:700").tocsr()
    S = ost.Solver(A, "jacobi", solver="cg", device="cuda", maxiter=50, effort="quick", on_failure="ignore")
    b = torch.ones(A.shape[0], dtype=torch.float64, device="cuda")
    here = np.ones(A.shape[0])
    S.solve(b)
    there, kernels = _bytes_through_the_host(torch, lambda: S.solve(b), tmp_path / "there")
    if kernels == 0:
        pytest.skip("the profiler records nothing here")
    both, _ = _bytes_through_the_host(torch, lambda: S.solve(here), tmp_path / "both")
    assert there < b.nbytes / 10 and both >= 2 * b.nbytes


class OnGpu:
    """Says that it is in the memory of a GPU."""

    def __init__(self, shape):
        self.shape, self.dtype = shape, np.dtype(np.float64)

    __cuda_array_interface__ = {"shape": (576,), "typestr": "<f8", "data": (0, False), "version": 3}


def test_refusals_anywhere(poisson):
    b = OnGpu((poisson.shape[0],))
    with pytest.raises(ost.ArgumentError, match="device='cpu'.*memory of a GPU"):
        ost.solve(poisson, b, device="cpu")
    with pytest.raises(TypeError, match="memory of a GPU"):
        ost.Operator(poisson) @ b
    with pytest.raises(TypeError, match="memory of a GPU"):
        in_place_of_scipy.cg(poisson, b)


@pytest.mark.skipif(ost.cuda_available(), reason="there is a GPU")
def test_without_a_gpu_the_error_says_so(poisson):
    b, ones = OnGpu((poisson.shape[0],)), np.ones(poisson.shape[0])
    A = OnGpu((576, 576))
    works = [lambda: ost.solve(poisson, b), lambda: ost.solve(poisson, ones, out=b), lambda: ost.solve(A, ones),
             lambda: ost.Solver(poisson).solve(b), lambda: ost.Solver(poisson).update_values(A),
             lambda: ost.Solver(poisson).as_preconditioner() @ b, lambda: ost.solve((b, b, b, poisson.shape), ones)]
    for work in works:
        with pytest.raises(ost.DeviceError, match="memory of a GPU.*(no CUDA|no NVIDIA driver|no usable)"):
            work()
