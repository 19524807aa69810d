// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/selection/tuner.hpp>

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <ostinato/spmv/formats/contract/parameters.hpp>
#include <ostinato/spmv/matrix/generate.hpp>
#include <ostinato/spmv/operator.hpp>

#include "support/matrices.hpp"
#include "support/reference.hpp"
#include "support/temporary_directory.hpp"

// The formats of these tests are fast, slow or impossible to build by design, so the results of timing are known.

namespace ostinato::test {
namespace {

/// Counts formats: all that were built, those that exist now, and the most that existed at the same time. `longest`:
/// the seconds of the longest product of all, on a machine that may be busy.
struct Population {
  int built = 0, alive = 0, most = 0;
  double longest = 0;
};
Population population;

/// CSR with a pause of `pause` seconds before each product.
class Paused {
 public:
  using space_type = Host;
  using value_type = double;

  Paused(const SpaceCsr<Host, double>& a, double pause) : a_(a), pause_(pause) {
    ++population.built;
    population.most = std::max(population.most, ++population.alive);
  }
  Paused(const Paused&) = delete;
  Paused& operator=(const Paused&) = delete;
  ~Paused() { --population.alive; }

  void apply(double alpha, std::span<const double> x, double beta, std::span<double> y) const {
    const Stopwatch watch;
    wait(pause_);
    const CsrView<double>& a = a_.view();
    for (std::size_t i = 0; i < y.size(); ++i) {
      double sum = 0;
      for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
        sum += a.val[static_cast<std::size_t>(k)] * x[static_cast<std::size_t>(a.col[static_cast<std::size_t>(k)])];
      y[i] = beta == 0 ? alpha * sum : alpha * sum + beta * y[i];
    }
    population.longest = std::max(population.longest, watch.seconds());
  }

  std::size_t bytes() const { return 1000; }

 protected:
  static void wait(double seconds) {
    const Stopwatch watch;
    while (watch.seconds() < seconds) {
    }
  }

  static Cost predicted(double seconds) {
    Cost c;
    c.bytes = 1000;
    c.seconds = seconds;
    return c;
  }

 private:
  SpaceCsr<Host, double> a_;
  double pause_;
};

/// A format that by default pauses 2 ms. Only its variants without a pause, which a tuner has to find, are fast.
struct Tunable : Paused {
  struct Parameters {
    int pause = 2, width = 1;
    bool operator==(const Parameters&) const = default;
    std::string text() const { return parameter_text({{"pause", pause}, {"width", width}}); }
    static Parameters parse(std::string_view text) {
      ParameterReader reader("tunable", text);
      Parameters p;
      p.pause = reader.take("pause", p.pause, {0, 2});
      p.width = reader.take("width", p.width, {1, 2});
      reader.done();
      return p;
    }
  };
  static constexpr std::string_view name = "tunable", description = "";
  static Parameters choose(const PlanInput&) { return {}; }
  static std::vector<Parameters> variants(const PlanInput&) { return {{}, {0, 1}, {0, 2}}; }
  static Cost cost(const PlanInput&, const Parameters& p) {
    Cost c = predicted(1e-4);
    c.bytes *= static_cast<std::size_t>(p.width);
    return c;
  }
  Tunable(const Host&, const SpaceCsr<Host, double>& a, const PlanInput&, const Parameters& p)
      : Paused(a, 1e-3 * p.pause) {}
};

/// A format that is slow although its cost predicts a fast product.
struct Slow : Paused {
  static constexpr std::string_view name = "slow", description = "";
  static Cost cost(const PlanInput&) { return predicted(0.9e-4); }
  Slow(const Host&, const SpaceCsr<Host, double>& a, const PlanInput&) : Paused(a, 4e-3) {}
};

/// A format that is fast although its cost predicts a slow product.
struct Unlikely : Paused {
  static constexpr std::string_view name = "unlikely", description = "";
  static Cost cost(const PlanInput&) { return predicted(1); }
  Unlikely(const Host&, const SpaceCsr<Host, double>& a, const PlanInput&) : Paused(a, 0) {}
};

struct Broken : Paused {
  static constexpr std::string_view name = "broken", description = "";
  static Cost cost(const PlanInput&) { return predicted(0.8e-4); }
  Broken(const Host&, const SpaceCsr<Host, double>& a, const PlanInput&) : Paused(a, 0) {
    throw DeviceMemoryError("out of memory on the device");
  }
};

/// A format that can't be built while another format exists, as if both didn't fit in memory. A product takes longer
/// than any product of another format before, whatever else the machine does.
struct Greedy : Paused {
  static constexpr std::string_view name = "greedy", description = "";
  static Cost cost(const PlanInput&) { return predicted(1.1e-4); }
  Greedy(const Host&, const SpaceCsr<Host, double>& a, const PlanInput&) : Paused(a, 0), longest_(population.longest) {
    if (population.alive > 1) throw DeviceMemoryError("out of memory");
  }
  void apply(double alpha, std::span<const double> x, double beta, std::span<double> y) const {
    wait(3 * longest_);
    Paused::apply(alpha, x, beta, y);
  }

