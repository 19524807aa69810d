# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0

# ostinato_compile_settings(TARGET LEVEL) sets warnings, optimisation, processor and sanitizers for one of our own
# targets. The settings don't reach the targets of users. LEVEL is the optimisation level of release builds: 2 for -O2,
# g for -Og, which compiles the tests a third faster than -O1.
function(ostinato_compile_settings target level)
  set(cxx "$<COMPILE_LANGUAGE:CXX>")
  # Without contraction every loop rounds alike, so the format of a matrix doesn't change the bits of a product.
  # -Wrestrict of g++ 12 gives false warnings for std::string's operator+ (GCC bug 105329). So do -Warray-bounds,
  # -Wstringop-overflow and, for some processors, -Wmaybe-uninitialized where sources are compiled as one.
  # -Wsubobject-linkage takes each source that another file includes for a header.
  target_compile_options(${target} PRIVATE
    "$<${cxx}:-Wall;-Wextra;-Wshadow;-Wconversion;-Wno-sign-conversion;-Wno-unknown-pragmas;-Wno-restrict;-fopenmp-simd>"
    "$<${cxx}:-ffp-contract=off>"
    "$<$<AND:${cxx},$<BOOL:${OSTINATO_JOIN}>>:-Wno-subobject-linkage;-Wno-array-bounds;-Wno-stringop-overflow;-Wno-maybe-uninitialized>"
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

# ostinato_join(VARIABLE NAME) replaces sources in a list by files that include up to eight sources of a folder each,
# where OSTINATO_JOIN is on. The paths are relative to the top folder; spmv/formats and what is below it are one folder,
# say. NAME tells apart the files of lists whose options differ. CMake's own unity builds leave out sources with options.
# A list.cpp stays alone: it declares what the sources beside it define; host.cpp, since a test brings its own.
function(ostinato_join variable name)
  if(NOT OSTINATO_JOIN)
    return()
  endif()
  set(files "")
  foreach(source IN LISTS ${variable})
    if(source MATCHES "/list\\.cpp$|^spmv/space/host\\.cpp$")
      list(APPEND files "${source}")
      continue()
    endif()
    string(REGEX REPLACE "^([^/]+(/[^/]+)?)/.*" "\\1" folder "${source}")
    math(EXPR group "0${in_${folder}} / 8")
    math(EXPR "in_${folder}" "0${in_${folder}} + 1")
    string(MAKE_C_IDENTIFIER "${folder}_${name}_${group}" group)
    set(file "${PROJECT_BINARY_DIR}/joined/${group}.cpp")
    list(APPEND files "${file}")
    string(APPEND "${group}_text" "#include \"${PROJECT_SOURCE_DIR}/${source}\"\n#undef OSTINATO_INSTANTIATE\n")
    file(CONFIGURE OUTPUT "${file}" CONTENT "${${group}_text}" @ONLY)
  endforeach()
  list(REMOVE_DUPLICATES files)
  set(${variable} "${files}" PARENT_SCOPE)
endfunction()
