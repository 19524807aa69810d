// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <ostinato/spmv/matrix/csr.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

/// A hash of the pattern of a matrix: 24 hexadecimal digits, made from the shape and the positions of the entries, not
/// from the values. The hash of a pattern is the same on every space. Two different patterns have the same hash with a
/// probability of 2^-96. The hash isn't cryptographic.
///
/// Exec      In parallel on the space, in whose memory the matrix is. Waits for the result.
/// Traffic   Reads the columns once.
template <class T>
std::string pattern_hash(const Host& space, const CsrView<T>& a);
template <class T>
std::string pattern_hash(const Cuda& space, const CsrView<T>& a);
template <class Space, class T>
std::string pattern_hash(const Space& space, const CsrView<T>& a);

/// Tells whether arrays hold the same pattern as before, in a quarter of the time of pattern_hash() on Host: a hash of
/// the arrays as they are, for this process only. Two different patterns of one shape have the same mark with a
/// probability of 2^-64. On other spaces: pattern_hash().
///
/// Requires  rows + 1 row pointers. Nothing else: malformed arrays have another mark than a matrix.
/// Source    NH: Black et al., UMAC, CRYPTO '99, with two independent keys; the sums of the blocks are mixed.
template <class T>
std::string pattern_mark(const Host& space, const CsrView<T>& a);
template <class Space, class T>
std::string pattern_mark(const Space& space, const CsrView<T>& a) {
  return pattern_hash(space, a);
}

/// The pattern_mark() of a matrix that may be gone by the time that somebody asks for the mark, which few do.
template <class Space>
class LaterMark {
 public:
  LaterMark() = default;
  explicit LaterMark(std::string text) : text_(std::move(text)) {}
  template <class T>
  LaterMark(const Space& space, const CsrView<T>& a, Index) : text_(pattern_mark(space, a)) {}

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

template <>
class LaterMark<Cuda> {
 public:
  LaterMark() = default;
  explicit LaterMark(std::string text) : text_(std::move(text)) {}
  /// Exec      Enqueued where no row is long (`longest_row` entries at most; 0: unknown); else waits.
  /// Requires  No row has more than `longest_row` entries; else text() is the mark of no matrix.
  template <class T>
  LaterMark(const Cuda& space, const CsrView<T>& a, Index longest_row);

  /// Exec      The first call waits.
  const std::string& text() const;

 private:
  std::uint64_t of_shape_[2] = {};
  mutable Vector<Cuda, double> parts_;  ///< of the hash; empty once the text is known
  mutable std::string text_;
};

}  // namespace ostinato
