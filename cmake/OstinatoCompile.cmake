# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0

# ostinato_compile_settings(TARGET LEVEL) sets warnings, optimisation, processor and sanitizers for one of our own
# targets. The settings don't reach the targets of users. LEVEL is the optimisation level of release builds: 2 for -O2,
# g for -Og, which compiles the tests a third faster than -O1.
function(ostinato_compile_settings target level)
  set(cxx "$<COMPILE_LANGUAGE:CXX>")
  # Without contraction every loop rounds alike, so the format of a matrix doesn't change the bits of a product.
  # -Wrestrict of g++ 12 gives false warnings for std::string's operator+ (GCC bug 105329).
  target_compile_options(${target} PRIVATE
    "$<${cxx}:-Wall;-Wextra;-Wshadow;-Wconversion;-Wno-sign-conversion;-Wno-unknown-pragmas;-Wno-restrict;-fopenmp-simd>"
    "$<${cxx}:-ffp-contract=off>"
    "$<$<AND:${cxx},$<CONFIG:Release>>:-O${level}>"
    "$<$<AND:${cxx},$<BOOL:${OSTINATO_NATIVE}>>:-march=native>"
    "$<$<AND:${cxx},$<BOOL:${OSTINATO_SHARED}>>:-fno-semantic-interposition;-fvisibility-inlines-hidden>"
    "$<$<AND:${cxx},$<BOOL:${OSTINATO_WERROR}>>:-Werror>")
  # UndefinedBehaviorSanitizer doubles the time to compile, so it checks the library only, and leaves out what
  # AddressSanitizer sees when memory is accessed. Tests and program aren't optimised, to compile faster.
  if(OSTINATO_SANITIZE)
    if(NOT level EQUAL 2)
      set(checks -O0 -fsanitize=address)
    else()
      set(checks -fsanitize=address,undefined -fno-sanitize=null,vptr,object-size,pointer-overflow)
    endif()
    target_compile_options(${target} PRIVATE ${checks} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=address,undefined)
  endif()
endfunction()
