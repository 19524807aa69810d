// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/contract/preconditioner.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

#include <ostinato/preconditioners/identity.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/strategy/any_preconditioner.hpp>

#include "support/matrices.hpp"
#include "support/reference.hpp"
#include "support/spaces.hpp"

namespace ostinato::test {
namespace {

template <class Case>
class PreconditionerOn : public SpaceTest<Case> {};

TYPED_TEST_SUITE(PreconditionerOn, EverySpace, SpaceNames);

TYPED_TEST(PreconditionerOn, BlocksGoColumnByColumn) {
  using T = typename TypeParam::T;
  using Space = typename TypeParam::Space;
  const auto a = generate<T>("poisson2d", {.n = 70});
  const auto n = static_cast<std::size_t>(a.rows), stride = n + 2;
  constexpr int columns = 2;
  auto r = this->put(random_vector<T>(static_cast<Index>(columns * stride), 1));
  for (const char* name : {"none", "jacobi", "ilu0", "multigrid", "auto"}) {
    SCOPED_TRACE(name);
    const AnyPreconditioner<Space, T> m(this->space(), a, name);
    auto z = this->put(random_vector<T>(static_cast<Index>(columns * stride), 2)), alone = this->put(z.download());
    const Block<T> of_r(r.data(), n, columns, stride), of_z(z.data(), n, columns, stride),
        of_alone(alone.data(), n, columns, stride);
    Vector<Space, double> slots(this->space(), columns), slot(this->space(), columns);

    m.apply_dot(of_r, of_z, slots.data());
    for (int k = 0; k < columns; ++k) m.apply_dot(of_r.column(k), of_alone.column(k), slot.data() + k);
    EXPECT_TRUE(same_bits(z.download(), alone.download()));
    EXPECT_EQ(slots.download(), slot.download());

    m.apply(of_r, of_z);
    for (int k = 0; k < columns; ++k) m.apply(of_r.column(k), of_alone.column(k));
    EXPECT_TRUE(same_bits(z.download(), alone.download()));
  }
}

/// A preconditioner of a user: z = r.
template <class T>
struct UsersCopy {
  static constexpr const char* name = "copy";
  void apply(std::span<const T> r, std::span<T> z) const { std::copy(r.begin(), r.end(), z.begin()); }
  int rows() const { return 3; }
  float rate() const { return 0.25f; }
  bool symmetric() const { return false; }
  short null_pivots() const { return 2; }
};

TEST(Preconditioner, AClassOfAUserIsWrapped) {
  const UsersCopy<double> user;
  const auto& adapted = detail::as_preconditioner<Host, double>(Host(), user);
  const PreconditionerRef<Host, double> m(adapted);
  EXPECT_EQ(m.name(), "copy");
  EXPECT_EQ(m.rows(), 3u);
  EXPECT_EQ(m.rate(), 0.25);
  EXPECT_EQ(m.null_pivots(), 2);
  EXPECT_FALSE(m.symmetric());
  EXPECT_FALSE(m.capturable());
  EXPECT_FALSE(m.varies());
  EXPECT_FALSE(m.is_identity());
  EXPECT_EQ(m.bytes(), 0u);
  EXPECT_EQ(m.lower(), nullptr);
  const std::vector<double> r = {1, -2, 3};
  std::vector<double> z(3);
  double slot = 0;
  m.apply_dot(Host(), r, z, &slot);
  EXPECT_EQ(z, r);
  EXPECT_EQ(slot, 14);
}

/// Says at run time that it changes nothing.
struct MayBeIdentity {
  bool changes_nothing;
  bool is_identity() const { return changes_nothing; }
  bool capturable() const { return true; }
  void apply(std::span<const double>, std::span<double>) const {}
};

TEST(Preconditioner, HearsWhatAClassOfAUserSaysAtRunTime) {
  const MayBeIdentity none{true}, some{false};
  EXPECT_TRUE((detail::as_preconditioner<Host, double>(Host(), none).is_identity()));
  EXPECT_FALSE((detail::as_preconditioner<Host, double>(Host(), some).is_identity()));
  EXPECT_TRUE((detail::as_preconditioner<Host, double>(Host(), some).capturable()));
}

TEST(Preconditioner, NoneIsTheIdentity) {
  const PreconditionerRef<Host, double> none;
  EXPECT_TRUE(none.is_identity() && none.capturable() && none.symmetric() && none.equals_transpose());
  EXPECT_FALSE(none.rows().has_value());
  EXPECT_EQ(none.name(), "no preconditioner");
  const Identity identity;
  EXPECT_TRUE((detail::as_preconditioner<Host, double>(Host(), identity).is_identity()));
}

}  // namespace
}  // namespace ostinato::test
