// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>

#include <ostinato/solvers/options.hpp>
#include <ostinato/spmv/matrix/csr.hpp>

#include "device.hpp"
#include "format_options.hpp"
#include "html/page.hpp"
#include "report.hpp"

namespace ostinato::cli {

struct InspectInput {
  std::string matrix, json, html;
  DeviceOptions device;
  FormatInput formats;
  int restart = automatic_restart;
  bool all = false, ranks = false;
};

/// Fills in what is found out about a matrix: structure, ranking, examination. The matrix is analysed and converted a
/// second time, so that the measured set-up doesn't include what happens once per process: loading kernels, waking
/// threads.
template <class Space, class T>
void look_at(const Space& space, const Csr<T>& a, const InspectInput& in, Inspection& i);

/// Prints the report. `all`: formats that don't run on this machine, too.
void print(std::FILE* to, const Inspection& i, bool all);
html::Page page_of(const Inspection& i, bool all);

}  // namespace ostinato::cli
