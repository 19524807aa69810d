#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
#
# .ci/layout in a small repository: silent where the layout is sane, and names each line that isn't.
set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/small_repository.sh" layout

expect "no sources found: the check itself is broken"

cat >sane.hpp <<'TEXT'
namespace other {
class Name;
}
#define LIST(DO) \
  DO(one)        \
  DO(two)
#define SHORT(DO) DO(1) DO(2)
namespace a::b {

namespace {

int f() {
  for (;;) return 1;
}

}  // namespace

}  // namespace a::b
TEXT
expect "(silent)"

cat >misread.hpp <<'TEXT'
namespace a {
constexpr int f() {
  return requires {M::x;
}
}  // namespace a
...
}
;
}
}  // namespace a
TEXT
cat >shared.cpp <<'TEXT'
#define LIST(DO) \
  DO(one)        \
  DO(two) DO(three)
namespace a {

namespace b {

}  // namespace a
TEXT
expect "misread.hpp:6: a line of nothing but ...
misread.hpp:8: a line of nothing but ;
misread.hpp:10: this closes no namespace a
shared.cpp:3: a list of which some items share a line
shared.cpp:8: this closes no namespace a
shared.cpp:4: namespace a isn't closed"

end_of_tests
