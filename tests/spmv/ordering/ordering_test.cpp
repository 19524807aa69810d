// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/ordering/minimum_degree.hpp>
#include <ostinato/spmv/ordering/nested_dissection.hpp>
#include <ostinato/spmv/ordering/rcm.hpp>

#include "support/at_once.hpp"
#include "support/matrices.hpp"
#include "support/reference.hpp"

// The orders of a graph: reverse Cuthill-McKee and nested dissection.

namespace ostinato::test {
namespace {

Graph graph_of_pattern(const Csr<double>& a) { return symmetric_graph(a.row_ptr, a.col); }

bool is_permutation(std::vector<Index> p, std::size_t n) {
  std::sort(p.begin(), p.end());
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] != static_cast<Index>(i)) return false;
  }
  return p.size() == n;
}

/// The largest distance of two neighbours in an order.
Index bandwidth(const Graph& g, const std::vector<Index>& order) {
  std::vector<Index> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[static_cast<std::size_t>(order[i])] = static_cast<Index>(i);
  Index widest = 0;
  for (std::size_t i = 0; i < g.nodes(); ++i) {
    for (Offset k = g.row_ptr[i]; k < g.row_ptr[i + 1]; ++k)
      widest =
          std::max(widest, std::abs(place[i] - place[static_cast<std::size_t>(g.col[static_cast<std::size_t>(k)])]));
  }
  return widest;
}

/// Entries of the Cholesky factor in an order, by elimination of the graph.
std::size_t fill(const Graph& g, const std::vector<Index>& order) {
  const std::size_t n = g.nodes();
  std::vector<std::vector<char>> edge(n, std::vector<char>(n, 0));
  std::vector<std::size_t> place(n);
  for (std::size_t i = 0; i < n; ++i) place[static_cast<std::size_t>(order[i])] = i;
  for (std::size_t i = 0; i < n; ++i) {
    for (Offset k = g.row_ptr[i]; k < g.row_ptr[i + 1]; ++k)
      edge[place[i]][place[static_cast<std::size_t>(g.col[static_cast<std::size_t>(k)])]] = 1;
  }
  std::size_t count = n;
  for (std::size_t p = 0; p < n; ++p) {
    for (std::size_t i = p + 1; i < n; ++i) {
      if (edge[p][i] == 0) continue;
      ++count;
      for (std::size_t j = p + 1; j < n; ++j) {
        if (edge[p][j] != 0 && i != j) edge[i][j] = 1;
      }
    }
  }
  return count;
}

Csr<double> shuffled(const Csr<double>& a, unsigned seed) {
  std::vector<Index> name(static_cast<std::size_t>(a.rows));
  for (std::size_t i = 0; i < name.size(); ++i) name[i] = static_cast<Index>(i);
  std::shuffle(name.begin(), name.end(), std::mt19937(seed));
  std::vector<Triplet<double>> t;
  for (std::size_t i = 0; i < name.size(); ++i) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]); k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
      t.push_back({name[i], name[static_cast<std::size_t>(a.col[k])], a.val[k]});
  }
  return from_triplets<double>(a.rows, a.cols, t);
}

TEST(SymmetricGraph, HasNeighboursOfBothTrianglesAndNoDiagonal) {
  const Graph g = graph_of_pattern(dense<double>({{1, 2, 0}, {0, 3, 0}, {4, 0, 5}}));

  EXPECT_EQ(g.row_ptr, (std::vector<Offset>{0, 2, 3, 4}));
  EXPECT_EQ(g.col, (std::vector<Index>{1, 2, 0, 0}));
}

TEST(ReverseCuthillMckee, FindsTheOrderOfAPath) {
  std::vector<Triplet<double>> t;
  for (Index i = 0; i + 1 < 50; ++i) t.push_back({i, i + 1, 1});
  const Graph g = graph_of_pattern(shuffled(from_triplets<double>(50, 50, t), 1));

  EXPECT_EQ(bandwidth(g, reverse_cuthill_mckee(g)), 1);
}

