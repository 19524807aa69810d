// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/formats/list.hpp>

namespace ostinato {

/// The library's list of formats, and after it the formats that are there to compare with: those of textbooks and of
/// papers, and cuSPARSE's beside CSR. The program's `bench` times them all; no solve takes one of the others.
/// Throws    DeviceError for Cuda in a build without CUDA.
template <class Space, class T>
const FormatList<Space, T>& bench_formats();
template <>
const FormatList<Host, float>& bench_formats();
template <>
const FormatList<Host, double>& bench_formats();
template <>
const FormatList<Cuda, float>& bench_formats();
template <>
const FormatList<Cuda, double>& bench_formats();

}  // namespace ostinato
