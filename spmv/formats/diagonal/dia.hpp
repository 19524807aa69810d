// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/formats/diagonal/diagonal_format.hpp>

namespace ostinato::formats {

/// A stored by whole diagonals: one row piece. What it shares with its family is in DiagonalFormat.
///
/// Layout    The part of each diagonal that lies inside the matrix, from its first to its last row, with 0 where
///           there is no entry.
/// Source    Bell & Garland, SC'09, doi:10.1145/1654059.1654078.
template <class Space, class T>
class Dia : public DiagonalFormat<Space, T> {
 public:
  static constexpr std::string_view name = "dia";
  static constexpr std::string_view description = "whole diagonals; for stencils and narrow bands";

  static Cost cost(const Structure& s, const Machine& m) { return DiagonalFormat<Space, T>::cost(s, m, plan_dia); }

  Dia(const Space& space, const Resident<Space, T>& a, const Structure& s)
      : DiagonalFormat<Space, T>(space, a, s, plan_dia) {}
};

}  // namespace ostinato::formats
