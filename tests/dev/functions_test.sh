#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
#
# .ci/functions in a small repository: silent where all functions are short, and names each that is too long.
set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/small_repository.sh" functions
mkdir -p solvers tests tools
cp "$tests/../../dev" .
most="$(sed -n 's/^readonly most_lines=//p' .ci/functions)"

# function_of LINES HEAD: a function, whose first line is HEAD.
function_of() {
  echo "$2 {"
  for _ in $(seq $(($1 - 2))); do echo '  go_on();'; done
  echo '}'
}

# A system without ctags, and without a package of it.
for tool in bash dirname nproc; do ln -s "$(command -v "$tool")" tools; done
PATH="$work/tools" expect "no Universal Ctags on this system: the lengths of functions weren't checked(silent)"

if ! ctags-universal --version >/dev/null 2>&1 && [[ "$(ctags --version 2>/dev/null)" != "Universal Ctags"* ]]; then
  [ "$failures" -gt 0 ] && exit 1
  echo "no Universal Ctags"
  exit 77
fi

for i in $(seq 100); do echo "void short_$i() {}"; done >solvers/cg.cpp
function_of "$most" 'inline int longest(int n)' >solvers/cg.hpp
function_of $((most + 1)) 'void test()' >tests/cg_test.cpp
expect "(silent)"

function_of $((most + 1)) 'void host()' >>solvers/cg.hpp
{
  printf 'template <class T>\nstruct View {\n'
  function_of $((most + 2)) '  __device__ T operator()(int i) const'
  printf '};\n\ntemplate <class T>\n__global__ void __launch_bounds__(bound(2), 1)\n'
  function_of $((most + 3)) '    kernel(View<T> a)'
} >solvers/cg.cuh
expect "solvers/cg.cuh:3: operator () has $((most + 2)) lines, at most $most
solvers/cg.cuh:$((most + 9)): kernel has $((most + 3)) lines, at most $most
solvers/cg.hpp:$((most + 1)): host has $((most + 1)) lines, at most $most"

rm solvers/cg.cpp solvers/cg.cuh solvers/cg.hpp
expect "only 0 functions found: the check itself is broken"

end_of_tests
