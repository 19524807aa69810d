// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "generated.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "exit_code.hpp"
#include "text.hpp"

#include <ostinato/spmv/space/list.hpp>

namespace ostinato::cli {

namespace {

/// Cuts a text at each `separator`.
std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// Whether a name is rather meant for a generated matrix than for a file that is missing.
bool names_family(const std::string& family, const std::string& size) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_letter = [=](char c) { return (c >= 'a' && c <= 'z') || is_digit(c) || c == '-'; };
  const auto all = generators();
  if (std::any_of(all.begin(), all.end(), [&](const GeneratorInfo& info) { return info.name == family; })) return true;
  return std::all_of(family.begin(), family.end(), is_letter) && std::all_of(size.begin(), size.end(), is_digit);
}

template <class N>
void set_number(const GivenOption& given, const Reading<N>& read, N& to) {
  if (const std::string wrong = read(given.value, to); !wrong.empty()) throw UsageError(given.name + ": " + wrong);
}

void set_flag(const GivenOption& given, bool& to) {
  if (!given.value.empty()) throw UsageError(given.name + " takes no value");
  to = true;
}

/// Sets the member of the options that has this name. require_read() has checked the name.
void set(const GivenOption& given, GenerateOptions& o) {
  const std::string& name = given.name;
  if (name == "peclet") set_number(given, at_least(0), o.peclet);
  if (name == "rotating") set_flag(given, o.rotating);
  if (name == "periodic") set_flag(given, o.periodic);
  if (name == "renumbered") set_flag(given, o.renumbered);
  if (name == "anisotropy") set_number(given, at_least(0), o.anisotropy);
  if (name == "unknowns") set_number(given, whole(1), o.unknowns);
  if (name == "constant") set_flag(given, o.constant);
  if (name == "entries-per-row") set_number(given, at_least(1), o.entries_per_row);
  if (name == "bandwidth") set_number(given, whole(0), o.bandwidth);
  if (name == "broken") set_number(given, at_least(0), o.broken);
  if (name == "scatter") set_number(given, at_least(0), o.scatter);
  if (name == "seed") set_number(given, whole<std::uint64_t>(0), o.seed);
}

bool reads(const GeneratorInfo& family, const std::string& option) {
  return kebab(family.arguments).find("[" + option + "]") != std::string::npos;
}

}  // namespace

const GeneratorInfo& family_of(std::string_view name) {
  for (const GeneratorInfo& info : generators()) {
    if (info.name == name) return info;
  }
  const std::string known = names_of(generators());
  throw UsageError(fmt::format("unknown family '{}'; {}known: {}", name, did_you_mean(name, words_of(known)), known));
}

std::string kebab(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

void require_read(const std::vector<GivenOption>& given, const GeneratorInfo& family) {
  for (const GivenOption& option : given) {
    if (reads(family, option.name)) continue;
    throw UsageError(
        fmt::format("{} has no use for --{}; it reads {}", family.name, option.name, kebab(family.arguments)));
  }
}

std::optional<Generated> generated_matrix(const std::string& name) {
  const std::vector<std::string> parts = parts_of(name, ':');
  std::error_code error;
  if (parts.size() < 2 || std::filesystem::exists(name, error)) return {};
  if (!names_family(parts[0], parts[1])) return {};
  if (parts.size() > 3) throw UsageError(name + ": a comma, not a colon, parts options: FAMILY:N:KEY=VALUE,KEY=VALUE");
  const GeneratorInfo& family = family_of(parts[0]);
  Generated made{parts[0], {}};
  set_number({"the size N of " + parts[0] + ":N", parts[1]}, whole(1), made.options.n);
  if (parts.size() == 2) return made;
  if (parts[2].empty()) throw UsageError(fmt::format("{} names no option; leave the last colon out", name));
  std::vector<std::string> seen;
  for (const std::string& option : parts_of(parts[2], ',')) {
    const std::size_t equals = std::min(option.find('='), option.size());
    const GivenOption given{option.substr(0, equals), option.substr(std::min(equals + 1, option.size()))};
    if (!reads(family, given.name))
      throw UsageError(fmt::format("{}: '{}' isn't an option of {}; it reads {}", name, option, family.name,
                                   kebab(family.arguments)));
    if (std::find(seen.begin(), seen.end(), given.name) != seen.end())
      throw UsageError(fmt::format("{}: {} is given twice", name, given.name));
    set(given, made.options);
    seen.push_back(given.name);
  }
  return made;
}

template <class T>
Csr<T> load_matrix(const std::string& name, MatrixMarketInfo* info, Progress* progress) {
  const std::optional<Generated> made = generated_matrix(name);
  if (!made) return read_matrix_market<T>(name, info, progress);
  Csr<T> a = with_usage_errors([&] { return generate<T>(made->family, made->options); });
  if (info != nullptr) *info = {"generated", "real", "general", a.rows, a.cols, a.nonzeros()};
  return a;
}

Table coordinates_of(const Generated& made) {
  std::vector<double> points = generate_coordinates(made.family, made.options);
  if (points.empty()) throw UsageError(made.family + " has no coordinates; elasticity3d has");
  return {static_cast<Index>(points.size() / 3), 3, std::move(points)};
}

Table load_coordinates(const std::string& name) {
  const std::optional<Generated> made = generated_matrix(name);
  return made ? with_usage_errors([&] { return coordinates_of(*made); }) : read_table(name);
}

#define OSTINATO_INSTANTIATE(T) template Csr<T> load_matrix<T>(const std::string&, MatrixMarketInfo*, Progress*)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato::cli
