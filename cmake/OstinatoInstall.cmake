# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0

# `cmake --install` puts these files under a prefix: library, headers, a CMake package and a pkg-config file. The prefix
# may be moved afterwards. The program has its own rule in cli/.
include(CMakePackageConfigHelpers)

# The headers for users, and the headers that they include. tests/install compiles all of them against an installation.
set(ostinato_headers
  ostinato.hpp
  preconditioners/any_preconditioner.hpp
  preconditioners/application.hpp
  preconditioners/block_jacobi.hpp
  preconditioners/chebyshev.hpp
  preconditioners/chebyshev_coefficients.hpp
  preconditioners/function_preconditioner.hpp
  preconditioners/fsai/approximate_factor.hpp
  preconditioners/fsai/fsai.hpp
  preconditioners/identity.hpp
  preconditioners/ilu/approximate_factored.hpp
  preconditioners/ilu/factored.hpp
  preconditioners/ilu/factors.hpp
  preconditioners/ilu/factors_in_place.hpp
  preconditioners/ilu/ic.hpp
  preconditioners/ilu/iluk.hpp
  preconditioners/ilu/ilut.hpp
  preconditioners/ilu/incomplete_lu.hpp
  preconditioners/ilu/preparation.hpp
  preconditioners/ilu/scale_range.hpp
  preconditioners/ilu/sweep.hpp
  preconditioners/ilu/triangular_solve.hpp
  preconditioners/ilu/zero_fill.hpp
  preconditioners/jacobi.hpp
  preconditioners/least_squares.hpp
  preconditioners/level.hpp
  preconditioners/memory_budget.hpp
  preconditioners/multigrid/damping.hpp
  preconditioners/multigrid/multigrid.hpp
  preconditioners/preconditioner.hpp
  preconditioners/rows_named.hpp
  preconditioners/spai0.hpp
  preconditioners/ssor.hpp
  solvers/bicgstab.hpp
  solvers/bicgstab2.hpp
  solvers/cg.hpp
  solvers/examination.hpp
  solvers/gcrodr.hpp
  solvers/gmres.hpp
  solvers/idr.hpp
  solvers/list.hpp
  solvers/lsmr.hpp
  solvers/minres.hpp
  solvers/options.hpp
  solvers/solve.hpp
  solvers/solver.hpp
  spmv/analysis/analysis.hpp
  spmv/analysis/entries.hpp
  spmv/analysis/facts.hpp
  spmv/analysis/grid.hpp
  spmv/analysis/pattern_hash.hpp
  spmv/analysis/spectrum.hpp
  spmv/analysis/structure.hpp
  spmv/analysis/tridiagonal.hpp
  spmv/base/function.hpp
  spmv/base/scalar.hpp
  spmv/block.hpp
  spmv/formats/calibration.hpp
  spmv/formats/cost.hpp
  spmv/formats/lower_of.hpp
  spmv/formats/machine.hpp
  spmv/function_operator.hpp
  spmv/linear_map.hpp
  spmv/linear_operator.hpp
  spmv/matrix/algebra/extract.hpp
  spmv/matrix/algebra/filter.hpp
  spmv/matrix/algebra/product.hpp
  spmv/matrix/algebra/rearrangement.hpp
  spmv/matrix/algebra/scale.hpp
  spmv/matrix/algebra/sum.hpp
  spmv/matrix/algebra/transpose.hpp
  spmv/matrix/algebra/triple_product.hpp
  spmv/matrix/csr.hpp
  spmv/matrix/csr_from.hpp
  spmv/matrix/generate.hpp
  spmv/matrix/io/matrix_market.hpp
  spmv/matrix/ordering/breadth_first.hpp
  spmv/matrix/ordering/clusters.hpp
  spmv/matrix/ordering/matching.hpp
  spmv/matrix/ordering/nested_dissection.hpp
  spmv/matrix/ordering/rcm.hpp
  spmv/matrix/renumber.hpp
  spmv/matrix/space_csr.hpp
  spmv/matrix/stencil.hpp
  spmv/operator.hpp
  spmv/selection/choice.hpp
  spmv/selection/numbering.hpp
  spmv/shapes.hpp
  spmv/space/concept.hpp
  spmv/space/cuda.hpp
  spmv/space/error.hpp
  spmv/space/extents.hpp
  spmv/space/host.hpp
  spmv/space/index.hpp
  spmv/space/lengths.hpp
  spmv/space/list.hpp
  spmv/space/memory.hpp
  spmv/space/message.hpp
  spmv/space/revision.hpp
  spmv/space/span_of.hpp
  spmv/space/stop.hpp
  spmv/space/together.hpp
  spmv/space/vector.hpp
  spmv/space/vector_steps.hpp
  spmv/stencil/stencil_operator.hpp
  spmv/transposable_operator.hpp
  spmv/version.hpp
  strategy/solve.hpp
  # for user-defined formats
  spmv/formats/built_format.hpp
  spmv/formats/format.hpp
  spmv/formats/list.hpp
  spmv/formats/parameters.hpp
  # for spaces of users: the bodies of templates
  preconditioners/chebyshev_definition.hpp
  preconditioners/chebyshev_steps.hpp
  preconditioners/definite_sign.hpp
  preconditioners/definitions.hpp
  preconditioners/fsai/fsai_definition.hpp
  preconditioners/ilu/approximate_factored_definition.hpp
  preconditioners/ilu/approximate_factored_steps.hpp
  preconditioners/ilu/band.hpp
  preconditioners/ilu/cholesky.hpp
  preconditioners/ilu/complete_entries.hpp
  preconditioners/ilu/factored_definition.hpp
  preconditioners/ilu/growth.hpp
  preconditioners/ilu/incomplete_lu_definition.hpp
  preconditioners/ilu/isai.hpp
  preconditioners/ilu/isai_definition.hpp
  preconditioners/ilu/isai_rows.hpp
  preconditioners/ilu/isai_steps.hpp
  preconditioners/ilu/lu_order.hpp
  preconditioners/ilu/raise.hpp
  preconditioners/ilu/sweep_definition.hpp
  preconditioners/ilu/sweep_steps.hpp
  preconditioners/ilu/triangle.hpp
  preconditioners/ilu/zero_fill_definition.hpp
  preconditioners/ilu/zero_fill_in_turn.hpp
  preconditioners/ilu/zero_fill_levels.hpp
  preconditioners/ilu/zero_fill_phases.hpp
  preconditioners/ilu/zero_fill_rows.hpp
  preconditioners/ilu/zero_fill_steps.hpp
  preconditioners/ilu/zero_fill_strips.hpp
  preconditioners/jacobi_definition.hpp
  preconditioners/jacobi_steps.hpp
  preconditioners/largest_eigenvalue.hpp
  preconditioners/largest_eigenvalue_definition.hpp
  preconditioners/list.hpp
  preconditioners/list_definition.hpp
  preconditioners/multigrid/algebraic/aggregation.hpp
  preconditioners/multigrid/algebraic/aggregation_definition.hpp
  preconditioners/multigrid/algebraic/aggregation_rounds.hpp
  preconditioners/multigrid/algebraic/aggregation_steps.hpp
  preconditioners/multigrid/algebraic/aggressive.hpp
  preconditioners/multigrid/algebraic/aggressive_definition.hpp
  preconditioners/multigrid/algebraic/aggressive_steps.hpp
  preconditioners/multigrid/algebraic/bounded_product.hpp
  preconditioners/multigrid/algebraic/coarse_inverse.hpp
  preconditioners/multigrid/algebraic/coarse_inverse_block.hpp
  preconditioners/multigrid/algebraic/coarse_inverse_definition.hpp
  preconditioners/multigrid/algebraic/coarse_matrix.hpp
  preconditioners/multigrid/algebraic/coarsening.hpp
  preconditioners/multigrid/algebraic/coarsening_definition.hpp
  preconditioners/multigrid/algebraic/coarsening_steps.hpp
  preconditioners/multigrid/algebraic/cycle.hpp
  preconditioners/multigrid/algebraic/cycle_definition.hpp
  preconditioners/multigrid/algebraic/factor_aggregates.hpp
  preconditioners/multigrid/algebraic/groups.hpp
  preconditioners/multigrid/algebraic/groups_definition.hpp
  preconditioners/multigrid/algebraic/groups_rows.hpp
  preconditioners/multigrid/algebraic/groups_steps.hpp
  preconditioners/multigrid/algebraic/hierarchy.hpp
  preconditioners/multigrid/algebraic/hierarchy_definition.hpp
  preconditioners/multigrid/algebraic/interpolation.hpp
  preconditioners/multigrid/algebraic/interpolation_definition.hpp
  preconditioners/multigrid/algebraic/interpolation_steps.hpp
  preconditioners/multigrid/algebraic/k_cycle_steps.hpp
  preconditioners/multigrid/algebraic/level_smoother.hpp
  preconditioners/multigrid/algebraic/level_smoother_definition.hpp
  preconditioners/multigrid/algebraic/level_steps.hpp
  preconditioners/multigrid/algebraic/near_null_space.hpp
  preconditioners/multigrid/algebraic/near_null_space_definition.hpp
  preconditioners/multigrid/algebraic/pairs.hpp
  preconditioners/multigrid/algebraic/pairs_definition.hpp
  preconditioners/multigrid/algebraic/pairs_steps.hpp
  preconditioners/multigrid/algebraic/pairwise_aggregation.hpp
  preconditioners/multigrid/algebraic/pairwise_aggregation_definition.hpp
  preconditioners/multigrid/algebraic/plain_aggregation.hpp
  preconditioners/multigrid/algebraic/plain_aggregation_definition.hpp
  preconditioners/multigrid/algebraic/points.hpp
  preconditioners/multigrid/algebraic/rounds.hpp
  preconditioners/multigrid/algebraic/smoothed_aggregation.hpp
  preconditioners/multigrid/algebraic/smoothed_aggregation_definition.hpp
  preconditioners/multigrid/algebraic/smoothed_aggregation_steps.hpp
  preconditioners/multigrid/algebraic/with_rows.hpp
  preconditioners/multigrid/multigrid_definition.hpp
  preconditioners/multigrid/rate.hpp
  preconditioners/multigrid/rate_steps.hpp
  preconditioners/multigrid/structured/classes.hpp
  preconditioners/multigrid/structured/coarse_grids.hpp
  preconditioners/multigrid/structured/cycle.hpp
  preconditioners/multigrid/structured/cycle_definition.hpp
  preconditioners/multigrid/structured/cycle_steps.hpp
  preconditioners/multigrid/structured/dense_inverse.hpp
  preconditioners/multigrid/structured/half.hpp
  preconditioners/multigrid/structured/half_host.hpp
  preconditioners/multigrid/structured/half_steps.hpp
  preconditioners/multigrid/structured/halving_steps.hpp
  preconditioners/multigrid/structured/hierarchy.hpp
  preconditioners/multigrid/structured/hierarchy_by_class_definition.hpp
  preconditioners/multigrid/structured/hierarchy_definition.hpp
  preconditioners/multigrid/structured/hierarchy_steps.hpp
  preconditioners/multigrid/structured/passes.hpp
  preconditioners/multigrid/structured/plain_star.hpp
  preconditioners/multigrid/structured/planned_grids.hpp
  preconditioners/multigrid/structured/slots.hpp
  preconditioners/multigrid/structured/star_by_axes.hpp
  preconditioners/multigrid/structured/stencil.hpp
  preconditioners/multigrid/structured/tiles.hpp
  preconditioners/nearly_symmetric.hpp
  preconditioners/option_text.hpp
  preconditioners/require_rows.hpp
  preconditioners/require_square.hpp
  preconditioners/signs.hpp
  preconditioners/ssor_definition.hpp
  solvers/bicgstab2_definition.hpp
  solvers/bicgstab2_steps.hpp
  solvers/bicgstab_definition.hpp
  solvers/bicgstab_steps.hpp
  solvers/callback_guard.hpp
  solvers/cg_definition.hpp
  solvers/cg_steps.hpp
  solvers/convergence_state.hpp
  solvers/definitions.hpp
  solvers/diagnosis.hpp
  solvers/diagnosis_definition.hpp
  solvers/gcrodr_definition.hpp
  solvers/gmres_definition.hpp
  solvers/gmres_steps.hpp
  solvers/gradient_judge.hpp
  solvers/gradient_judge_definition.hpp
  solvers/hessenberg.hpp
  solvers/idr_definition.hpp
  solvers/idr_steps.hpp
  solvers/lsmr_definition.hpp
  solvers/lsmr_steps.hpp
  solvers/minres_definition.hpp
  solvers/minres_steps.hpp
  solvers/monitor.hpp
  solvers/no_solution.hpp
  solvers/require_room.hpp
  solvers/residual_judge.hpp
  solvers/residual_judge_definition.hpp
  solvers/restarts.hpp
  solvers/restarts_steps.hpp
  solvers/scaled_system.hpp
  solvers/scaled_system_definition.hpp
  solvers/slow_directions.hpp
  solvers/workspace.hpp
  spmv/analysis/analysis_definition.hpp
  spmv/analysis/diagonals_steps.hpp
  spmv/analysis/grid_definition.hpp
  spmv/analysis/grid_steps.hpp
  spmv/analysis/host_analyses.hpp
  spmv/analysis/scaled_structure.hpp
  spmv/analysis/scaled_structure_definition.hpp
  spmv/definitions.hpp
  spmv/formats/csr/csr_format.hpp
  spmv/formats/csr/csr_plan.hpp
  spmv/formats/csr_arrays.hpp
  spmv/formats/cusparse/vendor.hpp
  spmv/formats/diagonal/band_kernels.hpp
  spmv/formats/diagonal/band_loops.hpp
  spmv/formats/diagonal/band_plan.hpp
  spmv/formats/diagonal/band_view.hpp
  spmv/formats/diagonal/bands.hpp
  spmv/formats/diagonal/bands_fill.hpp
  spmv/formats/diagonal/class_table.hpp
  spmv/formats/diagonal/diagonal_format.hpp
  spmv/formats/diagonal/generated_product.hpp
  spmv/formats/diagonal/product_source.hpp
  spmv/formats/diagonal/row_classes.hpp
  spmv/formats/host_cost.hpp
  spmv/formats/list_definition.hpp
  spmv/formats/product.hpp
  spmv/formats/store_row.hpp
  spmv/formats/streamed_cost.hpp
  spmv/formats/textbook/ell.hpp
  spmv/formats/textbook/ell_view.hpp
  spmv/formats/traffic.hpp
  spmv/jit/generated_kernels.hpp
  spmv/matrix/accurate_residual.hpp
  spmv/matrix/accurate_residual_definition.hpp
  spmv/matrix/accurate_residual_steps.hpp
  spmv/matrix/algebra/counted.hpp
  spmv/matrix/algebra/extract_definition.hpp
  spmv/matrix/algebra/extract_steps.hpp
  spmv/matrix/algebra/filter_definition.hpp
  spmv/matrix/algebra/filter_steps.hpp
  spmv/matrix/algebra/norms.hpp
  spmv/matrix/algebra/norms_definition.hpp
  spmv/matrix/algebra/norms_steps.hpp
  spmv/matrix/algebra/product_definition.hpp
  spmv/matrix/algebra/product_loops.hpp
  spmv/matrix/algebra/product_pattern.hpp
  spmv/matrix/algebra/product_steps.hpp
  spmv/matrix/algebra/rearrangement_definition.hpp
  spmv/matrix/algebra/scale_definition.hpp
  spmv/matrix/algebra/scale_steps.hpp
  spmv/matrix/algebra/shapes.hpp
  spmv/matrix/algebra/sum_definition.hpp
  spmv/matrix/algebra/sum_steps.hpp
  spmv/matrix/algebra/transpose_definition.hpp
  spmv/matrix/csr_pattern.hpp
  spmv/matrix/on_host.hpp
  spmv/matrix/ordering/bandwidth.hpp
  spmv/matrix/ordering/colouring.hpp
  spmv/matrix/renumber_steps.hpp
  spmv/matrix/space_csr_definition.hpp
  spmv/operator_definition.hpp
  spmv/selection/candidates.hpp
  spmv/selection/select_format.hpp
  spmv/selection/select_format_definition.hpp
  spmv/selection/tuner.hpp
  spmv/selection/tuner_definition.hpp
  spmv/space/atomic.hpp
  spmv/space/bisect.hpp
  spmv/space/count_text.hpp
  spmv/space/divider.hpp
  spmv/space/dot.hpp
  spmv/space/for_each.hpp
  spmv/space/for_each_row.hpp
  spmv/space/graph_capture.hpp
  spmv/space/hash.hpp
  spmv/space/multi_vector.hpp
  spmv/space/multi_vector_definition.hpp
  spmv/space/parallel.hpp
  spmv/space/readback.hpp
  spmv/space/scan.hpp
  spmv/space/side_stream.hpp
  spmv/space/sort_by_key.hpp
  spmv/space/sums.hpp
  spmv/space/timing.hpp
  spmv/space/to_host.hpp
  spmv/space/units.hpp
  spmv/space/vector_steps_definition.hpp
  spmv/space/vector_steps_view.hpp
  spmv/stencil/neighbours.hpp
  spmv/stencil/stencil_operator_definition.hpp
  spmv/stencil/stencil_rows.hpp
  spmv/stencil/stencil_steps.hpp
  spmv/transposable_operator_definition.hpp
  # the results of an analysis
  spmv/analysis/diagonals.hpp
  spmv/analysis/profile.hpp
  spmv/analysis/search_engine.hpp
)
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

install(FILES LICENSE README.md CHANGELOG.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
