// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/formats/diagonal/diagonal_format.hpp>

namespace ostinato::formats {

/// A stored by diagonals within row pieces of 256 rows, each with the diagonals that have an entry there (BRCSD-II).
/// What it shares with its family is in DiagonalFormat.
///
/// Layout    plan_brcsd_ii.
/// Source    DIA-Adaptive, section 3.3.
template <class Space, class T>
class BrcsdII : public DiagonalFormat<Space, T> {
 public:
  static constexpr std::string_view name = "brcsd-ii";
  static constexpr std::string_view description =
      "diagonals in row pieces of 256 rows, each with those that it has; for broken ones";

  static Cost cost(const Structure& s, const Machine& m) { return DiagonalFormat<Space, T>::cost(s, m, plan_brcsd_ii); }

  BrcsdII(const Space& space, const Resident<Space, T>& a, const Structure& s)
      : DiagonalFormat<Space, T>(space, a, s, plan_brcsd_ii) {}
};

}  // namespace ostinato::formats
