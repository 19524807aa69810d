# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0

# Runs inside CTest. Makes a CTest test of each test in a GoogleTest program, under its own name, and labels it by that
# name: "Cuda" in it means gpu, otherwise cpu; "Slow" means slow as well. (CMake's gtest_discover_tests gives types that
# have names unreadable ones, and takes one label only.)
function(ostinato_add_test program test)
  set(labels cpu)
  set(timeout 300)
  set(processors 1)
  if(test MATCHES "Cuda")
    set(labels gpu)
  endif()
  if(test MATCHES "Slow")
    list(APPEND labels slow)
    set(timeout 1500)
    set(processors 2)
  endif()
  add_test("${test}" "${program}" "--gtest_filter=${test}")
  # Threads that wait must not keep a core busy: several tests run at once. An empty OSTINATO_CACHE_DIR keeps tests, and
  # the programs that they start, out of the user's cache.
  set_tests_properties("${test}" PROPERTIES LABELS "${labels}" TIMEOUT ${timeout} PROCESSORS ${processors}
    ENVIRONMENT "OMP_WAIT_POLICY=passive;OSTINATO_CACHE_DIR=" SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
endfunction()

function(ostinato_discover program)
  execute_process(COMMAND "${program}" --gtest_list_tests OUTPUT_VARIABLE output RESULT_VARIABLE failed)
  if(failed)
    add_test("${program}" "${program}" --gtest_list_tests)  # fails, and shows why
    return()
  endif()
  string(REGEX REPLACE " *#[^\n]*" "" output "${output}")  # the types and parameters, spelt out
  string(REPLACE "\n" ";" lines "${output}")
  set(suite "")
  foreach(line IN LISTS lines)
    if(line MATCHES "^  ")
      string(STRIP "${line}" test)
      if(NOT "${suite}${test}" MATCHES "DISABLED_")
        ostinato_add_test("${program}" "${suite}${test}")
      endif()
    elseif(line MATCHES "^[A-Za-z0-9_/]+\\.$")
      set(suite "${line}")
    endif()
  endforeach()
endfunction()
