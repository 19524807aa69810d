// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "format_options.hpp"

#include <ostinato/spmv/registry.hpp>

#include "help.hpp"
#include "text.hpp"

namespace ostinato::cli {

void add_format_option(CLI::App& command, FormatInput& in) {
  const std::string known = names_of(format_infos, in.format);
  command.add_option("--format", in.format, known)->type_name("NAME")->check(one_of(known))->capture_default_str();
}

void add_tune_option(CLI::App& command, FormatInput& in, const std::string& known, const std::string& meaning) {
  command.add_option("--tune", in.tune, meaning)->type_name("HOW")->check(one_of(known))->capture_default_str();
}

void add_kernel_options(CLI::App& command, FormatInput& in) {
  command
      .add_option("--jit", in.jit,
                  "on GPUs, kernels compiled for this matrix: off, on (waited for), auto (where that pays)")
      ->type_name("WHEN")
      ->check(one_of("off, on, auto"))
      ->capture_default_str();
  command
      .add_option(
          "--compress", in.compress,
          "constant, mirrored and narrow values in fewer bytes, without losing a bit: off, on, auto (where bytes "
          "count)")
      ->type_name("WHEN")
      ->check(one_of("off, on, auto"))
      ->capture_default_str();
}

FormatOptions format_options(const FormatInput& in) {
  FormatOptions o;
  o.format = in.format;
  o.tune = in.tune == "off" ? Tune::off : in.tune == "measure" ? Tune::measure : Tune::model;
  o.jit = in.jit == "off" ? Jit::off : in.jit == "on" ? Jit::on : Jit::automatic;
  o.compress = in.compress == "off" ? Compress::off : in.compress == "on" ? Compress::on : Compress::automatic;
  return o;
}

Json format_details(const FormatInput& in, const std::string& generated) {
  return {{"jit", in.jit}, {"compress", in.compress}, {"generated", generated}};
}

}  // namespace ostinato::cli
