# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
include("${CMAKE_CURRENT_LIST_DIR}/stage.cmake")

# The installed program gives the same bits with each instruction set; glibc can be told not to see what there is.
set(ENV{OMP_NUM_THREADS} 2)
set(program "${prefix}/bin/ostinato")
set(ENV{GLIBC_TUNABLES} "glibc.cpu.hwcaps=-AVX2")
run(COMMAND "${program}" --version OUTPUT plain)
if(NOT plain MATCHES "SSE2")
  message(FATAL_ERROR "without AVX2: ${plain}")
endif()
foreach(system "poisson2d:60" "variable3d:16" "convection-diffusion3d:16,--solver,bicgstab,--precond,ilu0"
        "mesh3d:12,--precond,multigrid" "elasticity3d:8,--precond,fsai" "maxwell2d:30,--precision,single"
        "${source}/examples/matrices/sherman3.mtx.gz")
  string(REPLACE "," ";" arguments "${system}")
  foreach(left_out AVX2 AVX512F none)
    set(ENV{GLIBC_TUNABLES} "glibc.cpu.hwcaps=-${left_out}")
    run(COMMAND "${program}" solve ${arguments} --device cpu -o "${work}/${left_out}.npy")
    file(SHA256 "${work}/${left_out}.npy" bits)
    if(left_out STREQUAL "AVX2")
      set(first "${bits}")
    elseif(NOT bits STREQUAL first)
      message(FATAL_ERROR "${system}: x without ${left_out} differs from that without AVX2")
    endif()
  endforeach()
endforeach()