 private:
  double longest_;
};

/// A format that can be built only while `fits`: tests clear the flag as if memory ran out later.
struct Fickle : Paused {
  static constexpr std::string_view name = "fickle", description = "";
  static inline bool fits = true;
  static Cost cost(const PlanInput&) { return predicted(1e-4); }
  Fickle(const Host&, const SpaceCsr<Host, double>& a, const PlanInput&) : Paused(a, 0) {
    if (!fits) throw DeviceMemoryError("out of memory");
  }
};

/// A format whose constructor refuses the matrix, for a reason other than memory.
struct Refused : Paused {
  static constexpr std::string_view name = "refused", description = "";
  static Cost cost(const PlanInput&) { return predicted(1.1e-4); }
  Refused(const Host&, const SpaceCsr<Host, double>& a, const PlanInput&) : Paused(a, 0) {
    throw ArgumentError("too many slots");
  }
};

/// A format whose library isn't there, cheaper or dearer than others.
template <bool Cheapest>
struct Absent : Paused {
  static constexpr std::string_view name = Cheapest ? "absent" : "absent-and-dear", description = "";
  static inline int constructed = 0;
  static Cost cost(const PlanInput&) { return predicted(Cheapest ? 1e-9 : 1.1e-4); }
  static std::string why_absent() { return "libabsent not found"; }
  Absent(const Host&, const SpaceCsr<Host, double>& a, const PlanInput&) : Paused(a, 0) {
    ++constructed;
    throw DeviceError(why_absent());
  }
};

template <class... F>
FormatList<Host, double> list_of() {
  FormatList<Host, double> list;
  ((list = list.template with<F>()), ...);
  return list;
}

/// An operator that chooses among the formats F... only.
template <class... F>
struct OperatorOf : Operator<Host, double> {
  OperatorOf(const Host& space, const Csr<double>& a, const FormatOptions& options)
      : Operator(Analysis(space, a), options, list_of<F...>()) {}
};

static_assert(Format<Tunable> && HasParameters<Tunable> && !HasParameters<Slow>);

class Tuning : public testing::Test {
 protected:
  void SetUp() override {
    population = {};
    ::setenv("OSTINATO_CACHE_DIR", (folder_.path() / "cache").c_str(), 1);
  }
  void TearDown() override { ::setenv("OSTINATO_CACHE_DIR", "", 1); }

  const Candidate& candidate(const Choice& choice, std::string_view name) const {
    return *std::find_if(choice.candidates.begin(), choice.candidates.end(),
                         [&](const Candidate& c) { return c.name == name; });
  }

  const Host space_;
  const Csr<double> matrix_ = dense<double>({{1, 2}, {0, 3}});
  const FormatOptions measure_{.tune = Tune::measure, .tune_budget = 100};
  const FormatOptions everything_{.tune = Tune::everything, .tune_budget = 100};

