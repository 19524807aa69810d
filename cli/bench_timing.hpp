// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <span>

#include <ostinato/spmv/formats/list.hpp>
#include <ostinato/spmv/operator.hpp>

#include "bench_reference.hpp"
#include "report.hpp"

// The timing of a format, for the tables of `bench`.

namespace ostinato::cli {

/// Builds the operator and waits for the kernels compiled for the matrix, so that these kernels are timed. With --jit
/// auto, a failed compilation leaves the precompiled kernels.
template <class Space, class T>
Operator<Space, T> built(const Analysis<Space, T>& a, FormatOptions options, const FormatList<Space, T>& list) {
  if (options.jit != Jit::automatic) return Operator<Space, T>(a, options, list);
  try {
    options.jit = Jit::on;
    return Operator<Space, T>(a, options, list);
  } catch (const Error&) {
    options.jit = Jit::off;
    return Operator<Space, T>(a, options, list);
  }
}

/// Times a product with the format of the options, one of the list, and compares its result with the reference.
/// Throws    ArgumentError for a format that can't hold the matrix.
template <class Space, class T>
BenchRow timed(const Analysis<Space, T>& a, const FormatOptions& options, const FormatList<Space, T>& list,
               std::span<const T> x_host, const Reference& reference, int repetitions) {
  BenchRow row;
  const Operator<Space, T> op = built(a, options, list);
  const Vector<Space, T> x(a.space(), x_host);
  Vector<Space, T> y(a.space(), static_cast<std::size_t>(op.rows()), std::numeric_limits<T>::quiet_NaN());
  const auto product = [&] { op.apply(T{1}, x, T{0}, y); };
  product();
  row.name = op.format();
  row.parameters = op.parameters();
  const ProductError error = error_of<T>(reference, y.download());
  row.error = error.largest;
  row.right = error.right;
  row.bytes = op.bytes();
  row.moved = static_cast<double>(op.bytes() + x.bytes() + y.bytes());
  row.generated = op.generated();
  row.build_seconds = op.convert_seconds();
  row.seconds = median_seconds(a.space(), repetitions, product);
  return row;
}

}  // namespace ostinato::cli
