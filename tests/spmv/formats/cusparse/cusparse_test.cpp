// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <ostinato/spmv/formats/cusparse/cusparse.hpp>
#include <ostinato/spmv/formats/list.hpp>
#include <ostinato/spmv/operator.hpp>

#include "support/matrices.hpp"
#include "support/reference.hpp"
#include "support/samples.hpp"

namespace ostinato::test {
namespace {

TEST(CusparseCost, RefusesTheCpu) {
  const Csr<double> a = stencil<double>(33, 33, 3, 1);
  const Host host;
  const Structure s = analyse(host, a.view());
  const Machine m = machine_of(host);
  int refused = 0;
  for (const auto& format : format_list<Host, double>()) {
    if (!format.name.starts_with("cusparse")) continue;
    SCOPED_TRACE(format.name);
    const Proposal proposal = format.propose({s, m}, "");
    EXPECT_EQ(proposal.cost.reason_not, "cuSPARSE runs on NVIDIA GPUs");
    EXPECT_THROW(format.build(host, SpaceCsr<Host, double>(host, a.view()), {s, m}, proposal), ArgumentError);
    ++refused;
  }
  EXPECT_EQ(refused, 2);
}

TEST(CusparseCost, IsGoodEnoughForAListOfFormats) {
  std::vector<FormatEntry<Host, double>> entries;
  for (const auto& format : format_list<Host, double>()) {
    if (format.name == "csr" || format.name.starts_with("cusparse")) entries.push_back(format);
  }
  const FormatList<Host, double> list(entries);
  ASSERT_EQ(list.size(), 3u);
  const Analysis analysis(Host(), stencil<double>(33, 33, 3, 1));

  EXPECT_EQ(Operator(analysis, {}, list).format(), "csr");
  EXPECT_THROW(Operator(analysis, {.format = "cusparse-alg2"}, list), ArgumentError);
}

TEST(CusparseCost, RefusesWhatPasses32Bits) {
  constexpr Offset limit = (Offset{1} << 31) - 1;
  Structure s;
  s.rows = s.cols = 1 << 27;
  const Machine machine = machine_of(calibration_of("NVIDIA H200", 0), 50 << 20, 0);
  const auto why_not = [&]<class F>(Offset nonzeros) {
    s.nonzeros = nonzeros;
    return F::cost({s, machine}).reason_not;
  };
  using First = formats::CusparseAlg1<Cuda, double>;
  using Second = formats::CusparseAlg2<Cuda, double>;

  EXPECT_EQ(why_not.operator()<First>(limit), "");
  EXPECT_EQ(why_not.operator()<First>(limit + 1), "cuSPARSE stores at most 2^31 - 1 values");
  EXPECT_EQ(why_not.operator()<Second>(limit + 1), "cuSPARSE stores at most 2^31 - 1 values");
}

}  // namespace
}  // namespace ostinato::test
