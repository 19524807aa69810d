// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The parameters of the generated kernels. Generated sources contain the text of this file, so it includes no other
// header.

namespace ostinato::formats {

/// RowPiece and Band, word by word as the arrays of a BandView hold them.
struct PieceWords {
  int begin, end, first_band, bands;
};
struct BandWords {
  long long base;
  int offset;
  unsigned rest;
};

/// The arrays of a BandView. `constant` holds the values of the first diagonals with a single value, for the constant
/// cache.
template <class T>
struct BandArgs {
  static constexpr int max_constants = 32;
  const unsigned char* data;
  const T* constants;
  const T* codes;
  const int* piece_of;
  const PieceWords* pieces;
  const BandWords* bands;
  const int* remainder_ptr;
  const unsigned char* remainder_row;
  const int* remainder_col;
  const T* remainder_val;
  T constant[max_constants];
};

/// The arrays of a ClassView. `value` holds the values of class 0, for the constant cache.
template <class T>
struct ClassArgs {
  static constexpr int max_diagonals = 56;
  const unsigned short* tiles;
  const unsigned long long* patterns;
  const T* values;
  T value[max_diagonals];
};

}  // namespace ostinato::formats
