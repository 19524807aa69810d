# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0

# `cmake --install` puts these files under a prefix: library, headers, a CMake package and a pkg-config file. The prefix
# may be moved afterwards. The program has its own rule in cli/.
include(CMakePackageConfigHelpers)

# The headers for users, and the headers that they include. tests/install compiles all of them against an installation.
set(ostinato_headers
  ostinato.hpp
  preconditioners/any_preconditioner.hpp
  preconditioners/contract/application.hpp
  preconditioners/block_jacobi.hpp
  preconditioners/chebyshev.hpp
  preconditioners/chebyshev_coefficients.hpp
  preconditioners/function_preconditioner.hpp
  preconditioners/fsai/approximate_factor.hpp
  preconditioners/fsai/fsai.hpp
  preconditioners/identity.hpp
  preconditioners/triangular/approximate_factored.hpp
  preconditioners/triangular/factored.hpp
  preconditioners/triangular/factors.hpp
  preconditioners/triangular/factors_in_place.hpp
  preconditioners/ilu/ic.hpp
  preconditioners/ilu/iluk.hpp
  preconditioners/ilu/ilut.hpp
  preconditioners/ilu/incomplete_lu.hpp
  preconditioners/triangular/preparation.hpp
  preconditioners/triangular/scale_range.hpp
  preconditioners/triangular/sweep.hpp
  preconditioners/triangular/triangular_solve.hpp
  preconditioners/ilu/zero_fill.hpp
  preconditioners/jacobi.hpp
  preconditioners/least_squares.hpp
  preconditioners/contract/level.hpp
  preconditioners/contract/memory_budget.hpp
  preconditioners/multigrid/damping.hpp
  preconditioners/multigrid/multigrid.hpp
  preconditioners/contract/preconditioner.hpp
  preconditioners/contract/rows_named.hpp
  preconditioners/spai0.hpp
  preconditioners/ssor.hpp
  solvers/methods/bicgstab.hpp
  solvers/methods/bicgstab2.hpp
  solvers/methods/cg.hpp
  solvers/examination.hpp
  solvers/methods/gcrodr.hpp
  solvers/methods/gmres.hpp
  solvers/methods/idr.hpp
  solvers/list.hpp
  solvers/methods/lsmr.hpp
  solvers/methods/minres.hpp
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
  spmv/dense/tridiagonal.hpp
  spmv/base/function.hpp
  spmv/base/scalar.hpp
  spmv/block.hpp
  spmv/formats/calibration.hpp
  spmv/cost/cost.hpp
  spmv/formats/contract/lower_of.hpp
  spmv/cost/machine.hpp
  spmv/function_operator.hpp
  spmv/linear_map.hpp
  spmv/linear_operator.hpp
  spmv/algebra/extract.hpp
  spmv/algebra/filter.hpp
  spmv/algebra/product.hpp
  spmv/algebra/rearrangement.hpp
  spmv/algebra/scale.hpp
  spmv/algebra/sum.hpp
  spmv/algebra/transpose.hpp
  spmv/algebra/triple_product.hpp
  spmv/matrix/csr.hpp
  spmv/matrix/csr_from.hpp
  spmv/matrix/generate.hpp
  spmv/matrix/io/matrix_market.hpp
  spmv/ordering/breadth_first.hpp
  spmv/ordering/clusters.hpp
  spmv/ordering/matching.hpp
  spmv/ordering/nested_dissection.hpp
  spmv/ordering/rcm.hpp
  spmv/ordering/renumber.hpp
  spmv/matrix/space_csr.hpp
  spmv/matrix/stencil.hpp
  spmv/operator.hpp
  spmv/selection/choice.hpp
  spmv/selection/numbering.hpp
  spmv/shapes.hpp
  spmv/space/concept.hpp
  spmv/space/cuda.hpp
  spmv/base/error.hpp
  spmv/base/extents.hpp
  spmv/space/host.hpp
  spmv/base/index.hpp
  spmv/base/lengths.hpp
  spmv/space/list.hpp
  spmv/space/memory.hpp
  spmv/base/message.hpp
  spmv/base/revision.hpp
  spmv/space/span_of.hpp
  spmv/base/stop.hpp
  spmv/space/together.hpp
  spmv/space/vector.hpp
  spmv/space/vector_steps.hpp
  spmv/stencil/stencil_operator.hpp
  spmv/transposable_operator.hpp
  spmv/version.hpp
  strategy/solve.hpp
  # for user-defined formats
  spmv/formats/contract/built_format.hpp
  spmv/formats/contract/format.hpp
  spmv/formats/list.hpp
  spmv/formats/contract/parameters.hpp
  # for spaces of users: the bodies of templates
  preconditioners/chebyshev_definition.hpp
  preconditioners/chebyshev_steps.hpp
  preconditioners/definite_sign.hpp
  preconditioners/definitions.hpp
  preconditioners/fsai/fsai_definition.hpp
  preconditioners/triangular/approximate_factored_definition.hpp
  preconditioners/triangular/approximate_factored_steps.hpp
  preconditioners/ilu/band.hpp
  preconditioners/ilu/cholesky.hpp
  preconditioners/ilu/complete_entries.hpp
  preconditioners/triangular/factored_definition.hpp
  preconditioners/ilu/growth.hpp
  preconditioners/ilu/incomplete_lu_definition.hpp
  preconditioners/triangular/isai.hpp
  preconditioners/triangular/isai_definition.hpp
  preconditioners/triangular/isai_rows.hpp
  preconditioners/triangular/isai_steps.hpp
  preconditioners/ilu/lu_order.hpp
  preconditioners/ilu/raise.hpp
  preconditioners/triangular/sweep_definition.hpp
  preconditioners/triangular/sweep_steps.hpp
  preconditioners/triangular/triangle.hpp
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
  spmv/dense/dense_inverse.hpp
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
  preconditioners/contract/option_text.hpp
  preconditioners/contract/require_rows.hpp
  preconditioners/contract/require_square.hpp
  preconditioners/signs.hpp
  preconditioners/ssor_definition.hpp
  solvers/methods/bicgstab2_definition.hpp
  solvers/methods/bicgstab2_steps.hpp
  solvers/methods/bicgstab_definition.hpp
  solvers/methods/bicgstab_steps.hpp
  solvers/recurrence/callback_guard.hpp
  solvers/methods/cg_definition.hpp
  solvers/methods/cg_steps.hpp
  solvers/recurrence/convergence_state.hpp
  solvers/definitions.hpp
  solvers/recurrence/diagnosis.hpp
  solvers/recurrence/diagnosis_definition.hpp
  solvers/methods/gcrodr_definition.hpp
  solvers/methods/gmres_definition.hpp
  solvers/methods/gmres_steps.hpp
  solvers/recurrence/gradient_judge.hpp
  solvers/recurrence/gradient_judge_definition.hpp
  spmv/dense/hessenberg.hpp
  solvers/methods/idr_definition.hpp
  solvers/methods/idr_steps.hpp
  solvers/methods/lsmr_definition.hpp
  solvers/methods/lsmr_steps.hpp
  solvers/methods/minres_definition.hpp
  solvers/methods/minres_steps.hpp
  solvers/recurrence/monitor.hpp
  solvers/no_solution.hpp
  solvers/recurrence/require_room.hpp
  solvers/recurrence/residual_judge.hpp
  solvers/recurrence/residual_judge_definition.hpp
  solvers/recurrence/restarts.hpp
  solvers/recurrence/restarts_steps.hpp
  solvers/recurrence/scaled_system.hpp
  solvers/recurrence/scaled_system_definition.hpp
  solvers/recurrence/slow_directions.hpp
  solvers/recurrence/workspace.hpp
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
  spmv/cost/host_cost.hpp
  spmv/formats/list_definition.hpp
  spmv/formats/contract/product.hpp
  spmv/formats/store_row.hpp
  spmv/cost/streamed_cost.hpp
  spmv/formats/textbook/ell.hpp
  spmv/formats/textbook/ell_view.hpp
  spmv/cost/traffic.hpp
  spmv/jit/generated_kernels.hpp
  spmv/algebra/accurate_residual.hpp
  spmv/algebra/accurate_residual_definition.hpp
  spmv/algebra/accurate_residual_steps.hpp
  spmv/algebra/counted.hpp
  spmv/algebra/extract_definition.hpp
  spmv/algebra/extract_steps.hpp
  spmv/algebra/filter_definition.hpp
  spmv/algebra/filter_steps.hpp
  spmv/algebra/norms.hpp
  spmv/algebra/norms_definition.hpp
  spmv/algebra/norms_steps.hpp
  spmv/algebra/product_definition.hpp
  spmv/algebra/product_loops.hpp
  spmv/algebra/product_pattern.hpp
  spmv/algebra/product_steps.hpp
  spmv/algebra/rearrangement_definition.hpp
  spmv/algebra/scale_definition.hpp
  spmv/algebra/scale_steps.hpp
  spmv/algebra/shapes.hpp
  spmv/algebra/sum_definition.hpp
  spmv/algebra/sum_steps.hpp
  spmv/algebra/transpose_definition.hpp
  spmv/matrix/csr_pattern.hpp
  spmv/matrix/on_host.hpp
  spmv/ordering/bandwidth.hpp
  spmv/ordering/colouring.hpp
  spmv/ordering/renumber_steps.hpp
  spmv/matrix/space_csr_definition.hpp
  spmv/operator_definition.hpp
  spmv/selection/candidates.hpp
  spmv/selection/select_format.hpp
  spmv/selection/select_format_definition.hpp
  spmv/selection/tuner.hpp
  spmv/selection/tuner_definition.hpp
  spmv/space/atomic.hpp
  spmv/base/bisect.hpp
  spmv/base/count_text.hpp
  spmv/base/divider.hpp
  spmv/space/dot.hpp
  spmv/space/for_each.hpp
  spmv/space/for_each_row.hpp
  spmv/space/graph_capture.hpp
  spmv/base/hash.hpp
  spmv/space/multi_vector.hpp
  spmv/space/multi_vector_definition.hpp
  spmv/space/parallel.hpp
  spmv/space/readback.hpp
  spmv/space/scan.hpp
  spmv/space/side_stream.hpp
  spmv/space/sort_by_key.hpp
  spmv/space/sums.hpp
  spmv/base/timing.hpp
  spmv/space/to_host.hpp
  spmv/base/units.hpp
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
  spmv/selection/search_engine.hpp
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
