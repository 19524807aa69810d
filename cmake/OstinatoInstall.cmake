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
  strategy/solver_on_device.hpp
  strategy/device.hpp
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

# What the static library has to be linked with: text for the CMake package and for pkg-config.
set(ostinato_find "find_dependency(ZLIB)\n")
set(ostinato_libs "")
set(ostinato_kokkos_prefix "")
if(OSTINATO_CUDA)
  string(APPEND ostinato_find "find_dependency(CUDAToolkit)\nfind_dependency(Threads)\n")
  string(APPEND ostinato_libs " -L${cuda_libdir} -l${ostinato_cudart} -lrt -pthread")
  string(REPLACE "CUDA::" "" ostinato_libs "${ostinato_libs}")
endif()
foreach(library IN LISTS ostinato_libraries)
  if(library MATCHES "/lib([^/]+)\\.(so|a)$")
    string(APPEND ostinato_libs " -l${CMAKE_MATCH_1}")
  endif()
endforeach()
# A Kokkos that ./dev built under .deps is installed, too, in a folder of its own, so that the prefix doesn't depend on
# this source folder and the headers aren't in the way of another Kokkos. For any other Kokkos there is a hint.
if(ostinato_pool STREQUAL "kokkos")
  cmake_path(IS_PREFIX PROJECT_SOURCE_DIR "${Kokkos_DIR}" NORMALIZE kokkos_is_ours)
  get_target_property(kokkos_include Kokkos::kokkoscore INTERFACE_INCLUDE_DIRECTORIES)
  list(GET kokkos_include 0 kokkos_include)
  cmake_path(GET kokkos_include PARENT_PATH kokkos_prefix)
  file(RELATIVE_PATH kokkos_libdir "${kokkos_prefix}" "${Kokkos_DIR}/../..")
  string(REGEX REPLACE "/$" "" kokkos_libdir "${kokkos_libdir}")
  set(kokkos_hint "${Kokkos_DIR}")
  if(kokkos_is_ours)
    set(kokkos_folder "${CMAKE_INSTALL_LIBDIR}/ostinato/kokkos")
    install(DIRECTORY "${kokkos_prefix}/include" "${kokkos_prefix}/lib" DESTINATION "${kokkos_folder}")
    set(kokkos_hint "\${PACKAGE_PREFIX_DIR}/${kokkos_folder}")
    set(kokkos_prefix "\${prefix}/${kokkos_folder}")
  endif()
  string(APPEND ostinato_find "find_dependency(Kokkos ${Kokkos_VERSION} CONFIG HINTS \"${kokkos_hint}\")\n")
  set(ostinato_kokkos_prefix "kokkos_prefix=${kokkos_prefix}")
  string(PREPEND ostinato_libs " -L\${kokkos_prefix}/${kokkos_libdir} -lkokkoscontainers -lkokkoscore")
endif()
string(APPEND ostinato_libs " ${ostinato_openmp_flag} -ldl")

# The libraries for find_package(ostinato) (ostinatoConfig.cmake.in) and pkg-config. A package with GPU code that has a
# shared library may be installed beside one without: its names end in _cuda.
set(ostinato_cmakedir "${CMAKE_INSTALL_LIBDIR}/cmake/ostinato")
file(RELATIVE_PATH ostinato_pc_to_prefix "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
string(REGEX REPLACE "/$" "" ostinato_pc_to_prefix "${ostinato_pc_to_prefix}")
# ostinato_install(TARGET NAME LINK REQUIRES): NAME is that of the CMake target and of the .pc file.
function(ostinato_install target name link requires)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS ${target} EXPORT ${name} ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(EXPORT ${name} FILE "${name}Targets.cmake" NAMESPACE ostinato:: DESTINATION "${ostinato_cmakedir}")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/ostinato.pc.in" "${PROJECT_BINARY_DIR}/${name}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endfunction()
set(static ostinato)
if(OSTINATO_SHARED)
  set(shared ostinato)
  if(OSTINATO_CUDA)
    set(shared ostinato_cuda)
  endif()
  set(static ${shared}_static)
  ostinato_install(ostinato_shared ${shared} "-l${shared}" "")
  ostinato_install(ostinato ${static} "-l:lib${shared}.a${ostinato_libs} -Wl,--gc-sections" "Requires: zlib")
  foreach(level IN LISTS ostinato_levels)
    install(TARGETS ostinato_shared_${level} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/glibc-hwcaps/${level}" NAMELINK_SKIP)
  endforeach()
else()
  ostinato_install(ostinato ostinato "-lostinato${ostinato_libs}" "Requires: zlib")
endif()
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/${static}Dependencies.cmake" CONTENT "${ostinato_find}" @ONLY)
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/ostinatoConfig.cmake.in" "${PROJECT_BINARY_DIR}/ostinatoConfig.cmake"
  INSTALL_DESTINATION "${ostinato_cmakedir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/ostinatoConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/ostinatoConfig.cmake" "${PROJECT_BINARY_DIR}/ostinatoConfigVersion.cmake"
  "${PROJECT_BINARY_DIR}/${static}Dependencies.cmake" DESTINATION "${ostinato_cmakedir}")

install(FILES LICENSE NOTICE CITATION.cff README.md CHANGELOG.md CONTRIBUTING.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
# The build of the examples is a part of this one; examples/outside_project is a project of its own.
install(DIRECTORY docs examples DESTINATION "${CMAKE_INSTALL_DOCDIR}"
  REGEX "/examples/(CMakeLists\\.txt|check_output\\.cmake)$" EXCLUDE)

# cpack -G DEB, or ./dev deb
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME ostinato)
set(CPACK_PACKAGE_CONTACT "The Ostinato authors")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION math)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}")
if(OSTINATO_MUMPS)
  file(STRINGS "${MUMPS_INCLUDE_DIR}/dmumps_c.h" mumps_version REGEX "define MUMPS_VERSION +\"")
  string(REGEX REPLACE ".*\"([0-9]+\\.[0-9]+).*" "\\1" mumps_version "${mumps_version}")
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libmumps-seq-${mumps_version}, libopenblas0-serial | libopenblas0")
endif()
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "g++, cmake, pkg-config, zlib1g-dev, libmetis-dev, libsuitesparse-dev, liblapack-dev")
if(OSTINATO_CUDA)
  set(CPACK_PACKAGE_NAME ostinato-cuda)
  set(CPACK_DEBIAN_PACKAGE_PROVIDES ostinato)
  set(CPACK_DEBIAN_PACKAGE_CONFLICTS ostinato)
  set(CPACK_DEBIAN_PACKAGE_REPLACES ostinato)
endif()
include(CPack)
