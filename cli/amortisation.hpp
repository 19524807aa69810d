// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <ostinato/spmv/selection/choice.hpp>

#include "table.hpp"

namespace ostinato::cli {

/// The cost of the chosen format's set-up, counted in products of plain CSR, and the number of products that repay it.
struct Amortisation {
  std::string format = {};
  double convert_seconds = 0;            ///< measured
  double predicted_convert_seconds = 0;  ///< by the cost model
  double expected_products = 0;
  double setup_seconds = 0;      ///< analysis and conversion
  double product_seconds = 0;    ///< in the chosen format
  double csr_seconds = 0;        ///< a product in CSR
  double csr_setup_seconds = 0;  ///< set-up of CSR, before its first product
  std::string csr_is;            ///< which CSR: "csr"
  bool measured = false;         ///< whether both products were timed; otherwise both times are predicted

  double setup_products() const { return setup_seconds / csr_seconds; }

  /// Number of products after which the format is faster than CSR, set-ups included. 0 when the format is ahead from
  /// the start, infinite when it never gets ahead.
  double break_even_products() const;
};

/// Returns the amortisation of a choice whose set-up was timed. Uses measured product times if csr was measured, too,
/// otherwise predicted times, because the two kinds can't be compared. Empty when csr isn't among the candidates.
std::optional<Amortisation> amortisation_of(const Choice& choice, double analyse_seconds, double convert_seconds,
                                            double expected_products);

/// Adds what the conversion took, and from how many products on the format is ahead of CSR; nothing for csr itself.
void add_amortisation(Facts& facts, const Amortisation& a);

}  // namespace ostinato::cli
