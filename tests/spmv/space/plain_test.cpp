// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// A space of a program, made of the public headers: its products are those of Host, to rounding. The methods and the
// preconditioners are in tests/solvers/plain_test.cpp and tests/preconditioners/plain_test.cpp.

#include "support/plain_solves.hpp"

#include <string>

namespace ostinato::test {
namespace {

static_assert(HasLoops<plain::Plain, Sums<1>>);

template <class Space>
std::vector<double> product(const Space& space, const Csr<double>& a, const std::string& format) {
  const Operator<Space, double> op(space, a, {.format = format});
  EXPECT_EQ(op.format(), format);
  const Vector<Space, double> x(space, std::span<const double>(ramp(static_cast<std::size_t>(a.cols))));
  Vector<Space, double> y(space, static_cast<std::size_t>(a.rows), NAN);
  op.apply(2, x, 0, y);
  op.apply(-1, x, 0.5, y);
  return y.download();
}

TEST(PlainSpace, MultipliesAsHostDoes) {
  for (const char* name : {"poisson2d", "convection-diffusion2d"}) {
    const Csr<double> a = generate<double>(name, {.n = 17});
    for (const char* format : {"csr", "dia"})
      EXPECT_LT(distance(product(plain::Plain(), a, format), product(Host(), a, format)), 1e-13)
          << name << " " << format;
  }
}

}  // namespace
}  // namespace ostinato::test
