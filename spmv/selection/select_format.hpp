// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <ostinato/spmv/analysis/analysis.hpp>
#include <ostinato/spmv/selection/choice.hpp>

namespace ostinato {

template <class Space, class T>
class BuiltFormat;
template <class Space, class T>
class FormatList;

/// A choice and, after measuring, the format as it was built.
template <class Space, class T>
struct Selection {
  Choice choice;
  std::unique_ptr<BuiltFormat<Space, T>> built;  ///< the chosen format if it is built already, else null
  double tune_seconds = 0;                       ///< for measuring, or for loading the times of an earlier run
  double build_seconds = 0;                      ///< for building `built` in this run, when the tuner didn't build it

  ~Selection();
  Selection(Choice chosen, std::unique_ptr<BuiltFormat<Space, T>> format, double seconds, double to_build = 0);
  Selection(Selection&&) noexcept;
};

/// Chooses a format of the list for a matrix: by the cost model, by name, or by measured times (options.tune). Times
/// that an earlier run kept on disk are used again.
///
/// Exec      Waits. Measuring builds one format after the other, and keeps the times on disk.
/// Throws    ArgumentError when a format or its parameters are unknown, or the format can't hold the matrix;
///           DeviceError.
template <class Space, class T>
Selection<Space, T> select_format(const Analysis<Space, T>& analysis, const FormatOptions& options,
                                  const FormatList<Space, T>& list);

/// The choice that an Operator makes, from the library's formats by the cost model.
template <class Space, class T>
Choice choose_format(const Analysis<Space, T>& analysis);

/// CSR without a look at other formats. On a GPU this is for small matrices, whose products take the time of a launch
/// with every format, while an analysis and a choice take that of a hundred.
/// Requires  AnalysisDepth::lengths, or more.
template <class Space, class T>
Choice choose_csr(const Analysis<Space, T>& analysis);

}  // namespace ostinato
