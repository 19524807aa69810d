// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/formats/list.hpp>

#include <ostinato/spmv/space/list.hpp>

namespace ostinato {

/// The library's only list of formats. A format needs a line here and NAME_entry() in its object file.
#define OSTINATO_FORMATS(DO) \
  DO(csr)                    \
  DO(dia)                    \
  DO(brcsd_i)                \
  DO(brcsd_ii)               \
  DO(cmrs)                   \
  DO(bccoo)                  \
  DO(bccoo_plus)             \
  DO(sliced_ell)             \
  DO(cusparse_alg1)          \
  DO(cusparse_alg2)

namespace formats {

#define OSTINATO_DECLARE(format)  \
  template <class Space, class T> \
  FormatEntry<Space, T> format##_entry();
OSTINATO_FORMATS(OSTINATO_DECLARE)
#undef OSTINATO_DECLARE

}  // namespace formats

namespace {

template <class Space, class T>
const FormatList<Space, T>& all_formats() {
#define OSTINATO_ENTRY(format) formats::format##_entry<Space, T>(),
  static const FormatList<Space, T> list({OSTINATO_FORMATS(OSTINATO_ENTRY)});
#undef OSTINATO_ENTRY
  return list;
}

}  // namespace

#define OSTINATO_INSTANTIATE(Space, T)        \
  template <>                                 \
  const FormatList<Space, T>& format_list() { \
    return all_formats<Space, T>();           \
  }
OSTINATO_FOR_ALL(OSTINATO_INSTANTIATE)
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato
