# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0

# OSTINATO_SHARED builds libostinato.so beside libostinato.a, once for every processor and once for each of the levels
# x86-64-v3 (AVX2) and x86-64-v4 (AVX-512). The dynamic linker of glibc 2.33 or later takes the best that the processor
# runs (docs/decisions/instruction-set.md). A build with CUDA names its libraries ostinato_cuda, so that a prefix may hold both.
set(ostinato_levels "")
if(OSTINATO_SHARED AND NOT OSTINATO_NATIVE AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(ostinato_levels x86-64-v3 x86-64-v4)
endif()

# ostinato_shared_library(TARGET OBJECTS FOLDER): a shared library of the objects and of what else the static one has.
function(ostinato_shared_library target objects folder)
  get_target_property(sources ostinato SOURCES)
  list(REMOVE_ITEM sources "$<TARGET_OBJECTS:ostinato_host>")
  add_library(${target} SHARED $<TARGET_OBJECTS:${objects}> ${sources})
  ostinato_compile_settings(${target} 2)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${ostinato_name} LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${folder}"
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} LINKER_LANGUAGE CXX)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  target_compile_definitions(${target} PUBLIC "$<$<BOOL:${OSTINATO_CUDA}>:$<BUILD_INTERFACE:OSTINATO_HAS_CUDA>>")
  get_target_property(libraries ostinato LINK_LIBRARIES)
  target_link_libraries(${target} PRIVATE ${libraries})
  # Functions of the library call each other, not what a program has instantiated of their templates.
  target_link_options(${target} PRIVATE ${ostinato_openmp_flag} -Wl,-Bsymbolic-functions -Wl,--no-undefined)
endfunction()

if(OSTINATO_SHARED)
  set(ostinato_name "ostinato$<$<BOOL:${OSTINATO_CUDA}>:_cuda>")
  set_target_properties(ostinato PROPERTIES OUTPUT_NAME ${ostinato_name})
  ostinato_shared_library(ostinato_shared ostinato_host .)
  foreach(level IN LISTS ostinato_levels)
    set(objects ostinato_host_${level})
    add_library(${objects} OBJECT)
    foreach(property SOURCES COMPILE_OPTIONS COMPILE_DEFINITIONS COMPILE_FEATURES INCLUDE_DIRECTORIES LINK_LIBRARIES
            PRECOMPILE_HEADERS)
      get_target_property(value ostinato_host ${property})
      if(value)
        set_target_properties(${objects} PROPERTIES ${property} "${value}")
      endif()
    endforeach()
    # Tuned for no processor in particular, g++ takes no gather instruction, and a product in sliced-ell more than twice
    # the time.
    set(tune "$<$<STREQUAL:${level},x86-64-v4>:-mtune=znver3>")
    target_compile_options(${objects} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-march=${level};${tune}>")
    ostinato_shared_library(ostinato_shared_${level} ${objects} glibc-hwcaps/${level})
    add_dependencies(ostinato_shared ostinato_shared_${level})
  endforeach()
  # A program that is linked with the static library has those of its functions alone that it needs.
  target_compile_options(ostinato_host PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-ffunction-sections>")
  target_link_options(ostinato INTERFACE -Wl,--gc-sections)
  add_library(ostinato::ostinato ALIAS ostinato_shared)
else()
  add_library(ostinato::ostinato ALIAS ostinato)
endif()
