// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/team/mpi_object.hpp>

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <ostinato/spmv/base/error.hpp>

namespace ostinato::detail {

namespace {

constexpr const char* object_name = "libostinato_mpi.so";

/// The folder of the library or, where it is linked in, of the program.
std::string own_folder() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&open_mpi), &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code failed;
  const std::string path = std::filesystem::canonical(info.dli_fname, failed).string();  // links lead elsewhere
  const std::size_t end = path.rfind('/');
  return end == std::string::npos ? std::string() : path.substr(0, end);
}

/// Where the object may be, the likeliest place first.
std::vector<std::string> places() {
  if (const char* const given = std::getenv("OSTINATO_MPI"); given != nullptr && *given != '\0') return {given};
  std::vector<std::string> paths;
  if (const std::string folder = own_folder(); !folder.empty()) {
    for (const char* const below : {"/", "/../", "/../lib/", "/../lib64/", "/../lib/x86_64-linux-gnu/"})
      paths.push_back(folder + below + object_name);
  }
  paths.emplace_back(object_name);
  return paths;
}

MakeMpiChannel open_object() {
  std::string why;
  for (const std::string& path : places()) {
    void* const object = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);  // Open MPI opens objects that need its names
    if (object == nullptr) {
      const char* const said = ::dlerror();
      if (why.empty() || why.find("cannot open shared object file") != std::string::npos) why = said;
      continue;
    }
    if (void* const found = ::dlsym(object, "ostinato_mpi_channel")) return reinterpret_cast<MakeMpiChannel>(found);
    why = path + " isn't the object of this library";
  }
  throw ArgumentError(
      "no MPI: " + why + "; this needs " + object_name +
      ", which a build makes where it finds MPI (libopenmpi-dev or libmpich-dev); OSTINATO_MPI may name the file");
}

}  // namespace

std::shared_ptr<Channel> open_mpi(const void* communicator) {
  static const MakeMpiChannel make = open_object();
  char text[200] = {};
  std::shared_ptr<Channel> channel(make(communicator, mpi_object_version, text, sizeof text));
  if (channel == nullptr) throw ArgumentError(std::string("no MPI: ") + text);
  return channel;
}

}  // namespace ostinato::detail
