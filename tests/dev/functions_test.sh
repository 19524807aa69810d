#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
#
# .ci/functions in a small repository: silent where all functions are short, and names each that is too long.
set -euo pipefail

tests="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
command -v git >/dev/null || { echo "no git"; exit 77; }
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/.ci" "$work/solvers/methods" "$work/tests" "$work/tools"
cp "$tests/../../.ci/functions" "$work/.ci"
cp "$tests/../../dev" "$work"
git -C "$work" -c init.defaultBranch=main init -q
cd "$work"
most="$(sed -n 's/^readonly most_lines=//p' .ci/functions)"
failures=0

# functions WANTED: what the check prints.
functions() {
  local got
  if got="$(.ci/functions 2>&1)"; then got+="(silent)"; fi
  [ "$got" = "$1" ] && return 0
  printf 'FAILED:\n  wanted: %s\n  got:    %s\n' "$1" "$got"
  failures=$((failures + 1))
}

# function_of LINES HEAD: a function, whose first line is HEAD.
function_of() {
  echo "$2 {"
  for _ in $(seq $(($1 - 2))); do echo '  go_on();'; done
  echo '}'
}

# A system without ctags, and without a package of it.
for tool in bash dirname nproc; do ln -s "$(command -v "$tool")" tools; done
PATH="$work/tools" functions "no Universal Ctags on this system: the lengths of functions weren't checked(silent)"

if ! ctags-universal --version >/dev/null 2>&1 && [[ "$(ctags --version 2>/dev/null)" != "Universal Ctags"* ]]; then
  [ "$failures" -gt 0 ] && exit 1
  echo "no Universal Ctags"
  exit 77
fi

for i in $(seq 100); do echo "void short_$i() {}"; done >solvers/methods/cg.cpp
function_of "$most" 'inline int longest(int n)' >solvers/methods/cg.hpp
function_of $((most + 1)) 'void test()' >tests/cg_test.cpp
functions "(silent)"

function_of $((most + 1)) 'void host()' >>solvers/methods/cg.hpp
{
  printf 'template <class T>\nstruct View {\n'
  function_of $((most + 2)) '  __device__ T operator()(int i) const'
  printf '};\n\ntemplate <class T>\n__global__ void __launch_bounds__(bound(2), 1)\n'
  function_of $((most + 3)) '    kernel(View<T> a)'
} >solvers/cg.cuh
functions "solvers/cg.cuh:3: operator () has $((most + 2)) lines, at most $most
solvers/cg.cuh:$((most + 9)): kernel has $((most + 3)) lines, at most $most
solvers/methods/cg.hpp:$((most + 1)): host has $((most + 1)) lines, at most $most"

rm solvers/methods/cg.cpp solvers/cg.cuh solvers/methods/cg.hpp
functions "only 0 functions found: the check itself is broken"

if [ "$failures" -gt 0 ]; then exit 1; fi
echo "all passed"
