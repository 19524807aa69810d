// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "format_options.hpp"

#include <fmt/format.h>

#include <ostinato/bench/formats/list.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/formats/list.hpp>
#include <ostinato/spmv/selection/candidates.hpp>

#include "command_line.hpp"
#include "exit_code.hpp"
#include "text.hpp"

namespace ostinato::cli {

namespace {

using Formats = FormatList<Host, double>;

/// Says what is wrong with a text such as "cmrs:height=8"; empty when nothing is.
std::string unusable_format(std::string& text, const std::string& known, const Formats& formats) {
  try {
    text = lower(text);
    FormatRequest asked = parse_format(text);
    const bool is_elsewhere =
        formats.find(asked.name) == nullptr && bench_formats<Host, double>().find(asked.name) != nullptr;
    if (is_elsewhere) return "'" + asked.name + "' is there to compare with, in ostinato bench alone; known: " + known;
    if (std::string unknown = one_of(known)(asked.name); !unknown.empty()) return unknown;
    check_parameters(formats, asked);
    return {};
  } catch (const ArgumentError& e) {
    return e.what();
  }
}

void add_format_option(Command& command, FormatInput& in, const Formats& formats) {
  const std::string known = names_of(formats, in.format);
  command.add({.names = "--format",
               .description = known + "; some with parameters: NAME:KEY=N,KEY=N",
               .value = "NAME",
               .words = known,
               .check = [known, &formats](std::string& text) { return unusable_format(text, known, formats); }},
              in.format);
}

}  // namespace

void add_format_option(Command& command, FormatInput& in) {
  add_format_option(command, in, format_list<Host, double>());
}

void add_bench_format_option(Command& command, FormatInput& in) {
  add_format_option(command, in, bench_formats<Host, double>());
}

void add_tune_option(Command& command, FormatInput& in, const std::string& known, const std::string& meaning) {
  command.add({.names = "--tune", .description = meaning, .value = "HOW", .words = known}, in.tune);
  add_measuring_options(command, in);
}

void add_measuring_options(Command& command, FormatInput& in) {
  command.add({.names = "--products,--expected-products",
               .description = "products that the set-up of a format is spread over",
               .value = "N",
               .default_text = fmt::format("{}", FormatOptions{}.expected_products)},
              in.products, at_least(1));
  command.add({.names = "--tune-budget",
               .description = "seconds for measuring",
               .value = "S",
               .default_text = in.tune_budget > 0 ? fmt::format("{}", in.tune_budget) : "a twentieth of the products"},
              in.tune_budget, at_least(0));
  command.add_flag({.names = "--retune,--tune-again", .description = "measure again what was measured before"},
                   in.retune);
}

void add_kernel_options(Command& command, FormatInput& in) {
  command.add({.names = "--jit",
               .description = "on GPUs, kernels compiled for this matrix: off, on (waited for), auto (where that pays)",
               .value = "WHEN",
               .words = "off, on, auto"},
              in.jit);
  command.add(
      {.names = "--compress",
       .description = "constant, mirrored and narrow values in fewer bytes, without losing a bit: off, on, auto "
                      "(where bytes count)",
       .value = "WHEN",
       .words = "off, on, auto"},
      in.compress);
}

std::string format_listing() { return listing("Formats", format_list<Host, double>()); }

std::string bench_format_listing() { return listing("Formats", bench_formats<Host, double>()); }

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

void require_use_of_formats(const FormatInput& in, const std::string& device) {
  if (in.jit == "on" && device == "cpu")
    throw UsageError("--jit on compiles kernels for a GPU, and --device is cpu; leave --jit out");
}

}  // namespace ostinato::cli
