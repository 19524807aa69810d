// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/side_stream.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/operator.hpp>
#include <ostinato/spmv/space/parallel.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>

#include "support/matrices.hpp"
#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class SideStreamOn : public SpaceTest<Case> {
 protected:
  using Home = typename Case::Space;
  using Value = typename Case::T;

  /// Sums of both kinds of work, `rounds` of each.
  struct Sums {
    std::vector<double> of_space, beside;
    bool operator==(const Sums&) const = default;
  };

  Sums sums(std::size_t n, std::size_t rounds, bool is_beside) const {
    const Home& space = this->space();
    const auto x = this->put(random_vector<Value>(static_cast<Index>(n), 1));
    const auto y = this->put(random_vector<Value>(static_cast<Index>(n), 2));
    Vector<Home, Value> u(space, n), v(space, n);
    Vector<Home, double> of_space(space, rounds, 0.0), beside(space, rounds, 0.0);
    for (std::size_t k = 0; k < rounds; ++k) {
      space.copy(u.data(), x.data(), x.bytes());
      const auto other = [&] {
        space.copy(v.data(), u.data(), u.bytes());
        dot<Value>(space, v, v, beside.data() + k);
      };
      if (!is_beside) {
        other();
        dot<Value>(space, x, y, of_space.data() + k);
        continue;
      }
      SideStream<Home> side(space);
      side.mark();
      dot<Value>(space, x, y, of_space.data() + k);
      side.run(other);
      dot<Value>(space, x, y, of_space.data() + k);
      if (k % 2 == 0) side.join();  // else the destructor does
    }
    return {of_space.download(), beside.download()};
  }
};

TYPED_TEST_SUITE(SideStreamOn, EverySpace, SpaceNames);

TYPED_TEST(SideStreamOn, GivesTheBitsOfTheSpaceAlone) {
  for (const std::size_t n : {0, 1, 31, 597, 3000000})
    EXPECT_EQ(this->sums(n, 20, true), this->sums(n, 20, false)) << n;
}

TYPED_TEST(SideStreamOn, HasTwoStreams) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const Space& space = this->space();
  for (const std::size_t n : {0, 1, 597, 1000000}) {
    const auto x = this->put(random_vector<T>(static_cast<Index>(n), 1));
    const auto y = this->put(random_vector<T>(static_cast<Index>(n), 2));
    Vector<Space, double> sums(space, 6, 0.0);
    dot<T>(space, x, y, sums.data());
    dot<T>(space, x, x, sums.data() + 1);
    dot<T>(space, y, y, sums.data() + 2);
    {
      SideStream<Space> first(space, 0), second(space, 1);
      first.mark();
      second.mark();
      first.run([&] { dot<T>(space, x, x, sums.data() + 4); });
      second.run([&] { dot<T>(space, y, y, sums.data() + 5); });
      dot<T>(space, x, y, sums.data() + 3);
    }
    const std::vector<double> found = sums.download();
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(found[k + 3], found[k]) << n << ", sum " << k;
  }
  if constexpr (Space::has_streams) {
    EXPECT_THROW(SideStream<Space>(space, 2), ArgumentError);
  }
}

TYPED_TEST(SideStreamOn, JoinsBothStreamsAfterAnException) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const Space& space = this->space();
  const auto x = this->put(random_vector<T>(1000000, 1));
  Vector<Space, double> sums(space, 2, 0.0);
  try {
    SideStream<Space> first(space, 0), second(space, 1);
    first.mark();
    second.mark();
    first.run([&] { dot<T>(space, x, x, sums.data()); });
    second.run([&] {
      dot<T>(space, x, x, sums.data() + 1);
      throw std::runtime_error("stop");
    });
    ADD_FAILURE() << "run() has to let the exception through";
  } catch (const std::runtime_error&) {
  }
  const std::vector<double> found = sums.download();
  EXPECT_GT(found[0], 0);
  EXPECT_EQ(found[1], found[0]);
}

TYPED_TEST(SideStreamOn, MultipliesInEachFormat) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const Csr<T> a = generate<T>("variable3d", {.n = 20});
  const auto x = this->put(random_vector<T>(a.rows, 1));
  for (const char* format : {"csr", "cusparse-alg1", "cusparse-alg2", "sliced-ell", "dia", "bccoo", "cmrs"}) {
    SCOPED_TRACE(format);
    if (!Space::has_streams && std::string(format).starts_with("cusparse")) continue;
    const Operator<Space, T> op(this->space(), a, FormatOptions{.format = format});
    Vector<Space, T> expected(this->space(), static_cast<std::size_t>(a.rows)), y(this->space(), expected.size());
    op.apply(1, x, 0, expected);
    SideStream<Space> side(this->space());
    side.mark();
    side.run([&] { op.apply(1, x, 0, y); });
    side.join();
    EXPECT_EQ(y.download(), expected.download());
  }
}

TYPED_TEST(SideStreamOn, LeavesTheSpaceItsStreamAfterAnException) {
  SideStream<typename TypeParam::Space> side(this->space());
  side.mark();
  EXPECT_THROW(side.run([] { throw std::runtime_error("stop"); }), std::runtime_error);
  EXPECT_EQ(this->sums(597, 3, true), this->sums(597, 3, false));
  if constexpr (TypeParam::Space::has_streams) {
    const auto stream = this->space().stream();
    side.mark();
    side.run([&] { EXPECT_NE(this->space().stream(), stream); });
    EXPECT_EQ(this->space().stream(), stream);
  }
}

}  // namespace
}  // namespace ostinato::test
