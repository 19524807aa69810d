// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include <ostinato/spmv/base/count_text.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>
#include <ostinato/spmv/base/units.hpp>
#include <ostinato/spmv/selection/choice.hpp>

namespace ostinato {

namespace {

std::vector<std::string> known_names(const std::vector<Candidate>& candidates) {
  std::vector<std::string> names{"auto"};
  for (const Candidate& c : candidates) names.push_back(c.name);
  return names;
}

std::string products_text(double products) {
  constexpr double countable = 1e15;
  if (products < countable) return count_text(std::llround(products));
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", products);
  return text;
}

/// Compares the times of set-up and all products. A format that was asked for by name is first even if others are
/// cheaper, so the ratio may be below 1.
std::string against_chosen(double ratio, double products) {
  char text[96];
  if (std::abs(ratio - 1) < 0.005) return "as dear";
  if (ratio < 1) {
    std::snprintf(text, sizeof text, "%.0f %% cheaper", (1 - ratio) * 100);
  } else if (ratio < 2) {
    std::snprintf(text, sizeof text, "%.0f %% dearer", (ratio - 1) * 100);
  } else {
    std::snprintf(text, sizeof text, "%.1f times as dear", ratio);
  }
  return text + (" over " + products_text(products)) + " products";
}

/// Measured candidates come before predicted ones, because predicted and measured times can't be compared.
bool is_before(const Candidate& a, const Candidate& b) {
  if (a.cost.applies() != b.cost.applies()) return a.cost.applies();
  if (a.is_measured() != b.is_measured()) return a.is_measured();
  return a.cost.applies() && a.total_seconds < b.total_seconds;
}

/// Sorts the candidates, each of which is moved once: they are large.
void rank(std::vector<Candidate>& candidates, const FormatOptions& options) {
  for (Candidate& c : candidates) c.total_seconds = c.setup_seconds() + options.expected_products * c.product_seconds();
  std::vector<Candidate*> order;
  for (Candidate& c : candidates) order.push_back(&c);
  std::stable_sort(order.begin(), order.end(),
                   [](const Candidate* a, const Candidate* b) { return is_before(*a, *b); });
  std::vector<Candidate> ranked;
  ranked.reserve(order.size());
  for (Candidate* const c : order) ranked.push_back(std::move(*c));
  candidates = std::move(ranked);
}

/// "12.3 us a product (4.56 MB moved) and 1.20 ms for the conversion"
std::string times_text(const Candidate& c) {
  return seconds_text(c.product_seconds()) + " a product (" + bytes_text(c.cost.moved) + " moved) and " +
         seconds_text(c.setup_seconds()) + " for the conversion";
}

std::string why_best(const Candidate& best, const Trials& trials) {
  if (!best.is_measured()) return "predicted about " + times_text(best);
  if (trials.before) return "measured before: " + times_text(best);
  const auto built = std::count_if(trials.candidates.begin(), trials.candidates.end(),
                                   [](const Candidate& c) { return c.is_measured(); });
  if (built == 0) return "measured " + times_text(best);
  return "measured " + times_text(best) + "; among " + std::to_string(built) + " built in " +
         seconds_text(trials.seconds) + " of a budget of " + seconds_text(trials.budget);
}

std::string verdict_on(const Candidate& c, const Candidate& best, double products) {
  if (!c.cost.applies()) return c.cost.reason_not;
  if (best.is_measured() && !c.is_measured())
    return "not measured; predicted about " + seconds_text(c.cost.seconds) + " a product";
  return against_chosen(c.total_seconds / best.total_seconds, products) +
         (c.is_measured() ? ", measured" : ", predicted");
}

void judge(std::vector<Candidate>& candidates, double products) {
  for (Candidate& c : candidates) c.verdict = verdict_on(c, candidates.front(), products);
  candidates.front().verdict = "chosen";
}

/// Replaces each candidate by the best of its trials. A candidate that couldn't be built gets the reason, unless
/// another set of parameters was measured.
void put_trials(std::vector<Candidate>& candidates, const std::vector<Candidate>& trials) {
  for (Candidate& c : candidates) {
    for (const Candidate& trial : trials) {
      const bool is_better = trial.is_measured() ? !c.is_measured() || trial.total_seconds < c.total_seconds
                                                 : !c.is_measured() && trial.parameters == c.parameters;
      if (trial.name == c.name && is_better) c = trial;
    }
  }
}

void put_first(std::vector<Candidate>& candidates, const std::string& name) {
  const auto at =
      std::find_if(candidates.begin(), candidates.end(), [&](const Candidate& c) { return same_name(c.name, name); });
  if (at == candidates.end()) throw ArgumentError(unknown_name("format", name, known_names(candidates)));
  if (!at->cost.applies()) {
    throw ArgumentError("format " + name + " can't hold this matrix: " + at->cost.reason_not);
  }
  std::rotate(candidates.begin(), at, at + 1);
}

}  // namespace

void exclude_nonreproducible(std::vector<Candidate>& candidates) {
  for (Candidate& c : candidates) {
    if (c.cost.applies() && !c.cost.reproducible)
      c.cost.reason_not = "bits may differ from run to run; taken only when asked for by name";
  }
}

bool may_compress(const FormatOptions& options, Offset nonzeros, std::size_t value_bytes) {
  // Below this size, compressed values are slower. One product with a 5-point stencil, all values stored against
  // compressed: 8 us against 23 us on a 127^2 grid, 37 us against 19 us on 255^2 (EPYC, 2026-11); 3.2 us against 3.9 us
  // on 64^2 (H200).
  constexpr std::size_t worth_compressing = std::size_t{2} << 20;
  const std::size_t bytes = static_cast<std::size_t>(nonzeros) * value_bytes;
  return options.compress == Compress::on || (options.compress == Compress::automatic && bytes >= worth_compressing);
}

std::string Candidate::full_name() const { return parameters.empty() ? name : name + ":" + parameters; }

FormatRequest parse_format(std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  FormatRequest request{lower(text.substr(0, colon)), lower(text.substr(std::min(colon + 1, text.size())))};
  if (request.name == "auto" && !request.parameters.empty())
    throw ArgumentError("format auto has no parameters; name one: 'FORMAT:" + request.parameters + "'");
  return request;
}

Choice choose(std::vector<Candidate> candidates, const FormatOptions& options) {
  return choose(std::move(candidates), Trials{}, options);
}

Choice choose(std::vector<Candidate> candidates, Trials trials, const FormatOptions& options) {
  rank(trials.candidates, options);
  put_trials(candidates, trials.candidates);
  rank(candidates, options);
  Choice choice;
  if (const std::string asked = parse_format(options.format).name; asked != "auto") {
    put_first(candidates, asked);
    choice.reason = "asked for";
  } else if (options.tune == Tune::off) {
    put_first(candidates, "csr");
    choice.reason = "selection is off";
  } else {
    if (candidates.empty() || !candidates.front().cost.applies()) throw ArgumentError("no format can hold this matrix");
    choice.reason = why_best(candidates.front(), trials);
  }
  judge(candidates, options.expected_products);
  choice.format = candidates.front().name;
  choice.parameters = candidates.front().parameters;
  choice.candidates = std::move(candidates);
  choice.trials = std::move(trials);
  return choice;
}

bool worth_compiling(const FormatOptions& options, double product_seconds) {
  constexpr double least_seconds = 0.1;  // of all expected products; from here on compilation is expected to pay off
  return options.jit == Jit::on ||
         (options.jit == Jit::automatic && product_seconds * options.expected_products >= least_seconds);
}

}  // namespace ostinato