TEST(ReverseCuthillMckee, NarrowsAGridToItsSide) {
  const Graph g = graph_of_pattern(shuffled(generate<double>("poisson2d", {.n = 20}), 2));

  EXPECT_LE(bandwidth(g, reverse_cuthill_mckee(g)), 21);
}

TEST(NestedDissection, GivesLessFillThanCuthillMckeeOnAGrid) {
  if (!has_nested_dissection) GTEST_SKIP() << "this build has no METIS";
  const Graph g = graph_of_pattern(shuffled(generate<double>("poisson2d", {.n = 24}), 3));

  EXPECT_LT(fill(g, nested_dissection(g)), fill(g, reverse_cuthill_mckee(g)));
  EXPECT_EQ(nested_dissection(g), nested_dissection(g));
}

TEST(MinimumDegree, GivesLessFillThanCuthillMckeeOnAGrid) {
  if (!has_minimum_degree) GTEST_SKIP() << "this build has no SuiteSparse";
  const Graph g = graph_of_pattern(shuffled(generate<double>("poisson2d", {.n = 24}), 3));

  EXPECT_LT(fill(g, minimum_degree(g)), fill(g, reverse_cuthill_mckee(g)));
  EXPECT_EQ(minimum_degree(g), minimum_degree(g));
}

TEST(MinimumDegree, NamesEveryNodeOnce) {
  if (!has_minimum_degree) GTEST_SKIP() << "this build has no SuiteSparse";
  for (const Index n : {0, 1, 2, 33, 597}) {
    const Graph g = graph_of_pattern(generate<double>("random", {.n = std::max(n, Index{1}), .entries_per_row = 3}));
    std::vector<Index> order = n == 0 ? minimum_degree({{0}, {}}) : minimum_degree(g);
    std::sort(order.begin(), order.end());
    for (std::size_t k = 0; k < order.size(); ++k) EXPECT_EQ(order[k], static_cast<Index>(k));
    EXPECT_EQ(order.size(), static_cast<std::size_t>(n));
  }
}

TEST(MinimumDegree, SaysWhenTheBuildHasNoSuiteSparse) {
  if (has_minimum_degree) GTEST_SKIP() << "this build has SuiteSparse";
  EXPECT_EQ(message_of<ArgumentError>([] {
              minimum_degree({{0, 0}, {}});
            }),
            "minimum_degree: this build has no SuiteSparse; take another order");
}

TEST(NestedDissection, GivesTheSameOrderInSeveralThreads) {
  if (!has_nested_dissection) GTEST_SKIP() << "this build has no METIS";
  const Graph g = graph_of_pattern(generate<double>("poisson2d", {.n = 40}));
  const std::vector<Index> order = nested_dissection(g);
  std::atomic<int> others = 0;
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k) {
    threads.emplace_back([&] {
      for (int i = 0; i < 10; ++i) others += nested_dissection(g) != order;
    });
  }
  for (std::thread& t : threads) t.join();

  EXPECT_EQ(others, 0);
}

std::atomic<int> signals = 0;
extern "C" void count_signal(int, siginfo_t*, void*) { ++signals; }

/// Sets a handler of the test, and the one before at the end.
class CountedSignals {
 public:
  CountedSignals() {
    signals = 0;
    ours_.sa_sigaction = count_signal;
    ours_.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGTERM, &ours_, &before_[0]);
    sigaction(SIGABRT, &ours_, &before_[1]);
  }
  ~CountedSignals() {
    sigaction(SIGTERM, &before_[0], nullptr);
    sigaction(SIGABRT, &before_[1], nullptr);
  }

  void expect_there() const {
    for (const int signal : {SIGTERM, SIGABRT}) {
      struct sigaction now {};
      sigaction(signal, nullptr, &now);
      EXPECT_EQ(now.sa_sigaction, count_signal) << signal;
      EXPECT_EQ(now.sa_flags & (SA_SIGINFO | SA_NODEFER | SA_RESTART), ours_.sa_flags) << signal;
    }
  }

 private:
  struct sigaction ours_ {
  }, before_[2];
};

