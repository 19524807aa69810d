// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/vector.hpp>
#include <ostinato/spmv/space/vector_steps.hpp>

namespace ostinato {

/// Whether the rows of a system get new numbers, so that neighbours are near each other.
enum class Renumber {
  automatic,  ///< where choose_numbering() says that it pays, and nothing that is asked for refers to the numbers
  off,
  on,
};

/// How the rows of a system were numbered anew before the solve.
struct Renumbering {
  std::string reason;
  std::string way;           ///< "breadth first" or "clusters"
  std::vector<Index> order;  ///< the caller's row at each place; empty when the caller's numbers stay
  double places_before = 0;  ///< from which 32 entries in a row read x (Profile::sectors)
  double places = 0;         ///< in the new numbering
};

/// What NumberedMatrix is to do.
struct NumberingRequest {
  Renumber renumber = Renumber::automatic;
  double expected_products = 0;
  std::function<void()> on_begin = {};  ///< called before the rows are numbered anew
};

/// A matrix whose rows have new numbers where that pays: breadth first on a CPU, by clusters on a GPU. Vectors of the
/// caller enter the new numbering and leave it.
///
/// Exec      The constructor and with_values() wait. enter() and leave() are enqueued on Cuda.
/// Memory    The given analysis is kept only where the numbers stay.
/// Throws    ArgumentError for Renumber::on with a matrix that isn't square.
template <class Space, class T>
class NumberedMatrix {
 public:
  NumberedMatrix(Analysis<Space, T> given, const NumberingRequest& request);

  const Analysis<Space, T>& analysis() const { return analysis_; }  ///< in the numbering of the solve
  const Renumbering& what() const { return what_; }
  bool changes() const { return !what_.order.empty(); }
  double seconds() const { return seconds_; }  ///< for the order, the new matrix, and the analysis of the old one

  /// A matrix with new values on the same pattern, in the numbering of the solve; take() takes it.
  /// Throws    ArgumentError for another pattern.
  Analysis<Space, T> with_values(const Analysis<Space, T>& given) const;
  void take(Analysis<Space, T> analysis) { analysis_ = std::move(analysis); }

  /// From the caller's numbers to those of the solve, and the reverse. Vectors don't overlap.
  void enter(In<T> v, Out<T> to) const;
  void leave(In<T> v, Out<T> to) const;

 private:
  Analysis<Space, T> analysis_;
  Renumbering what_;
  Vector<Space, Index> order_;  ///< that of what_, in the memory of the space
  double seconds_ = 0;
};

OSTINATO_EXTERN_CLASS(NumberedMatrix);

}  // namespace ostinato
