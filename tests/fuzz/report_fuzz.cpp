// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/json.hpp"
#include "cli/report.hpp"
#include "fuzz/input.hpp"

// Any bytes make a report of a solve: texts, numbers, a history. The report is written as valid JSON and holds the same
// values: null for numbers that aren't finite, U+FFFD for bytes that aren't UTF-8. The table of it is printed.

namespace ostinato::fuzz {
namespace {

using Json = nlohmann::json;

/// Takes values from the input, and zeros and empty texts once it is used up.
class Draw {
 public:
  explicit Draw(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  T raw() {
    T value{};
    const std::string_view taken = take(sizeof value);
    std::memcpy(&value, taken.data(), taken.size());
    return value;
  }
  double number() { return raw<double>(); }
  bool flag() { return raw<unsigned char>() % 2 != 0; }
  std::string text() { return std::string(take(raw<unsigned char>())); }

  /// Up to 4095 numbers, which repeat up to 15 of the input.
  std::vector<double> numbers() {
    const std::size_t length = raw<std::uint16_t>() % 4096;
    std::vector<double> all(raw<unsigned char>() % 15 + 1);
    for (double& v : all) v = number();
    for (std::size_t k = 0; all.size() < length; ++k) all.push_back(all[k]);
    all.resize(length);
    return all;
  }

 private:
  std::string_view take(std::size_t most) {
    const std::string_view taken = bytes_.substr(0, most);
    bytes_.remove_prefix(taken.size());
    return taken;
  }

  std::string_view bytes_;
};

Candidate draw_candidate(Draw& draw) {
  Candidate c{.name = draw.text(), .parameters = draw.text(), .verdict = draw.text()};
  c.cost = {.bytes = draw.raw<std::size_t>(), .moved = draw.number(), .seconds = draw.number()};
  if (draw.flag()) c.cost.reason_not = "a reason";
  c.measured_seconds = draw.number();
  return c;
}

cli::SolveReport draw_report(Draw draw) {
  cli::SolveReport r;
  r.result.status = static_cast<Status>(draw.raw<unsigned char>() % 8);
  r.result.iterations = draw.raw<int>();
  r.result.relative_residual = draw.number();
  r.result.residual = draw.number();
  r.result.backward_error = draw.number();
  r.times.solve = draw.number();
  r.bytes.matrix = draw.raw<std::size_t>();
  r.structure.nonzeros = draw.raw<Offset>();
  if (draw.flag()) r.error = draw.number();
  if (draw.flag())
    r.amortisation = {.format = draw.text(),
                      .convert_seconds = draw.number(),
                      .predicted_convert_seconds = draw.number(),
                      .expected_products = draw.number(),
                      .setup_seconds = draw.number(),
                      .product_seconds = draw.number(),
                      .csr_seconds = draw.number(),
                      .csr_setup_seconds = draw.number(),
                      .csr_is = draw.text(),
                      .measured = draw.flag()};
  for (std::string* text : {&r.matrix, &r.rhs, &r.output, &r.device.description, &r.result.solver, &r.solver.reason})
    *text = draw.text();
  for (int k = draw.raw<unsigned char>() % 8; k > 0; --k) r.result.notes.push_back(draw.text());
  for (int k = draw.raw<unsigned char>() % 7; k >= 0; --k) r.choice.candidates.push_back(draw_candidate(draw));
  r.result.history = draw.numbers();
  return r;
}

void require_same(const Json& got, double value) {
  require(std::isfinite(value) ? got.is_number_float() && got.get<double>() == value : got.is_null(),
          "a number is the same, or null");
}

bool is_utf8(const std::string& text) {
  try {
    (void)Json(text).dump();
    return true;
  } catch (const Json::type_error&) {
    return false;
  }
}

void require_same(const Json& got, const std::string& text) {
  const std::string read = got.get<std::string>(), replaced = "\xEF\xBF\xBD";
  require(is_utf8(text) ? read == text : read.find(replaced) != read.npos, "a text is the same, or marked");
}

void require_same(const Json& got, const cli::SolveReport& r) {
  require(got["status"] == std::string(to_string(r.result.status)), "the status is the same");
  require(got["iterations"] == r.result.iterations && got["nonzeros"] == r.structure.nonzeros, "integers are the same");
  require(got["bytes"]["matrix"] == r.bytes.matrix, "bytes are the same");
  require_same(got["relative_residual"], r.result.relative_residual);
  require_same(got["residual"], r.result.residual);
  require_same(got["backward_error"], r.result.backward_error);
  require_same(got["times"]["solve"], r.times.solve);
  require_same(got["error"], r.error.value_or(NAN));
  require(got["amortisation"].is_null() != r.amortisation.has_value(), "the amortisation is there if it is known");
  if (r.amortisation) require_same(got["amortisation"]["break_even_products"], r.amortisation->break_even_products());
  require_same(got["message"], r.result.message());
  require_same(got["matrix"], r.matrix);
  require_same(got["right_hand_side"], r.rhs);
  if (!r.output.empty()) require_same(got["solution"], r.output);
  require_same(got["device"], r.device.description);
  require_same(got["solver"], r.result.solver);
  require_same(got["reasons"]["solver"], r.solver.reason);
  require(got["notes"].size() == r.result.notes.size(), "all notes are there");
  for (std::size_t k = 0; k < r.result.notes.size(); ++k) require_same(got["notes"][k], r.result.notes[k]);
  require(got["history"].size() == r.result.history.size(), "the history is as long");
  for (std::size_t k = 0; k < r.result.history.size(); ++k) require_same(got["history"][k], r.result.history[k]);
  require(got["selection"].size() == r.choice.candidates.size(), "all candidates are there");
  for (std::size_t k = 0; k < r.choice.candidates.size(); ++k) {
    const Candidate& c = r.choice.candidates[k];
    require_same(got["selection"][k]["format"], c.name);
    require_same(got["selection"][k]["verdict"], c.verdict);
    require_same(got["selection"][k]["predicted_seconds"], c.cost.applies() ? c.cost.seconds : NAN);
    require(got["selection"][k].contains("measured_seconds") == c.is_measured(), "a measured time is there");
  }
}

}  // namespace
}  // namespace ostinato::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ostinato;
  const cli::SolveReport report = fuzz::draw_report(fuzz::Draw(fuzz::text_of(data, size)));
  const fuzz::File file;
  cli::write_json(file.path(), report);
  std::ifstream in(file.path());
  const fuzz::Json read = fuzz::Json::parse(in, nullptr, false);
  fuzz::require(!read.is_discarded(), "the report is valid JSON");
  fuzz::require_same(read, report);
  static std::FILE* const nowhere = std::fopen("/dev/null", "w");
  cli::print_table(nowhere, report);
  return 0;
}