/// Whether METIS runs, and its handlers are replaced: they are neither those of the test nor METIS' own. METIS' own are
/// there for some microseconds, in which a signal would end the process in another way.
extern "C" void gk_sigthrow(int) __attribute__((weak));
bool are_replaced(const struct sigaction& ours) {
  struct sigaction now {};
  sigaction(SIGTERM, nullptr, &now);
  return now.sa_handler != ours.sa_handler && now.sa_handler != gk_sigthrow;
}

struct Never {
  bool stop_requested() const { return false; }
};
TEST(NestedDissection, PassesSignalsOnAndLeavesTheHandlers) {
  if (!has_nested_dissection) GTEST_SKIP() << "this build has no METIS";
  const Graph g = graph_of_pattern(generate<double>("poisson2d", {.n = 150}));
  const std::vector<Index> order = nested_dissection(g);
  const CountedSignals handlers;
  struct sigaction ours {};
  sigaction(SIGTERM, nullptr, &ours);
  for (const StopRequest& stop : {StopRequest(), StopRequest(Never())}) {
    std::atomic<bool> done = false;
    int sent = 0;
    std::thread sender([&] {
      sigset_t all;
      sigfillset(&all);
      pthread_sigmask(SIG_SETMASK, &all, nullptr);
      for (; !done; ++sent) {
        if (are_replaced(ours)) kill(getpid(), SIGTERM);
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
    });
    const int before = signals;
    std::vector<Index> again;
    EXPECT_NO_THROW(again = nested_dissection(g, stop));
    done = true;
    sender.join();
    EXPECT_EQ(again, order);
    EXPECT_GT(signals, before);
    EXPECT_LE(signals - before, sent);
    handlers.expect_there();
  }
}

TEST(NestedDissectionDeathTest, EndsWithTheProcess) {
  if (!has_nested_dissection) GTEST_SKIP() << "this build has no METIS";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const Graph g = graph_of_pattern(generate<double>("poisson2d", {.n = 100}));
  const auto order_until_killed = [&g](const StopRequest& stop) {
    signal(SIGTERM, SIG_DFL);
    std::thread([] {
      while (!are_replaced({})) std::this_thread::yield();  // {}: SIG_DFL
      kill(getpid(), SIGTERM);
    }).detach();
    for (int k = 0; k < 1000; ++k) nested_dissection(g, stop);
  };
  EXPECT_EXIT(order_until_killed({}), testing::KilledBySignal(SIGTERM), "");
  EXPECT_EXIT(order_until_killed(Never()), testing::KilledBySignal(SIGTERM), "");
}

TEST(NestedDissection, EndsOnceAStopIsRequested) {
  if (!has_nested_dissection) GTEST_SKIP() << "this build has no METIS";
  const Graph g = graph_of_pattern(generate<double>("poisson2d", {.n = 400}));  // more than the 50 ms between two looks

  EXPECT_THROW(nested_dissection(g, AtOnce()), Stopped);

  EXPECT_TRUE(is_permutation(nested_dissection(g), g.nodes())) << "waits for the one that was left alone";
}

TEST(NestedDissection, SaysWhatIsMissing) {
  if (has_nested_dissection) GTEST_SKIP() << "this build has METIS";
  EXPECT_NE(message_of<ArgumentError>([] { nested_dissection(Graph{{0}, {}}); }).find("METIS"), std::string::npos);
}

TEST(Orders, ArePermutationsOfAnyGraph) {
  for (const Index n : {0, 1, 2, 31, 33, 597}) {
    for (const double edges : {0.0, 0.5, 3.0}) {  // a node
      Random random(static_cast<std::uint64_t>(n) + 7);
      std::vector<Triplet<double>> t;
      for (Index k = 0; k < static_cast<Index>(edges * n); ++k) t.push_back({below(random, n), below(random, n), 1});
      const Graph g = graph_of_pattern(from_triplets<double>(n, n, t));
      EXPECT_TRUE(is_permutation(reverse_cuthill_mckee(g), g.nodes())) << n << " " << edges;
      if (has_nested_dissection) {
        EXPECT_TRUE(is_permutation(nested_dissection(g), g.nodes())) << n << " " << edges;
      }
    }
  }
}

}  // namespace
}  // namespace ostinato::test
