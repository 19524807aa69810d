// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/matrix/generate.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <string>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>
#include <ostinato/spmv/matrix/generate/families.hpp>
#include <ostinato/spmv/matrix/generate/numbering.hpp>
#include <ostinato/spmv/ordering/renumber.hpp>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato {
namespace generate_detail {

Index checked_rows(std::string_view family, Index n, int dimensions, std::int64_t copies) {
  if (n < 1) throw ArgumentError("generate " + std::string(family) + ": n = " + std::to_string(n) + " is less than 1");
  std::int64_t rows = copies;
  bool fits = true;
  for (int d = 0; d < dimensions; ++d) fits = !__builtin_mul_overflow(rows, std::int64_t{n}, &rows) && fits;
  return require_limit(family, n, fits ? rows : std::numeric_limits<std::int64_t>::max());
}

Index require_limit(std::string_view family, Index n, std::int64_t rows) {
  constexpr std::int64_t limit = std::numeric_limits<Index>::max();
  if (rows <= limit) return static_cast<Index>(rows);
  const bool fits = rows < std::numeric_limits<std::int64_t>::max();
  throw ArgumentError("generate " + std::string(family) + ": n = " + std::to_string(n) + " gives " +
                      (fits ? std::to_string(rows) : "at least 2^63") + " rows, and the limit is " +
                      std::to_string(limit));
}

void check_range(std::string_view family, std::string_view option, double value, double low, double high) {
  if (value >= low && value <= high) return;
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), " = %g is not within %g .. %g", value, low, high);
  throw ArgumentError("generate " + std::string(family) + ": " + std::string(option) + text.data());
}

namespace {

template <class T>
struct Family {
  GeneratorInfo info;
  Csr<T> (*make)(std::string_view family, const GenerateOptions& options);
  std::optional<Stencil> (*make_stencil)(std::string_view family, const GenerateOptions& options) = nullptr;
  std::vector<double> (*make_coordinates)(std::string_view family, const GenerateOptions& options) = nullptr;
};

/// The only list of families. Dispatch, help and error messages use this list.
template <class T>
constexpr std::array<Family<T>, 21> families = {{
    {{"poisson2d", "n [periodic] [renumbered]", "5-point Laplacian on n x n, symmetric positive definite"},
     poisson<T, 2>,
     poisson_stencil<2>},
    {{"poisson3d", "n [periodic] [renumbered]", "7-point Laplacian on n x n x n, symmetric positive definite"},
     poisson<T, 3>,
     poisson_stencil<3>},
    {{"anisotropic", "n [anisotropy] [periodic] [renumbered]",
      "5-point -u_xx - epsilon u_yy on n x n, symmetric positive definite"},
     anisotropic<T>,
     anisotropic_stencil},
    {{"variable2d", "n [periodic] [renumbered] [seed]",
      "-div(a grad u), a smooth plus random, on n x n, symmetric positive definite"},
     variable<T, 2>},
    {{"variable3d", "n [periodic] [renumbered] [seed]",
      "-div(a grad u), a smooth plus random, on n x n x n, symmetric positive definite"},
     variable<T, 3>},
    {{"convection-diffusion2d", "n [peclet] [rotating] [renumbered]",
      "upwind convection and diffusion on n x n, an M-matrix"},
     convection_diffusion<T, 2>,
     convection_diffusion_stencil<2>},
    {{"convection-diffusion3d", "n [peclet] [rotating] [renumbered]",
      "upwind convection and diffusion on n x n x n, an M-matrix"},
     convection_diffusion<T, 3>,
     convection_diffusion_stencil<3>},
    {{"pde2d", "n [renumbered]", "elliptic equation with smooth coefficients on n x n, 5 diagonals, nonsymmetric"},
     pde<T, 2>},
    {{"pde3d", "n [renumbered]", "elliptic equation with smooth coefficients on n x n x n, 7 diagonals, nonsymmetric"},
     pde<T, 3>},
    {{"kgs2d", "n [renumbered]", "two coupled 5-point grids of n x n, 7 diagonals, nonsymmetric"}, kgs<T, 2>},
    {{"kgs3d", "n [renumbered]", "two coupled 7-point grids of n x n x n, 9 diagonals, nonsymmetric"}, kgs<T, 3>},
    {{"maxwell2d", "n [renumbered]", "three coupled fields on n x n, 18 broken diagonals, nonsymmetric"}, maxwell2d<T>},
    {{"fem27", "n [unknowns] [constant] [renumbered] [seed]",
      "27-point, dense blocks, n x n x n nodes, symmetric positive definite"},
     fem27<T>},
    {{"mesh2d", "n [seed]",
      "P1 Laplacian on triangles, n x n inner vertices, numbered at random, symmetric positive definite"},
     laplace_on_mesh<T, 2>},
    {{"mesh3d", "n [seed]",
      "P1 Laplacian on tetrahedra, n x n x n inner vertices, numbered at random, symmetric positive definite"},
     laplace_on_mesh<T, 3>},
    {{"elasticity3d", "n [seed]",
      "an elastic cube of n x n x n cells of tetrahedra, one face held, symmetric positive definite"},
     elasticity<T>,
     nullptr,
     elasticity_coordinates},
    {{"rmat", "n [entries_per_row] [seed]", "R-MAT graph, n rounded up to a power of two rows"}, rmat<T>},
    {{"banded", "n [bandwidth] [broken] [scatter] [seed]", "n rows, broken diagonals and scatter points"}, banded<T>},
    {{"random", "n [entries_per_row] [seed]", "n rows of equal length, columns spread over the row"}, random<T>},
    {{"dense-row", "n [seed]", "n rows, a diagonal and one full row in the middle"}, dense_row<T>},
    {{"powerlaw", "n [seed]", "n rows, web-like links, about 3 entries a row"}, powerlaw<T>},
}};

}  // namespace
}  // namespace generate_detail

