# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

import ostinato as ost


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def residual(A, b, x):
    """||b - A x|| / ||b|| by NumPy and SciPy alone."""
    return np.linalg.norm(b - A @ x) / np.linalg.norm(b)


@pytest.fixture
def poisson():
    return ost.generate("poisson2d:24").tocsr()


@pytest.fixture
def nonsymmetric():
    return ost.generate("convection-diffusion2d:16:peclet=3").tocsr()
