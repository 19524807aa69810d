// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/fsai/fsai_definition.hpp>

#include <ostinato/preconditioners/define_entry.hpp>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato {

const OptionTable<FsaiOptions>& fsai_definition::table() {
  static const auto known =
      OptionTable<FsaiOptions>()
          .words("pattern", &FsaiOptions::pattern,
                 {{"a", FsaiPattern::a}, {"a2", FsaiPattern::a2}, {"adaptive", FsaiPattern::adaptive}})
          .number("entries", &FsaiOptions::entries, 1, 255);
  return known;
}

OSTINATO_CLASS(Fsai);
OSTINATO_DEFINE_PRECONDITIONER(fsai, Fsai)

}  // namespace ostinato
