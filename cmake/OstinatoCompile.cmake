# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0

# Warnings, optimisation, processor and sanitizers for one of our own targets; none of it reaches the targets of our users.
# ostinato_compile_settings(TARGET LEVEL): LEVEL is that of optimisation in release builds, as 2 in -O2.
function(ostinato_compile_settings target level)
  set(cxx "$<COMPILE_LANGUAGE:CXX>")
  # Without contraction every loop rounds alike: how a matrix is stored then doesn't change the bits of a product.
  # -Wrestrict of g++ 12 warns of std::string's operator+ without cause (GCC bug 105329).
  target_compile_options(${target} PRIVATE
    "$<${cxx}:-Wall;-Wextra;-Wshadow;-Wconversion;-Wno-sign-conversion;-Wno-unknown-pragmas;-Wno-restrict;-fopenmp-simd>"
    "$<${cxx}:-ffp-contract=off>"
    "$<$<AND:${cxx},$<CONFIG:Release>>:-O${level}>"
    "$<$<AND:${cxx},$<BOOL:${OSTINATO_NATIVE}>>:-march=native>"
    "$<$<AND:${cxx},$<BOOL:${OSTINATO_WERROR}>>:-Werror>")
  if(OSTINATO_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=address,undefined)
  endif()
endfunction()
