// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "legend.hpp"

#include <fmt/format.h>

#include "text.hpp"

namespace ostinato::cli {

namespace {

struct Parameter {
  std::string_view format, key, meaning;  ///< the format's name, or what it begins with
};

/// docs/reference/glossary.md has the same words.
constexpr Parameter parameters[] = {
    {"cmrs", "height", "rows of a strip"},
    {"cmrs", "version", "1: sorted by column; 2: at most 8 of 32 slots of one row"},
    {"cmrs", "block", "threads of a thread block on a GPU"},
    {"cmrs", "align", "1: strips start at multiples of 32 slots"},
    {"bccoo", "height", "rows of a block"},
    {"bccoo", "width", "columns of a block"},
    {"bccoo", "slices", "vertical parts of the matrix"},
    {"bccoo", "tile", "blocks that a thread takes"},
    {"bccoo", "threads", "of a workgroup; 1 on the CPU"},
    {"bccoo", "strategy", "1: each thread stores its sums; 2: the workgroup does"},
    {"bccoo", "compress", "1: columns and values in fewer bytes where they fit"},
    {"bccoo", "hot", "columns with very many entries whose x is kept close"},
    {"bsr", "block", "rows and columns of a block"},
    {"cusparse-bsr", "block", "rows and columns of a block"},
};

}  // namespace

void ParameterLegend::saw(const std::string& format, const std::string& parameters_of_it) {
  for (const std::string& word : words_of(parameters_of_it)) {
    const std::string key = word.substr(0, word.find('='));
    for (std::size_t k = 0; k < std::size(parameters); ++k) {
      if (format.starts_with(parameters[k].format) && key == parameters[k].key) seen_.insert(k);
    }
  }
}

void ParameterLegend::add_to(Facts& facts) const {
  std::string_view last;
  for (const std::size_t k : seen_) {
    const Parameter& p = parameters[k];
    facts.row(p.format == last ? "" : p.format, fmt::format("{:<9} {}", p.key, p.meaning));
    last = p.format;
  }
}

}  // namespace ostinato::cli
