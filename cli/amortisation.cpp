// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "amortisation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "text.hpp"

namespace ostinato::cli {

namespace {

std::string break_even_text(const Amortisation& a) {
  const double products = a.break_even_products();
  if (products == 0) return "ahead of " + a.csr_is + " from the first product on";
  if (!std::isfinite(products)) return "not ahead of " + a.csr_is + ": a product takes no less time";
  std::string text = fmt::format("ahead of {} from {} on", a.csr_is, counted(std::llround(products), "product"));
  if (!(products > a.expected_products)) return text;
  return text + fmt::format(", more than the {} expected", count_text(std::llround(a.expected_products)));
}

}  // namespace

double Amortisation::break_even_products() const {
  const double dearer = setup_seconds - csr_setup_seconds, saving = csr_seconds - product_seconds;
  if (dearer <= 0 && saving >= 0) return 0;
  return saving > 0 ? std::ceil(dearer / saving) : std::numeric_limits<double>::infinity();
}

std::optional<Amortisation> amortisation_of(const Choice& choice, double analyse_seconds, double convert_seconds,
                                            double expected_products) {
  const Candidate& chosen = choice.candidates.front();
  const auto csr = std::find_if(choice.candidates.begin(), choice.candidates.end(),
                                [](const Candidate& c) { return c.name == "csr" && c.cost.applies(); });
  if (csr == choice.candidates.end()) return std::nullopt;
  const bool measured = chosen.is_measured() && csr->is_measured();
  Amortisation a;
  a.format = chosen.name;
  a.convert_seconds = convert_seconds;
  a.predicted_convert_seconds = chosen.cost.setup_seconds;
  a.expected_products = expected_products;
  a.setup_seconds = analyse_seconds + convert_seconds;
  a.product_seconds = measured ? chosen.measured_seconds : chosen.cost.seconds;
  a.csr_seconds = measured ? csr->measured_seconds : csr->cost.seconds;
  a.csr_setup_seconds = chosen.name == csr->name ? a.setup_seconds : analyse_seconds + csr->setup_seconds();
  a.csr_is = "csr";
  a.measured = measured;
  return a;
}

void add_amortisation(Facts& facts, const Amortisation& a) {
  if (a.format == "csr") return;
  facts.row("conversion", fmt::format("took {}, predicted {}", seconds_text(a.convert_seconds),
                                      seconds_text(a.predicted_convert_seconds)));
  facts.more(break_even_text(a));
}

}  // namespace ostinato::cli
