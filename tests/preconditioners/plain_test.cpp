// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// Preconditioners on a space of a program, made of the public headers.

#include "support/plain_solves.hpp"

#include <ostinato/preconditioners/definitions.hpp>
#include <ostinato/solvers/definitions.hpp>

namespace ostinato::test {
namespace {

TEST(PlainSpace, PreconditionsByJacobi) {
  expect_same_with([]<class Space>(const Analysis<Space, double>& a) { return Jacobi<Space, double>(a); });
}

TEST(PlainSpace, PreconditionsByChebyshev) {
  expect_same_with([]<class Space>(const Analysis<Space, double>& a) { return Chebyshev<Space, double>(a); });
}

TEST(PlainSpace, PreconditionsByFsai) {
  expect_same_with([]<class Space>(const Analysis<Space, double>& a) { return Fsai<Space, double>(a); });
}

TEST(PlainSpace, PreconditionsByIlu0) {
  expect_same_with([]<class Space>(const Analysis<Space, double>& a) { return Ilu0<Space, double>(a); });
  expect_same_with([]<class Space>(const Analysis<Space, double>& a) { return Ic0<Space, double>(a); });
}

}  // namespace
}  // namespace ostinato::test
