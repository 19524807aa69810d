// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What kernels with a thread a row are launched with. Generated sources contain this text, so it needs no other header.

namespace ostinato::formats {

/// A row piece and a band, as the arrays of a BandView hold them.
struct PieceWords {
  int begin, end, first_band, bands;
};
struct BandWords {
  long long base;
  int offset;
  unsigned rest;
};

/// A BandView's arrays, and the values of its first diagonals that have only one, from the constant cache.
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

/// A ClassView's arrays, and the values of class 0, which kernels take from the constant cache.
template <class T>
struct ClassArgs {
  static constexpr int max_diagonals = 56;
  const unsigned short* tiles;
  const unsigned long long* patterns;
  const T* values;
  T value[max_diagonals];
};

}  // namespace ostinato::formats
