// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <ostinato/spmv/matrix/generate.hpp>

namespace ostinato::generate_detail {

/// The number of rows, copies * n^dimensions. Throws ArgumentError when n < 1 or when the number of rows exceeds
/// 2^31 - 1. The message names the family, the value and the limit.
Index checked_rows(std::string_view family, Index n, int dimensions, std::int64_t copies = 1);

/// Throws ArgumentError when the number of rows exceeds 2^31 - 1, as checked_rows() does.
Index require_limit(std::string_view family, Index n, std::int64_t rows);

/// Throws ArgumentError unless low <= value <= high (so also for NaN).
void check_range(std::string_view family, std::string_view option, double value, double low, double high);

// The families, which the comment of generate() describes. Error messages contain the name `family`. All functions are
// instantiated for float and double.
template <class T, int D>
Csr<T> poisson(std::string_view family, const GenerateOptions& options);
template <class T>
Csr<T> anisotropic(std::string_view family, const GenerateOptions& options);
template <class T, int D>
Csr<T> variable(std::string_view family, const GenerateOptions& options);
template <class T, int D>
Csr<T> convection_diffusion(std::string_view family, const GenerateOptions& options);
template <class T, int D>
Csr<T> pde(std::string_view family, const GenerateOptions& options);
template <class T, int D>
Csr<T> kgs(std::string_view family, const GenerateOptions& options);
template <class T>
Csr<T> maxwell2d(std::string_view family, const GenerateOptions& options);
template <class T>
Csr<T> fem27(std::string_view family, const GenerateOptions& options);
template <class T, int D>
Csr<T> laplace_on_mesh(std::string_view family, const GenerateOptions& options);
template <class T>
Csr<T> elasticity(std::string_view family, const GenerateOptions& options);
template <class T>
Csr<T> rmat(std::string_view family, const GenerateOptions& options);
template <class T>
Csr<T> banded(std::string_view family, const GenerateOptions& options);
template <class T>
Csr<T> random(std::string_view family, const GenerateOptions& options);
template <class T>
Csr<T> dense_row(std::string_view family, const GenerateOptions& options);
template <class T>
Csr<T> powerlaw(std::string_view family, const GenerateOptions& options);

// The stencils of the families with constant coefficients; nothing where the options make them vary.
template <int D>
std::optional<Stencil> poisson_stencil(std::string_view family, const GenerateOptions& options);
std::optional<Stencil> anisotropic_stencil(std::string_view family, const GenerateOptions& options);
template <int D>
std::optional<Stencil> convection_diffusion_stencil(std::string_view family, const GenerateOptions& options);

/// The coordinates of the points of elasticity(), see generate_coordinates().
std::vector<double> elasticity_coordinates(std::string_view family, const GenerateOptions& options);

}  // namespace ostinato::generate_detail
