#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
#
# .ci/decisions in a small repository: silent where no sentence is searched for words, and prints each search.
set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/small_repository.sh" decisions
mkdir -p strategy solvers cli

expect "no sources: the check itself is broken"

echo 'if (result.cause == Cause::singular) what = what.substr(0, what.find('"';'"'));' >strategy/ladder.hpp
echo 'if (result.reason.find("singular") != npos) advise();' >cli/hint.cpp
git add .
expect "(silent)"

echo 'if (latest.reason.find("A is singular") != npos) break;' >>strategy/ladder.hpp
echo 'return error.what().starts_with("lu");' >solvers/lu.cpp
git add .
expect 'solvers/lu.cpp:1:return error.what().starts_with("lu");
strategy/ladder.hpp:2:if (latest.reason.find("A is singular") != npos) break;'

end_of_tests
