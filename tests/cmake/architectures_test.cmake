# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0

# Which CUDA architectures cmake/OstinatoArchitectures.cmake refuses. Run by: cmake -P architectures_test.cmake
include("${CMAKE_CURRENT_LIST_DIR}/../../cmake/OstinatoArchitectures.cmake")

function(expect_old architectures expected)
  ostinato_old_architectures(old "${architectures}")
  if(NOT "${old}" STREQUAL "${expected}")
    message(SEND_ERROR "of '${architectures}' got '${old}', want '${expected}'")
  endif()
endfunction()

expect_old("80;90" "")
expect_old("80-real;90a;100f;120-virtual" "")
expect_old("native" "")
expect_old("" "")
expect_old("75" "75")
expect_old("52;70-real;75-virtual;80" "52;70-real;75-virtual")
expect_old("all" "all")
expect_old("all-major" "all-major")

# The refusal of a whole configuration, which comes before the compiler is looked for.
if(DEFINED SOURCE_DIR)
  execute_process(COMMAND "${CMAKE_COMMAND}" -S "${SOURCE_DIR}" -B "${WORK_DIR}" -DCMAKE_CUDA_ARCHITECTURES=75
                          -DOSTINATO_ENABLE_CUDA=ON
                  RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(code EQUAL 0 OR NOT out MATCHES "compute capability 8.0")
    message(SEND_ERROR "a configuration for 75 gave ${code}:\n${out}")
  endif()
endif()
