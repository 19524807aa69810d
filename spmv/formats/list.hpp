// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include <ostinato/spmv/formats/bccoo/bccoo.hpp>
#include <ostinato/spmv/formats/diagonal/brcsd_i.hpp>
#include <ostinato/spmv/formats/diagonal/brcsd_ii.hpp>
#include <ostinato/spmv/formats/textbook/bsr.hpp>
#include <ostinato/spmv/formats/cmrs/cmrs.hpp>
#include <ostinato/spmv/formats/textbook/coo.hpp>
#include <ostinato/spmv/formats/csr/csr_format.hpp>
#include <ostinato/spmv/formats/textbook/csr_scalar.hpp>
#include <ostinato/spmv/formats/textbook/csr_vector.hpp>
#include <ostinato/spmv/formats/cusparse/cusparse.hpp>
#include <ostinato/spmv/formats/diagonal/dia.hpp>
#include <ostinato/spmv/formats/textbook/ell.hpp>
#include <ostinato/spmv/formats/textbook/hdi.hpp>
#include <ostinato/spmv/formats/textbook/hyb.hpp>
#include <ostinato/spmv/formats/sliced_ell/sliced_ell.hpp>

namespace ostinato {

/// THE list of formats: dispatch, names, help, selection, tests and benchmarks read it. One file and one line make a
/// format.
template <class Space, class T>
using Formats = FormatList<           //
    formats::Csr<Space, T>,           //
    formats::Dia<Space, T>,           //
    formats::BrcsdI<Space, T>,        //
    formats::BrcsdII<Space, T>,       //
    formats::Cmrs<Space, T>,          //
    formats::Bccoo<Space, T>,         //
    formats::BccooPlus<Space, T>,     //
    formats::SlicedEll<Space, T>,     //
    formats::CusparseAlg1<Space, T>,  //
    formats::CusparseAlg2<Space, T>,  //
    formats::CusparseSell<Space, T>,  //
    formats::CusparseBsr<Space, T>,   //
    formats::Ell<Space, T>,           //
    formats::Hyb<Space, T>,           //
    formats::Coo<Space, T>,           //
    formats::Bsr<Space, T>,           //
    formats::Hdi<Space, T>,           //
    formats::CsrScalar<Space, T>,     //
    formats::CsrVector<Space, T>>;

struct FormatInfo {
  std::string_view name;
  std::string_view description;
};

template <class... F>
constexpr std::array<FormatInfo, sizeof...(F)> describe(FormatList<F...>) {
  return {FormatInfo{F::name, F::description}...};
}

/// Names and descriptions, for help texts.
inline constexpr auto format_infos = describe(Formats<Host, double>{});

}  // namespace ostinato
