// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/bench/formats/list.hpp>

#include <ostinato/bench/formats/crsd/crsd.hpp>
#include <ostinato/bench/formats/csr_adaptive/csr_adaptive.hpp>
#include <ostinato/bench/formats/cusparse/stored.hpp>
#include <ostinato/bench/formats/textbook/bsr.hpp>
#include <ostinato/bench/formats/textbook/coo.hpp>
#include <ostinato/bench/formats/textbook/csr_scalar.hpp>
#include <ostinato/bench/formats/textbook/csr_vector.hpp>
#include <ostinato/bench/formats/textbook/ell.hpp>
#include <ostinato/bench/formats/textbook/hdi.hpp>
#include <ostinato/bench/formats/textbook/hyb.hpp>
#include <ostinato/spmv/formats/cusparse/on_gpu.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

namespace {

/// The list with all of these formats added.
template <class... F, class Space, class T>
FormatList<Space, T> with_all(FormatList<Space, T> list) {
  ((list = list.template with<F>()), ...);
  return list;
}

template <class Space, class T>
const FormatList<Space, T>& all_formats() {
  using namespace formats;
  static const auto list =
      with_all<OnGpu<Space, CusparseSell, T>, OnGpu<Space, CusparseBsr, T>, Ell<Space, T>, Hyb<Space, T>, Coo<Space, T>,
               Bsr<Space, T>, Hdi<Space, T>, CsrScalar<Space, T>, CsrVector<Space, T>, Crsd<Space, T>,
               CsrAdaptive<Space, T>>(format_list<Space, T>());
  return list;
}

}  // namespace

#define OSTINATO_INSTANTIATE(Space, T)          \
  template <>                                   \
  const FormatList<Space, T>& bench_formats() { \
    return all_formats<Space, T>();             \
  }
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE)
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato
