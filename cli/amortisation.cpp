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

std::string products_text(double products) {
  return products < 9.95 ? fmt::format("{:.1f}", products) : count_text(std::llround(products));
}

std::string setup_text(const Amortisation& a) {
  const std::string text = seconds_text(a.setup_seconds);
  if (!std::isfinite(a.setup_products())) return text;
  return fmt::format("{}: {}{} products of {}, {} ({} each)", text, a.measured ? "" : "about ",
                     products_text(a.setup_products()), a.csr_is, a.measured ? "measured" : "predicted",
                     seconds_text(a.csr_seconds));
}

std::string break_even_text(const Amortisation& a) {
  const double products = a.break_even_products();
  if (products == 0) return "no dearer than that of csr: nothing to earn back";
  if (!std::isfinite(products)) return "never earned back: its products take no less time";
  return fmt::format("earned back after {}{} in {} each", a.measured ? "" : "about ",
                     counted(std::llround(products), "product"), seconds_text(a.product_seconds));
}

}  // namespace

double Amortisation::break_even_products() const {
  const double dearer = setup_seconds - csr_setup_seconds, saving = csr_seconds - product_seconds;
  if (dearer <= 0 && saving >= 0) return 0;
  return saving > 0 ? std::ceil(dearer / saving) : std::numeric_limits<double>::infinity();
}

std::optional<Amortisation> amortisation_of(const Choice& choice, double analyse_seconds, double convert_seconds) {
  const Candidate& chosen = choice.candidates.front();
  const auto csr = std::find_if(choice.candidates.begin(), choice.candidates.end(),
                                [](const Candidate& c) { return c.name == "csr" && c.cost.applies(); });
  if (csr == choice.candidates.end()) return std::nullopt;
  const bool measured = chosen.is_measured() && csr->is_measured();
  Amortisation a;
  a.setup_seconds = analyse_seconds + convert_seconds;
  a.product_seconds = measured ? chosen.measured_seconds : chosen.cost.seconds;
  a.csr_seconds = measured ? csr->measured_seconds : csr->cost.seconds;
  a.csr_setup_seconds = chosen.name == csr->name ? a.setup_seconds : analyse_seconds + csr->setup_seconds();
  a.csr_is = "csr";
  a.measured = measured;
  return a;
}

void add_amortisation(Facts& facts, const Amortisation& a) {
  facts.row("set-up", setup_text(a));
  facts.more(break_even_text(a));
}

}  // namespace ostinato::cli
