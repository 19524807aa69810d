// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/contract/application.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <ostinato/preconditioners/chebyshev.hpp>
#include <ostinato/preconditioners/function_preconditioner.hpp>
#include <ostinato/preconditioners/jacobi.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>
#include <ostinato/strategy/solve_by_name.hpp>

#include "support/matrices.hpp"
#include "support/preconditioning.hpp"
#include "support/spaces.hpp"

// What every preconditioner does with vectors of another size, and with a second thread.

namespace ostinato::test {
namespace {

const std::vector<std::string> for_all_threads = {"none", "jacobi", "block-jacobi", "spai0"};
const std::vector<std::string> for_one_thread = {"ssor",
                                                 "ssor:sweep=forward",
                                                 "chebyshev",
                                                 "fsai",
                                                 "fsai:pattern=adaptive",
                                                 "multigrid:kind=structured",
                                                 "multigrid:kind=classical",
                                                 "multigrid:kind=aggregation",
                                                 "multigrid:kind=pairwise",
                                                 "multigrid:kind=plain",
                                                 "ilu0",
                                                 "ilu0:precision=float",
                                                 "iluk:level=1",
                                                 "ilut",
                                                 "lu",
                                                 "ic0",
                                                 "ict",
                                                 "cholesky"};

std::vector<std::string> all_names() {
  std::vector<std::string> names = for_all_threads;
  names.insert(names.end(), for_one_thread.begin(), for_one_thread.end());
  return names;
}

template <class Case>
class ApplicationOn : public SpaceTest<Case> {
 protected:
  /// Expects a DimensionError that names the rows and both lengths.
  template <class F>
  void expect_lengths(const std::string& name, std::size_t rows, std::size_t r, std::size_t z, F apply) {
    try {
      apply();
      ADD_FAILURE() << name << " took vectors of " << r << " and " << z << " elements";
    } catch (const DimensionError& e) {
      const std::string what = e.what();
      for (const std::size_t size : {rows, r, z})
        EXPECT_NE(what.find(std::to_string(size)), std::string::npos) << name << ": " << what;
    }
  }
};

TYPED_TEST_SUITE(ApplicationOn, EverySpace, SpaceNames);

TYPED_TEST(ApplicationOn, RefusesVectorsOfAnotherLength) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const Analysis<Space, T> analysis(this->space(), generate<T>("variable2d", {.n = 24}));
  const std::size_t n = 576;
  for (const std::string& name : all_names()) {
    if (is_single<T> && name.find("precision=float") != std::string::npos) continue;
    const AnyPreconditioner<Space, T> m(analysis, name);
    for (const auto& [r_size, z_size] :
         {std::pair<std::size_t, std::size_t>{10, 10}, {n, n - 1}, {n - 1, n}, {n + 1, n}, {0, n}, {n, 0}}) {
      const auto r = this->put(std::vector<T>(r_size, T{1}));
      auto z = this->put(std::vector<T>(z_size));
      Vector<Space, double> slot(this->space(), 1);
      this->expect_lengths(name, n, r_size, z_size, [&] { m.apply(r, z); });
      if (name == "none") continue;
      EXPECT_THROW(m.apply_dot(r, z, slot.data()), DimensionError) << name;
      if (const auto* const lower = m.lower()) {
        const Vector<Space, float> low(this->space(), r_size, 1.0f);
        Vector<Space, float> to(this->space(), z_size);
        EXPECT_THROW(lower->apply_dot(low, to, slot.data()), DimensionError) << name;
      }
    }
    const auto r = this->put(std::vector<T>(n, T{1}));
    auto z = this->put(std::vector<T>(n));
    EXPECT_NO_THROW(m.apply(r, z)) << name;
  }
}

TEST(FunctionPreconditioner, IsNotCalledForVectorsOfDifferentLengths) {
  bool called = false;
  const auto m = make_preconditioner([&called](std::span<const double>, std::span<double>) { called = true; });
  std::vector<double> r(3), z(2);
  EXPECT_THROW(m.apply(std::span<const double>(r), std::span<double>(z)), DimensionError);
  EXPECT_FALSE(called);
}

TEST(OneThread, KeepsASecondCallOut) {
  const OneThread one;
  {
    const auto within = one.enter("ilu0");
    try {
      const auto second = one.enter("ilu0");
      ADD_FAILURE() << "two were within";
    } catch (const ArgumentError& e) {
      EXPECT_EQ(std::string(e.what()).rfind("ilu0: another thread", 0), 0u) << e.what();
      EXPECT_NE(std::string(e.what()).find("an object for each thread"), std::string::npos) << e.what();
    }
  }
  EXPECT_NO_THROW((void)one.enter("ilu0"));
}

TEST(OneThread, IsFreeAfterAnExceptionAndAfterAMove) {
  OneThread one;
  try {
    const auto within = one.enter("ilu0");
    throw ArgumentError("from within");
  } catch (const ArgumentError&) {
  }
  const auto within = one.enter("ilu0");
  OneThread other(std::move(one));
  EXPECT_NO_THROW((void)other.enter("ilu0"));
}

/// What two threads get that apply one object at once, many times: every result is right, or was refused.
void expect_right_or_refused(const std::string& name, bool may_be_refused) {
  const Analysis<Host, double> analysis(Host(), generate<double>("variable2d", {.n = 40}));
  const AnyPreconditioner<Host, double> m(analysis, name);
  const std::vector<double> r = random_vector<double>(1600, 3);
  std::vector<double> expected(r.size());
  m.apply(r, expected);
  std::atomic<int> wrong = 0, refused = 0;
  const auto work = [&] {
    std::vector<double> z(r.size());
    for (int k = 0; k < 300; ++k) {
      try {
        m.apply(r, z);
        wrong += z != expected;
      } catch (const ArgumentError&) {
        ++refused;
      }
    }
  };
  std::thread first(work), second(work);
  first.join();
  second.join();
  EXPECT_EQ(wrong, 0) << name;
  if (!may_be_refused) {
    EXPECT_EQ(refused, 0) << name;
  }
  std::vector<double> after(r.size());
  m.apply(r, after);
  EXPECT_EQ(after, expected) << name << ": free again";
}

TEST(Application, ByTwoThreadsIsRightOrRefused) {
  for (const std::string& name : for_one_thread) expect_right_or_refused(name, true);
  for (const std::string& name : for_all_threads) expect_right_or_refused(name, false);
}

/// M that waits inside until it was applied by a second thread.
TEST(Application, ASolveInASecondThreadSaysWhatToDo) {
  const auto a = generate<double>("variable2d", {.n = 20});
  const Host space;
  const Operator<Host, double> op(space, a);
  std::atomic<bool> is_within = false, is_done = false;
  const OneThread one;
  const auto slow = make_preconditioner([&](std::span<const double> r, std::span<double> z) {
    const auto within = one.enter("slow");
    is_within = true;
    while (!is_done) std::this_thread::yield();
    std::copy(r.begin(), r.end(), z.begin());
  });
  const std::vector<double> b(400, 1);
  std::vector<double> x(400), y(400);
  std::thread first([&] { EXPECT_TRUE(cg(space, op, b, x, slow)); });
  while (!is_within) std::this_thread::yield();
  try {
    cg(space, op, b, y, slow);
    ADD_FAILURE() << "the second solve said nothing";
  } catch (const ArgumentError& e) {
    EXPECT_NE(std::string(e.what()).find("an object for each thread"), std::string::npos) << e.what();
  }
  is_done = true;
  first.join();
}

}  // namespace
}  // namespace ostinato::test
