// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "format_options.hpp"

#include <fmt/format.h>

#include <ostinato/spmv/selection/candidates.hpp>
#include <ostinato/spmv/space/error.hpp>
#include <ostinato/spmv/formats/list.hpp>

#include "help.hpp"
#include "text.hpp"

namespace ostinato::cli {

namespace {

/// What is wrong with "cmrs:height=8"; empty when nothing is.
std::string unusable_format(const std::string& text, const std::string& known) {
  try {
    const FormatRequest asked = parse_format(text);
    std::string name = asked.name;
    if (const std::string unknown = one_of(known)(name); !unknown.empty()) return unknown;
    check_parameters(Formats<Host, double>{}, asked);
    return {};
  } catch (const ArgumentError& e) {
    return e.what();
  }
}

}  // namespace

void add_format_option(CLI::App& command, FormatInput& in) {
  const std::string known = names_of(format_infos, in.format);
  const auto check = [known](std::string& text) { return unusable_format(text, known); };
  command.add_option("--format", in.format, known + "; some with parameters: NAME:KEY=N,KEY=N")
      ->type_name("NAME")
      ->check(CLI::Validator(check, ""))
      ->capture_default_str();
}

void add_tune_option(CLI::App& command, FormatInput& in, const std::string& known, const std::string& meaning) {
  command.add_option("--tune", in.tune, meaning)->type_name("HOW")->check(one_of(known))->capture_default_str();
  add_measuring_options(command, in);
}

void add_measuring_options(CLI::App& command, FormatInput& in) {
  const double otherwise = FormatOptions{}.expected_products;
  command.add_option("--products", in.products, "products that the set-up of a format is spread over")
      ->type_name("N")
      ->check(at_least(1))
      ->default_str(fmt::format("{}", otherwise));
  command.add_option("--tune-budget", in.tune_budget, "seconds for measuring")
      ->type_name("S")
      ->check(at_least(0))
      ->default_str(in.tune_budget > 0 ? fmt::format("{}", in.tune_budget) : "a twentieth of the products");
  command.add_flag("--retune", in.retune, "measure again what was measured before");
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
  o.tune_budget = in.tune_budget;
  o.tune_again = in.retune;
  if (in.products > 0) o.expected_products = in.products;
  o.jit = in.jit == "off" ? Jit::off : in.jit == "on" ? Jit::on : Jit::automatic;
  o.compress = in.compress == "off" ? Compress::off : in.compress == "on" ? Compress::on : Compress::automatic;
  return o;
}

Json format_details(const FormatInput& in, const std::string& generated) {
  return {{"jit", in.jit}, {"compress", in.compress}, {"generated", generated}};
}

}  // namespace ostinato::cli
