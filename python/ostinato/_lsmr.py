# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
"""LSMR with damping and the tests of its paper: Fong and Saunders, SIAM J. Sci. Comput. 33 (2011) 2950.

Section numbers are those of the paper. The method of C++ (solvers/methods/lsmr.hpp) judges by other tests.
"""
import math

import numpy as np

from ._errors import ArgumentError

_EPS = float(np.finfo(float).eps)


def _rotation(a, b):
    """c, s and r with c a + s b = r and s a - c b = 0."""
    r = math.hypot(a, b)
    return (a / r, b / r, r) if r > 0 else (1.0, 0.0, 0.0)


def _normalised(v):
    """v / ||v||, in place, and ||v||."""
    length = float(np.linalg.norm(v))
    if 0 < length < math.inf:
        v /= length
    return v, length


class _Norms:
    """What the bidiagonal matrix tells of ||r||, ||A|| and the condition of A (sections 5.2 to 5.4)."""

    def __init__(self, alpha, beta):
        self._beta, self._beta_dot, self._rho_dot = beta, 0.0, 1.0
        self._tau, self._theta, self._zeta = 0.0, 0.0, 0.0
        self._damped = 0.0
        self._squares = alpha * alpha
        self._largest, self._smallest, self._last = 0.0, math.inf, None
        self.r, self.a, self.condition = beta, alpha, 1.0

    def add_matrix(self, alpha, beta, rho_bar, rho_bar_next):
        """rho_bar: that of the iteration; rho_bar_next: what that of the next one begins with."""
        self._squares += beta * beta
        self.a = math.sqrt(self._squares)
        self._squares += alpha * alpha
        if self._last is not None:
            self._largest, self._smallest = max(self._largest, self._last), min(self._smallest, self._last)
        self._last = rho_bar
        low = min(self._smallest, rho_bar_next)
        self.condition = max(self._largest, rho_bar_next) / low if low > 0 else math.inf

    def add_residual(self, damped, step, theta_bar, rho_bar, zeta):
        """damped and step: cosine and sine of the rotations with the damping and with beta."""
        (c_hat, s_hat), (c, s) = damped, step
        kept, lost = c_hat * self._beta, s_hat * self._beta
        beta_hat, self._beta = c * kept, -s * kept
        c_tilde, s_tilde, rho_tilde = _rotation(self._rho_dot, theta_bar)
        self._tau = (self._zeta - self._theta * self._tau) / rho_tilde if rho_tilde > 0 else 0.0
        self._theta, self._rho_dot = s_tilde * rho_bar, c_tilde * rho_bar
        self._beta_dot = c_tilde * beta_hat - s_tilde * self._beta_dot
        self._zeta = zeta
        self._damped += lost * lost
        tau_dot = (zeta - self._theta * self._tau) / self._rho_dot if self._rho_dot != 0 else 0.0
        self.r = math.sqrt(self._damped + (self._beta_dot - tau_dot) ** 2 + self._beta * self._beta)


class Goals:
    """The tests of section 6, and whether rounding lets them be passed; the numbers are those of istop."""

    def __init__(self, b_norm, atol, btol, conlim):
        self._b, self._atol, self._btol = b_norm, atol, btol
        self._ctol = 1 / conlim if conlim > 0 else 0.0

    def reached(self, r, gradient, a, condition, x):
        """istop, or None."""
        for istop, atol, btol, ctol in ((1, self._atol, self._btol, self._ctol), (4, _EPS, _EPS, _EPS)):
            if r <= btol * self._b + atol * a * x:
                return istop
            if gradient <= atol * a * r:
                return istop + 1
            if 1 <= ctol * condition:
                return istop + 2
        return None


def lsmr(product, transposed, b, x, damp, goals, maxiter):
    """Minimises ||b - A x||^2 + damp^2 ||x - x0||^2, where x holds x0 at first and then the solution.

    product(v) is A v, transposed(u) A^T u. Returns istop, the iterations and the _Norms. Throws ArgumentError, with a
    finite x, where numbers aren't finite.
    """
    u, beta = _normalised(b - product(x) if x.any() else b.copy())
    v, alpha = _normalised(transposed(u))
    norms = _Norms(alpha, beta)
    alpha_bar, zeta_bar = alpha, alpha * beta
    rho, rho_bar, c_bar, s_bar = 1.0, 1.0, 1.0, 0.0
    h, h_bar = v.copy(), np.zeros_like(v)
    if zeta_bar == 0:
        return 0, 0, norms
    if not math.isfinite(zeta_bar):
        raise ArgumentError("lsmr: A, b or x0 holds NaN or infinity")
    for iteration in range(1, maxiter + 1):
        u, beta = _normalised(product(v) - alpha * u)
        v, alpha = _normalised(transposed(u) - beta * v)
        if not (math.isfinite(alpha) and math.isfinite(beta)):
            raise ArgumentError("lsmr: A or b holds NaN or infinity, or products leave the range of the numbers")
        c_hat, s_hat, alpha_hat = _rotation(alpha_bar, damp)
        rho_before, (c, s, rho) = rho, _rotation(alpha_hat, beta)
        theta, alpha_bar = s * alpha, c * alpha
        rho_bar_before, theta_bar = rho_bar, s_bar * rho
        begun = c_bar * rho
        c_bar, s_bar, rho_bar = _rotation(begun, theta)
        zeta, zeta_bar = c_bar * zeta_bar, -s_bar * zeta_bar

        h_bar *= -theta_bar * rho / (rho_before * rho_bar_before)
        h_bar += h
        x += zeta / (rho * rho_bar) * h_bar
        h *= -theta / rho
        h += v

        norms.add_residual((c_hat, s_hat), (c, s), theta_bar, rho_bar, zeta)
        norms.add_matrix(alpha, beta, rho_bar, begun)
        istop = goals.reached(norms.r, abs(zeta_bar), norms.a, norms.condition, float(np.linalg.norm(x)))
        if istop is not None:
            return istop, iteration, norms
    return 7, maxiter, norms
