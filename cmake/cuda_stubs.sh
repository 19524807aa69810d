#!/bin/sh
# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
#
# cuda_stubs.sh NM OUT OBJECT...: for each function of the objects that works on Host, writes an assembler alias for the
# one on Cuda, which throws (spmv/space/cuda_absent.cpp). So a build without CUDA compiles nothing for Cuda, and programs that
# name Cuda link. Tables of virtual functions and of types are among them: no object uses one. The constructors of
# Cuda are written by hand. The classes' names are of equal length, so that the
# mangled names differ in them alone.
set -eu
nm="$1" out="$2"
shift 2
"$nm" -P -g "$@" | LC_ALL=C sed -nE '/^[^ ]*[^0-9]4Host/ { /4HostC[12]E/d; s/^([^ ]+ [TW]|_ZT[VI][^ ]+ V) .*/\1/p; }' \
  | LC_ALL=C sed -E 's/ .*//; s/([^0-9])4Host/\14Cuda/g' | LC_ALL=C sort -u \
  | sed 's/.*/__asm__(".weak &\\n.set &, ostinato_no_cuda\\n.type &, %function");/' >"$out"
