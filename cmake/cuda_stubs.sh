#!/bin/sh
# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
#
# cuda_stubs.sh NM OUT OBJECT...: writes a C++ source with a symbol on Cuda for each one on Host that the objects have. A
# function throws; a table or a constant is zeros. So a build without CUDA compiles nothing for Cuda, and programs that
# name Cuda link: no object of Cuda exists that could use them. Members of Cuda itself are written by hand
# (spmv/space/cuda_absent.cpp). The names Host and Cuda are of equal length, so that mangled names differ in them alone.
set -eu
nm="$1" out="$2"
shift 2
{
  cat <<'SOURCE'
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/base/error.hpp>

extern "C" {
[[noreturn]] void ostinato_no_cuda() { throw ostinato::DeviceError(ostinato::Cuda::why_absent()); }
extern const char ostinato_no_cuda_zeros[4096];
const char ostinato_no_cuda_zeros[4096] = {};
}

SOURCE
  "$nm" -P -g "$@" | LC_ALL=C sed -nE '/^[^ ]*[^0-9]4Host/ { /^_ZNK?8ostinato4Host/d; s/([^0-9])4Host/\14Cuda/g; p; }' \
    | LC_ALL=C sed -nE 's/^([^ ]+) [TW].*/\1 ostinato_no_cuda function/p; s/^([^ ]+) [BDRVu].*/\1 ostinato_no_cuda_zeros object/p' \
    | LC_ALL=C sort -u | sed -E 's/^([^ ]+) ([^ ]+) ([^ ]+)$/__asm__(".weak \1\\n.set \1, \2\\n.type \1, %\3");/'
} >"$out"
