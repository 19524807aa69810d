// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/formats/calibration.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <thread>

#include <ostinato/ostinato.hpp>
#include <ostinato/spmv/base/disk_cache.hpp>
#include <ostinato/spmv/formats/list.hpp>

#include "support/temporary_directory.hpp"

namespace ostinato::test {
namespace {

using CalibratedMachine = testing::Test;

void expect_same(const Machine& a, const Machine& b) {
  EXPECT_EQ(a.bandwidth, b.bandwidth);
  EXPECT_EQ(a.latency, b.latency);
  EXPECT_EQ(a.entry_seconds, b.entry_seconds);
  EXPECT_EQ(a.term_seconds, b.term_seconds);
  EXPECT_EQ(a.call_seconds, b.call_seconds);
  EXPECT_EQ(a.cache_bytes, b.cache_bytes);
  EXPECT_EQ(a.threads, b.threads);
}

TEST(MeasuredMachine, HasFiguresThatAMachineCanHave) {
  const Host host;
  const Machine m = measured_machine(host);

  EXPECT_EQ(m.threads, host.threads());
  EXPECT_FALSE(m.device);
  EXPECT_TRUE(detail::machine_from(detail::text_of(m), host.threads())) << detail::text_of(m);
}

TEST(MeasuredMachine, IsReadAsItWasWritten) {
  Machine m;
  m.threads = 3;
  m.bandwidth = 1.0 / 3 * 1e11;
  m.latency = 1.0 / 7 * 1e-5;
  m.entry_seconds = 2 * usual_entry_seconds;
  m.cache_bytes = std::size_t{7} << 20;

  const auto read = detail::machine_from(detail::text_of(m), 3);

  ASSERT_TRUE(read);
  expect_same(*read, detail::completed(m));
  EXPECT_DOUBLE_EQ(read->call_seconds, 2 * usual_call_seconds);
}

TEST(MeasuredMachine, IsNothingInADamagedText) {
  for (const char* text : {"", "x", "1e11 2e-6 4e-10", "1e11 2e-6 4e-10 33554432 5", "nan 2e-6 4e-10 33554432",
                           "-1e11 2e-6 4e-10 33554432", "1e11 2 4e-10 33554432", "1e11 2e-6 0 33554432",
                           "1e11 2e-6 4e-10 12", "1e11 2e-6 4e-10 -33554432", "inf 2e-6 4e-10 33554432"})
    EXPECT_FALSE(detail::machine_from(text, 2)) << text;
  EXPECT_TRUE(detail::machine_from("1e11 2e-6 4e-10 33554432", 2));
}

TEST(MeasuredMachine, IsNotKeptWhereThreadsWaited) {
  Machine m;
  m.threads = 1;
  EXPECT_TRUE(detail::threads_came(m)) << "one thread waits for nobody";
  m.threads = 2;
  m.latency = 3e-9;
  EXPECT_FALSE(detail::threads_came(m)) << "one thread did all";
  m.latency = 2e-6;
  EXPECT_TRUE(detail::threads_came(m));
  m.latency = 1e-4;
  EXPECT_EQ(detail::threads_came(m), std::thread::hardware_concurrency() < 2);
  m.threads = 100000;
  EXPECT_TRUE(detail::threads_came(m)) << "more threads than processors wait for each other, always";
}

/// The user's cache in a folder of its own while the object lives.
class CacheIn {
 public:
  explicit CacheIn(const std::string& folder) {
    if (const char* before = std::getenv("OSTINATO_CACHE_DIR")) before_ = before;
    setenv("OSTINATO_CACHE_DIR", folder.c_str(), 1);
  }
  ~CacheIn() { setenv("OSTINATO_CACHE_DIR", before_.c_str(), 1); }

 private:
  std::string before_;
};

TEST(CalibratedMachine, IsTheUsualOneWithoutACache) {
  const CacheIn nowhere("");
  expect_same(calibrated_machine(Host()), machine_of(Host()));
}

TEST(CalibratedMachine, IsMeasuredOnceInARun) {
  const TemporaryDirectory folder;
  const CacheIn cache(folder.path().string());
  const Machine first = calibrated_machine(Host(), true);
  expect_same(calibrated_machine(Host()), first);
}

TEST(CalibratedMachine, OutlivesACacheThatCannotBeWrittenOrRead) {
  const TemporaryDirectory folder;
  const std::string file = (folder.path() / "file").string();
  std::ofstream(file) << "not a folder";
  const CacheIn cache(file);
  EXPECT_GT(calibrated_machine(Host(), true).bandwidth, 0);
}

TEST(CalibratedMachine, ServesAnOperatorThatAsksForIt) {
  const TemporaryDirectory folder;
  const CacheIn cache(folder.path().string());
  const Host host;
  const Csr<double> a = generate<double>("poisson2d", {.n = 60});
  const Machine m = calibrated_machine(host, true);
  const Analysis<Host, double> analysis(host, a);

  const Operator<Host, double> op(analysis, {.format = "csr", .calibrate = true});
  const auto expected = format_list<Host, double>().find("csr")->propose({analysis.structure(), m, true}, "");

  EXPECT_EQ(op.choice().candidates.front().cost.seconds, expected.cost.seconds);
}

TEST(CalibratedMachine, IsNotMeasuredForSmallMatrices) {
  const TemporaryDirectory folder;
  const CacheIn cache(folder.path().string());
  const Host host;
  const Csr<double> a = generate<double>("poisson2d", {.n = 10});
  const Analysis<Host, double> analysis(host, a);

  const Operator<Host, double> op(analysis, {.format = "csr", .calibrate = true});
  const auto expected =
      format_list<Host, double>().find("csr")->propose({analysis.structure(), machine_of(host), true}, "");

  EXPECT_EQ(op.choice().candidates.front().cost.seconds, expected.cost.seconds);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace ostinato::test
