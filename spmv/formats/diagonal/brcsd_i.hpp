// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/formats/diagonal/diagonal_format.hpp>

namespace ostinato::formats {

/// A stored by diagonals within row pieces, which end where a diagonal enters or leaves the matrix (BRCSD-I). What it
/// shares with its family is in DiagonalFormat.
///
/// Layout    plan_brcsd_i.
/// Source    DIA-Adaptive, section 3.2.
template <class Space, class T>
class BrcsdI : public DiagonalFormat<Space, T> {
 public:
  static constexpr std::string_view name = "brcsd-i";
  static constexpr std::string_view description =
      "diagonals in row pieces, cut where one enters or leaves the matrix; for far diagonals";

  static Cost cost(const Structure& s, const Machine& m) { return DiagonalFormat<Space, T>::cost(s, m, plan_brcsd_i); }

  BrcsdI(const Space& space, const Resident<Space, T>& a, const Structure& s)
      : DiagonalFormat<Space, T>(space, a, s, plan_brcsd_i) {}
};

}  // namespace ostinato::formats
