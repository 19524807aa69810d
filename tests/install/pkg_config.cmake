# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
include("${CMAKE_CURRENT_LIST_DIR}/stage.cmake")

set(ENV{PKG_CONFIG_PATH} "${prefix}/${libdir}/pkgconfig")
run(COMMAND "${pkg_config}" --modversion ostinato OUTPUT found)
string(STRIP "${found}" found)
if(NOT found VERSION_EQUAL version)
  message(FATAL_ERROR "pkg-config found version ${found}, not ${version}")
endif()

# Where there are two libraries, the static one is that which needs more options.
set(package ostinato)
if(EXISTS "${prefix}/${libdir}/pkgconfig/ostinato_static.pc")
  set(package ostinato_static)
endif()
run(COMMAND "${pkg_config}" --cflags --libs ${package} OUTPUT options)
separate_arguments(options UNIX_COMMAND "${options}")
run(COMMAND "${compiler}" -std=c++20 "${source}/examples/outside_project/main.cpp" -o "${work}/outside" ${options})
check_program("${work}/outside")
