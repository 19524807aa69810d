// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostinato/spmv/formats/csr/csr_format.hpp>
#include <ostinato/spmv/formats/diagonal/band_loops.hpp>
#include <ostinato/spmv/formats/diagonal/diagonal_format.hpp>
#include <ostinato/spmv/formats/list.hpp>

namespace ostinato {

template <class Space, class T>
const FormatList<Space, T>& format_list() {
  static const FormatList<Space, T> list(
      {format_entry<formats::CsrFormat<Space, T>>(), format_entry<formats::Dia<Space, T>>()});
  return list;
}

}  // namespace ostinato
