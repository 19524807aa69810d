# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0

# `cmake --install` puts these files under a prefix: library, headers, a CMake package and a pkg-config file. The prefix
# may be moved afterwards. The program has its own rule in cli/.
include(CMakePackageConfigHelpers)

# The headers for users, and the headers that they include: tests/install compiles each of them by itself against an
# installation. The others are installed because spaces of users need the bodies of templates (definitions.hpp).
# ostinato_headers are all that are installed.
set(ostinato_public_headers
  ostinato.hpp
  preconditioners/block_jacobi.hpp
  preconditioners/chebyshev.hpp
  preconditioners/chebyshev_coefficients.hpp
  preconditioners/contract/application.hpp
  preconditioners/contract/condition.hpp
  preconditioners/contract/level.hpp
  preconditioners/contract/memory_budget.hpp
  preconditioners/contract/preconditioner.hpp
  preconditioners/contract/rows_named.hpp
  preconditioners/definitions.hpp
  preconditioners/fsai/approximate_factor.hpp
  preconditioners/fsai/fsai.hpp
  preconditioners/function_preconditioner.hpp
  preconditioners/identity.hpp
  preconditioners/ilu/ic.hpp
  preconditioners/ilu/iluk.hpp
  preconditioners/ilu/ilut.hpp
  preconditioners/ilu/incomplete_lu.hpp
  preconditioners/ilu/zero_fill.hpp
  preconditioners/jacobi.hpp
  preconditioners/multigrid/damping.hpp
  preconditioners/multigrid/multigrid.hpp
  preconditioners/spai0.hpp
  preconditioners/ssor.hpp
  preconditioners/synonyms.hpp
  preconditioners/triangular/factored.hpp
  preconditioners/triangular/factors.hpp
  preconditioners/triangular/preparation.hpp
  preconditioners/triangular/scale_range.hpp
  preconditioners/triangular/sweep.hpp
  solvers/cause.hpp
  solvers/definitions.hpp
  solvers/list.hpp
  solvers/methods/bicgstab.hpp
  solvers/methods/bicgstab2.hpp
  solvers/methods/cg.hpp
  solvers/methods/gcrodr.hpp
  solvers/methods/gmres.hpp
  solvers/methods/idr.hpp
  solvers/methods/lsmr.hpp
  solvers/methods/minres.hpp
  solvers/options.hpp
  solvers/solver.hpp
  spmv/algebra/extract.hpp
  spmv/algebra/filter.hpp
  spmv/algebra/product.hpp
  spmv/algebra/rearrangement.hpp
  spmv/algebra/scale.hpp
  spmv/algebra/sum.hpp
  spmv/algebra/transpose.hpp
  spmv/algebra/triple_product.hpp
  spmv/analysis/analysis.hpp
  spmv/analysis/diagonals.hpp
  spmv/analysis/entries.hpp
  spmv/analysis/facts.hpp
  spmv/analysis/grid.hpp
  spmv/analysis/pattern_hash.hpp
  spmv/analysis/profile.hpp
  spmv/analysis/spectrum.hpp
  spmv/analysis/structure.hpp
  spmv/base/error.hpp
  spmv/base/extents.hpp
  spmv/base/function.hpp
  spmv/base/index.hpp
  spmv/base/lengths.hpp
  spmv/base/message.hpp
  spmv/base/revision.hpp
  spmv/base/scalar.hpp
  spmv/base/stop.hpp
  spmv/block.hpp
  spmv/cost/cost.hpp
  spmv/cost/machine.hpp
  spmv/definitions.hpp
  spmv/dense/tridiagonal.hpp
  spmv/formats/contract/built_format.hpp
  spmv/formats/contract/format.hpp
  spmv/formats/contract/lower_of.hpp
  spmv/formats/contract/parameters.hpp
  spmv/formats/contract/product.hpp
  spmv/formats/list.hpp
  spmv/function_operator.hpp
  spmv/linear_map.hpp
  spmv/linear_operator.hpp
  spmv/matrix/csr.hpp
  spmv/matrix/csr_from.hpp
  spmv/matrix/generate.hpp
  spmv/matrix/io/matrix_market.hpp
  spmv/matrix/space_csr.hpp
  spmv/matrix/stencil.hpp
  spmv/operator.hpp
  spmv/ordering/breadth_first.hpp
  spmv/ordering/clusters.hpp
  spmv/ordering/matching.hpp
  spmv/ordering/nested_dissection.hpp
  spmv/ordering/rcm.hpp
  spmv/ordering/renumber.hpp
  spmv/selection/choice.hpp
  spmv/selection/numbering.hpp
  spmv/selection/search_engine.hpp
  spmv/shapes.hpp
  spmv/space/atomic.hpp
  spmv/space/concept.hpp
  spmv/space/cuda.hpp
  spmv/space/distributed.hpp
  spmv/space/for_each.hpp
  spmv/space/for_each_row.hpp
  spmv/space/graph_capture.hpp
  spmv/space/host.hpp
  spmv/space/list.hpp
  spmv/space/memory.hpp
  spmv/space/readback.hpp
  spmv/space/scan.hpp
  spmv/space/side_stream.hpp
  spmv/space/sort_by_key.hpp
  spmv/space/span_of.hpp
  spmv/space/together.hpp
  spmv/space/vector.hpp
  spmv/space/vector_steps.hpp
  spmv/stencil/stencil_operator.hpp
  spmv/transposable_operator.hpp
  spmv/version.hpp
  strategy/any_preconditioner.hpp
  strategy/examination.hpp
  strategy/least_squares_preconditioner.hpp
  strategy/comparison.hpp
  strategy/front_door.hpp
  strategy/linear_solver.hpp
  strategy/numbered_matrix.hpp
  strategy/prepared_matrix.hpp
  strategy/set_up.hpp
  strategy/solve.hpp
  strategy/solve_by_name.hpp
  strategy/step.hpp
  strategy/system_set_up.hpp
)
file(GLOB_RECURSE ostinato_headers RELATIVE "${PROJECT_SOURCE_DIR}" CONFIGURE_DEPENDS
  spmv/*.hpp preconditioners/*.hpp solvers/*.hpp strategy/*.hpp)
list(FILTER ostinato_headers EXCLUDE REGEX "^spmv/space/cuda/")  # of kernels, whose headers aren't installed
list(APPEND ostinato_headers ostinato.hpp)
foreach(header IN LISTS ostinato_headers)
  cmake_path(GET header PARENT_PATH folder)
  install(FILES "${header}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/ostinato/${folder}")
endforeach()

# A Kokkos that ./dev built under .deps is installed, too, so that the prefix doesn't depend on this source folder. For
# any other Kokkos the config package has a hint.
set(ostinato_kokkos_hint "")
set(ostinato_kokkos_exact "")
set(ostinato_kokkos_prefix "\${prefix}")
set(kokkos_libdir "${CMAKE_INSTALL_LIBDIR}")
if(Kokkos_DIR)  # unset when Kokkos is built as a part of this project; Kokkos then installs itself
  set(ostinato_kokkos_exact EXACT)
  cmake_path(IS_PREFIX PROJECT_SOURCE_DIR "${Kokkos_DIR}" NORMALIZE kokkos_is_ours)
  get_target_property(kokkos_include Kokkos::kokkoscore INTERFACE_INCLUDE_DIRECTORIES)
  list(GET kokkos_include 0 kokkos_include)
  cmake_path(GET kokkos_include PARENT_PATH kokkos_prefix)
  file(RELATIVE_PATH kokkos_libdir "${kokkos_prefix}" "${Kokkos_DIR}/../..")
  string(REGEX REPLACE "/$" "" kokkos_libdir "${kokkos_libdir}")
  if(kokkos_is_ours)
    install(DIRECTORY "${kokkos_prefix}/include" "${kokkos_prefix}/lib" DESTINATION .)
  else()
    set(ostinato_kokkos_hint "${Kokkos_DIR}")
    set(ostinato_kokkos_prefix "${kokkos_prefix}")
  endif()
endif()

# find_package(ostinato CONFIG) -> ostinato::ostinato
set(ostinato_cmakedir "${CMAKE_INSTALL_LIBDIR}/cmake/ostinato")
install(TARGETS ostinato EXPORT ostinatoTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT ostinatoTargets NAMESPACE ostinato:: DESTINATION "${ostinato_cmakedir}")
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/ostinatoConfig.cmake.in" "${PROJECT_BINARY_DIR}/ostinatoConfig.cmake"
  INSTALL_DESTINATION "${ostinato_cmakedir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/ostinatoConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/ostinatoConfig.cmake" "${PROJECT_BINARY_DIR}/ostinatoConfigVersion.cmake"
  DESTINATION "${ostinato_cmakedir}")

# pkg-config --static --cflags --libs ostinato
file(RELATIVE_PATH ostinato_pc_to_prefix "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
string(REGEX REPLACE "/$" "" ostinato_pc_to_prefix "${ostinato_pc_to_prefix}")
set(ostinato_cuda_libs "")
if(OSTINATO_CUDA)
  get_target_property(cudart CUDA::cudart IMPORTED_LOCATION)
  cmake_path(GET cudart PARENT_PATH cuda_libdir)
  set(ostinato_cuda_libs "-L${cuda_libdir} -lcudart -pthread ")
endif()
set(ostinato_metis_lib "")
if(OSTINATO_METIS)
  set(ostinato_metis_lib "-lmetis ")
endif()
set(ostinato_lapack_libs "")
if(OSTINATO_LAPACK)
  set(ostinato_lapack_libs "-llapack -lblas ")
endif()
set(ostinato_suitesparse_libs "")
if(OSTINATO_SUITESPARSE)
  set(ostinato_suitesparse_libs "-lcholmod -lamd ")
endif()
configure_file("${PROJECT_SOURCE_DIR}/cmake/ostinato.pc.in" "${PROJECT_BINARY_DIR}/ostinato.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/ostinato.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

install(FILES LICENSE README.md CHANGELOG.md CONTRIBUTING.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY docs examples DESTINATION "${CMAKE_INSTALL_DOCDIR}")