 private:
  TemporaryDirectory folder_;
};

TEST_F(Tuning, FindsTheFastestVariant) {
  const OperatorOf<Slow, Tunable> op(space_, matrix_, measure_);

  EXPECT_EQ(op.format(), "tunable");
  EXPECT_EQ(op.parameters(), "pause=0,width=1");
  EXPECT_GE(candidate(op.choice(), "slow").measured_seconds, 4e-3);
  EXPECT_EQ(op.choice().reason.rfind("measured ", 0), 0u);
  std::vector<double> x = {1, 1}, y(2);
  op.apply(1, x, 0, y);
  EXPECT_EQ(y, (std::vector<double>{3, 3}));
}

TEST_F(Tuning, LeavesOutFormatsWhoseLibraryIsAbsent) {
  using Operators = OperatorOf<Absent<true>, Slow, Absent<false>>;

  for (const FormatOptions& options : {FormatOptions{}, measure_, everything_}) {
    population = {};
    const Operators op(space_, matrix_, options);
    EXPECT_EQ(op.format(), "slow");
    EXPECT_EQ(candidate(op.choice(), "absent").verdict, "libabsent not found");
    if (options.tune != Tune::model) {
      EXPECT_EQ(candidate(op.choice(), "absent-and-dear").verdict, "libabsent not found");
    }
    EXPECT_EQ(population.built, 1);
  }
  EXPECT_EQ(Absent<true>::constructed + Absent<false>::constructed, 0);
  EXPECT_THROW(Operators(space_, matrix_, {.format = "absent"}), DeviceError);
}

TEST_F(Tuning, LeavesOutVariantsThatStoreMuchMore) {
  const OperatorOf<Tunable> op(space_, matrix_, measure_);

  EXPECT_EQ(op.choice().trials.pruned, 1);
  EXPECT_EQ(op.choice().trials.candidates.size(), 2u);
  EXPECT_EQ(OperatorOf<Tunable>(space_, matrix_, everything_).choice().trials.candidates.size(), 3u);
}

TEST_F(Tuning, TriesWhatTheModelPutsFarBehindOnlyWhenAllIsAskedFor) {
  const OperatorOf<Slow, Unlikely> near(space_, matrix_, measure_), all(space_, matrix_, everything_);

  EXPECT_EQ(near.format(), "slow");
  EXPECT_NE(candidate(near.choice(), "unlikely").verdict.find("not measured"), std::string::npos);
  EXPECT_EQ(all.format(), "unlikely");
}

TEST_F(Tuning, PassesOverWhatCannotBeBuilt) {
  const OperatorOf<Broken, Slow> op(space_, matrix_, measure_);

  EXPECT_EQ(op.format(), "slow");
  EXPECT_EQ(candidate(op.choice(), "broken").verdict, "out of memory on the device");
}

TEST_F(Tuning, HoldsTwoFormatsAtMostAndBuildsTheBestOneOnce) {
  const OperatorOf<Slow, Tunable, Unlikely> op(space_, matrix_, everything_);

  EXPECT_EQ(population.most, 2);
  EXPECT_EQ(population.alive, 1);
  EXPECT_EQ(population.built, static_cast<int>(op.choice().trials.candidates.size()));
}

TEST_F(Tuning, GivesUpTheBestOneForOneThatNeedsItsMemory) {
  const OperatorOf<Slow, Greedy> op(space_, matrix_, measure_);

  EXPECT_TRUE(candidate(op.choice(), "greedy").is_measured());
  EXPECT_EQ(op.format(), "slow");
  EXPECT_EQ(population.alive, 1);
}

TEST_F(Tuning, KeepsTheBestOneWhenAnotherFailsForAnotherReason) {
  const OperatorOf<Slow, Refused> op(space_, matrix_, measure_);

  EXPECT_EQ(op.format(), "slow");
  EXPECT_EQ(candidate(op.choice(), "refused").verdict, "too many slots");
  EXPECT_EQ(population.built, 2);
}

TEST_F(Tuning, TriesOneWhateverTheBudget) {
  FormatOptions options = everything_;
  options.tune_budget = 1e-9;

  const OperatorOf<Broken, Slow, Unlikely> op(space_, matrix_, options);

  EXPECT_EQ(op.format(), "slow");
  EXPECT_EQ(op.choice().trials.left_out, 1);
}

TEST_F(Tuning, TellsWhatComesNext) {
  FormatOptions options = measure_;
  std::string names;
  options.on_trial = [&](const Candidate& next, const Trials& so_far) {
    names += std::to_string(so_far.candidates.size()) + next.full_name() + " ";
  };

  const OperatorOf<Slow, Tunable> op(space_, matrix_, options);

  EXPECT_EQ(names, "0slow 1tunable:pause=2,width=1 2tunable:pause=0,width=1 ");
}

TEST_F(Tuning, RemembersWhatItMeasured) {
  const OperatorOf<Slow, Tunable> first(space_, matrix_, measure_);
  population.built = 0;

  const OperatorOf<Slow, Tunable> second(space_, matrix_, measure_);

  EXPECT_FALSE(first.choice().trials.before);
  EXPECT_TRUE(second.choice().trials.before);
  EXPECT_EQ(population.built, 1);
  EXPECT_EQ(second.parameters(), first.parameters());
  EXPECT_EQ(second.choice().candidates[0].measured_seconds, first.choice().candidates[0].measured_seconds);
  EXPECT_EQ(second.choice().reason.rfind("measured before: ", 0), 0u) << second.choice().reason;
  EXPECT_EQ(second.choice().trials.file, first.choice().trials.file);
}

TEST_F(Tuning, MeasuresAgainWhenWhatWasBestCannotBeBuilt) {
  using Op = OperatorOf<Slow, Fickle>;
  Fickle::fits = true;
  const Op first(space_, matrix_, measure_);
  Fickle::fits = false;

  const Op second(space_, matrix_, measure_), third(space_, matrix_, measure_);

  EXPECT_EQ(first.format(), "fickle");
  EXPECT_EQ(second.format(), "slow");
  EXPECT_FALSE(second.choice().trials.before);
  EXPECT_EQ(candidate(second.choice(), "fickle").verdict, "out of memory");
  EXPECT_EQ(third.format(), "slow");
  EXPECT_TRUE(third.choice().trials.before);
}

TEST_F(Tuning, MeasuresAgainWhenAsked) {
  FormatOptions again = measure_;
  again.tune_again = true;
  const OperatorOf<Slow> first(space_, matrix_, measure_);

  EXPECT_FALSE(OperatorOf<Slow>(space_, matrix_, again).choice().trials.before);
}

TEST_F(Tuning, TakesAFewForAFewAndEverythingForBoth) {
  using Op = OperatorOf<Slow, Unlikely>;
  const Op few(space_, matrix_, measure_);

  EXPECT_FALSE(Op(space_, matrix_, everything_).choice().trials.before);
  EXPECT_TRUE(Op(space_, matrix_, everything_).choice().trials.before);
  const Op informed(space_, matrix_, measure_);
  EXPECT_TRUE(informed.choice().trials.before);
  EXPECT_EQ(informed.format(), "unlikely");
}

TEST_F(Tuning, MeasuresAnewForAnotherPatternOrListOfFormats) {
  const OperatorOf<Slow> first(space_, matrix_, measure_);

  EXPECT_FALSE(OperatorOf<Slow>(space_, dense<double>({{1, 2}, {3, 3}}), measure_).choice().trials.before);
  EXPECT_FALSE((OperatorOf<Slow, Unlikely>(space_, matrix_, measure_).choice().trials.before));
}

TEST_F(Tuning, IgnoresWhatIsNotKnownAnyMore) {
  const std::string key = "a key";
  const auto measured = [](const char* name, const char* parameters) {
    Candidate c{.name = name, .parameters = parameters};
    c.measured_seconds = c.measured_setup_seconds = 1e-3;
    return c;
  };
  Trials trials{.candidates = {measured("gone", ""), measured("tunable", "pause=1"), measured("slow", "x=1"),
                               measured("tunable", "pause=0,width=2")},
                .seconds = 0.5};
  keep_trials(key, trials);
  EXPECT_NE(trials.file, "");

  const Structure none;
  const Machine machine = machine_of(space_);

  const Trials kept = kept_trials(list_of<Slow, Tunable>(), key, {none, machine});

  ASSERT_EQ(kept.candidates.size(), 1u);
  EXPECT_EQ(kept.candidates[0].full_name(), "tunable:pause=0,width=2");
  EXPECT_EQ(kept.candidates[0].cost.bytes, 2000u);
  EXPECT_EQ(kept.candidates[0].measured_seconds, 1e-3);
  EXPECT_EQ(kept.seconds, 0.5);
}

TEST_F(Tuning, KeepsNothingWithoutAFolder) {
  ::setenv("OSTINATO_CACHE_DIR", "", 1);

  const OperatorOf<Slow> op(space_, matrix_, measure_);

  EXPECT_EQ(op.choice().trials.file, "");
  EXPECT_FALSE(OperatorOf<Slow>(space_, matrix_, measure_).choice().trials.before);
}

TEST(TrialsKey, HoldsAllThatTheTimesDependOn) {
  std::vector<Candidate> candidates = {{.name = "csr"}}, smaller = candidates;
  candidates[0].cost.bytes = 12;
  smaller[0].cost.bytes = 8;
  const std::string key = trials_key("a device", "libraries 1.0", 8, "a pattern", candidates, {});

  EXPECT_EQ(key, trials_key("a device", "libraries 1.0", 8, "a pattern", candidates, {.expected_products = 999}));
  for (const std::string& other :
       {trials_key("a device", "libraries 1.1", 8, "a pattern", candidates, {}),
        trials_key("a gpu", "libraries 1.0", 8, "a pattern", candidates, {}),
        trials_key("a device", "libraries 1.0", 4, "a pattern", candidates, {}),
        trials_key("a device", "libraries 1.0", 8, "another", candidates, {}),
        trials_key("a device", "libraries 1.0", 8, "a pattern", smaller, {}),
        trials_key("a device", "libraries 1.0", 8, "a pattern", candidates, {.expected_products = 1000}),
        trials_key("a device", "libraries 1.0", 8, "a pattern", candidates, {.jit = Jit::off}),
        trials_key("a device", "libraries 1.0", 8, "a pattern", candidates, {.compress = Compress::off})}) {
    EXPECT_NE(key, other);
  }
}

TEST(TuningBudget, IsAShareOfTheProductsWithinLimits) {
  const auto budget = [](double seconds) { return tuning_budget({.expected_products = 1000}, seconds); };

  EXPECT_DOUBLE_EQ(budget(1e-6), 0.02);
  EXPECT_DOUBLE_EQ(budget(1e-2), 0.5);
  EXPECT_DOUBLE_EQ(budget(1), 5);
  EXPECT_DOUBLE_EQ(tuning_budget({.tune_budget = 7}, 1), 7);
  EXPECT_THROW(tuning_budget({.tune_budget = -1}, 1), ArgumentError);
  EXPECT_THROW(tuning_budget({.tune_budget = std::nan("")}, 1), ArgumentError);
}

TEST(Parameters, AreAskedForByName) {
  const Host space;
  const auto a = dense<double>({{1, 2}, {0, 3}});
  using Op = OperatorOf<Slow, Tunable>;

  const Op op(space, a, {.format = "tunable:pause=0"});

  EXPECT_EQ(op.parameters(), "pause=0,width=1");
  EXPECT_EQ(op.choice().candidates[0].full_name(), "tunable:pause=0,width=1");
  EXPECT_EQ(Op(space, a, {.format = "tunable"}).parameters(), "pause=2,width=1");
  EXPECT_EQ(Op(space, a, {.format = "slow"}).parameters(), "");
}

TEST(Parameters, AreRefusedWhenTheFormatDoesNotHaveThem) {
  const Host space;
  const auto a = dense<double>({{1, 2}, {0, 3}});
  const auto message = [&](const char* format) {
    return message_of<ArgumentError>([&] { OperatorOf<Slow, Tunable>(space, a, {.format = format}); });
  };

  EXPECT_NE(message("tunable:pause=1").find("it has to be 0 or 2"), std::string::npos);
  EXPECT_NE(message("tunable:height=1").find("'height'"), std::string::npos);
  EXPECT_NE(message("slow:pause=1").find("no parameters"), std::string::npos);
  EXPECT_NE(message("none:pause=1").find("known: auto, slow, tunable"), std::string::npos);
}

TEST(Parameters, StayWhenTheFormatIsBuiltForNewValues) {
  const Host space;
  const auto a = dense<double>({{1, 2}, {0, 3}}), b = dense<double>({{2, 4}, {0, 6}});
  OperatorOf<Tunable> op(space, a, {.format = "tunable:pause=0"});
  const std::vector<double> x = {1, 1};
  std::vector<double> y(2);

  op.update_values(b.view());
  op.apply(1, x, 0, y);

  EXPECT_EQ(op.parameters(), "pause=0,width=1");
  EXPECT_EQ(y, (std::vector<double>{6, 6}));
}

TEST(TrialVector, IsFiniteAndVaries) {
  const std::vector<float> x = trial_vector<float>(1000);

  for (const float v : x) EXPECT_TRUE(v >= 1 && v < 2);
  EXPECT_NE(*std::min_element(x.begin(), x.end()), *std::max_element(x.begin(), x.end()));
}

}  // namespace
}  // namespace ostinato::test