std::span<const GeneratorInfo> generators() {
  using generate_detail::families;
  static constexpr auto infos = [] {
    std::array<GeneratorInfo, families<double>.size()> list{};
    std::transform(families<double>.begin(), families<double>.end(), list.begin(),
                   [](const auto& f) { return f.info; });
    return list;
  }();
  return infos;
}

namespace {

bool reads(const GeneratorInfo& info, std::string_view option) {
  return info.arguments.find("[" + std::string(option) + "]") != std::string_view::npos;
}

template <class T>
const generate_detail::Family<T>& family_called(std::string_view name) {
  for (const auto& family : generate_detail::families<T>)
    if (same_name(family.info.name, name)) return family;
  std::vector<std::string> known;
  for (const GeneratorInfo& info : generators()) known.emplace_back(info.name);
  throw ArgumentError("generate: " + unknown_name("family", name, known));
}

}  // namespace

template <class T>
Csr<T> generate(std::string_view family, const GenerateOptions& options) {
  using namespace generate_detail;
  const Family<T>& called = family_called<T>(family);
  Csr<T> a = called.make(family, options);
  if (!options.renumbered || !reads(called.info, "renumbered")) return a;
  const int block = reads(called.info, "unknowns") ? options.unknowns : 1;
  return renumber<T>(Host(), a, random_order(a.rows, 1, block), checked);
}

std::optional<Stencil> generate_stencil(std::string_view family, const GenerateOptions& options) {
  const auto make = family_called<double>(family).make_stencil;
  if (make == nullptr || options.renumbered) return {};
  return make(family, options);
}

std::vector<double> generate_coordinates(std::string_view family, const GenerateOptions& options) {
  const auto make = family_called<double>(family).make_coordinates;
  return make == nullptr ? std::vector<double>() : make(family, options);
}

#define OSTINATO_INSTANTIATE(T) template Csr<T> generate<T>(std::string_view, const GenerateOptions&)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato
