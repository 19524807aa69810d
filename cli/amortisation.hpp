// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <ostinato/spmv/selection/choice.hpp>

#include "table.hpp"

namespace ostinato::cli {

/// What the set-up of the chosen format costs in products of plain CSR, and from when on it pays.
struct Amortisation {
  double setup_seconds = 0;      ///< analysis and conversion
  double product_seconds = 0;    ///< in the chosen format
  double csr_seconds = 0;        ///< a product in CSR
  double csr_setup_seconds = 0;  ///< what CSR takes before its first product
  std::string csr_is;            ///< whose CSR, and how its time is known: "csr, predicted"

  double setup_products() const { return setup_seconds / csr_seconds; }

  /// Products after which the format is ahead of CSR, set-ups included. 0 when it never was behind, infinite when it
  /// will never be ahead.
  double break_even_products() const;
};

/// Of a choice whose set-up was timed. Products are as measured when that of csr was, too, otherwise as predicted:
/// the two kinds aren't compared with each other. Empty when csr isn't among the candidates.
std::optional<Amortisation> amortisation_of(const Choice& choice, double analyse_seconds, double convert_seconds);

void add_amortisation(Facts& facts, const Amortisation& a);

}  // namespace ostinato::cli
