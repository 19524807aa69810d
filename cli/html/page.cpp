// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "page.hpp"

#include <fmt/format.h>

#include <ctime>

#include <ostinato/spmv/matrix/io/text.hpp>
#include <ostinato/spmv/version.hpp>

namespace ostinato::cli::html {

namespace {

// Colours are those of Okabe & Ito (2008), which colour-blind readers can tell apart.
#define OSTINATO_LIGHT                                                                                            \
  "--ink: #1c2127; --soft: #5a6470; --rule: #d5dae0; --paper: #ffffff; --one: #0072b2; --two: #c25700; --three: " \
  "#00785a;"
#define OSTINATO_DARK                                                                                             \
  "--ink: #e6e9ed; --soft: #a3adb8; --rule: #3a424b; --paper: #14181c; --one: #56b4e9; --two: #f0a23c; --three: " \
  "#2fc79a;"

/// The style of a page and of a part of a notebook: nothing outside of the class `ostinato` is touched. Where a
/// notebook says which theme it has, that counts, and otherwise what the reader prefers.
constexpr std::string_view style =
    ".ostinato { color-scheme: light dark; " OSTINATO_LIGHT
    "}\n"
    "@media (prefers-color-scheme: dark) { .ostinato { " OSTINATO_DARK
    " } }\n"
    "[data-jp-theme-light=\"true\"] .ostinato { color-scheme: light; " OSTINATO_LIGHT
    "}\n"
    "[data-jp-theme-light=\"false\"] .ostinato, .vscode-dark .ostinato { color-scheme: dark; " OSTINATO_DARK
    "}\n"
    R"(@media print { .ostinato { color-scheme: light; --ink: #000000; --soft: #444444; --rule: #bbbbbb; --paper: #ffffff;
  --one: #0072b2; --two: #c25700; --three: #00785a; } .ostinato figure, .ostinato tr { break-inside: avoid; }
  .ostinato h2 { break-after: avoid; } }
.ostinato { background: var(--paper); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; }
.ostinato h1 { font-size: 1.5em; overflow-wrap: anywhere; } .ostinato h2 { font-size: 1.15em; margin-top: 2em; }
.ostinato table { border-collapse: collapse; } .ostinato .wide { overflow-x: auto; }
.ostinato th, .ostinato td { padding: 0.15em 0.8em 0.15em 0; text-align: left; vertical-align: top;
  overflow-wrap: break-word; }
.ostinato th { font-weight: 600; } .ostinato .facts th { color: var(--soft); white-space: nowrap; }
.ostinato .facts td { white-space: pre-wrap; }
.ostinato .grid td, .ostinato .grid th { border-bottom: 1px solid var(--rule); font-variant-numeric: tabular-nums; }
.ostinato .grid .number { text-align: right; white-space: nowrap; }
.ostinato .grid td:first-child { white-space: nowrap; } .ostinato .grid td:last-child { overflow-wrap: break-word; }
.ostinato p, .ostinato footer { overflow-wrap: anywhere; } .ostinato figure { margin: 1em 0; overflow-x: auto; }
.ostinato figcaption, .ostinato footer { color: var(--soft); font-size: 0.9em; }
@media (max-width: 40em) { .ostinato .facts th, .ostinato .facts td { display: block; }
  .ostinato .facts td { padding-bottom: 0.5em; overflow-wrap: anywhere; } .ostinato svg { min-width: 34em; } }
.ostinato svg { max-width: 100%; height: auto; }
.ostinato svg text { fill: var(--ink); font: 12px system-ui, sans-serif; }
.ostinato svg text.soft { fill: var(--soft); } .ostinato svg text.two { fill: var(--two); }
.ostinato svg text.cut { fill: var(--paper); }
.ostinato svg line, .ostinato svg polyline { stroke: var(--rule); fill: none; stroke-width: 1; }
.ostinato svg .curve { stroke: var(--one); stroke-width: 1.8; }
.ostinato svg .goal { stroke: var(--three); stroke-dasharray: 5 3; }
.ostinato svg .change { stroke: var(--two); stroke-dasharray: 2 3; }
.ostinato svg .roof { stroke: var(--two); stroke-width: 1.8; }
.ostinato svg .frame { fill: none; stroke: var(--soft); } .ostinato svg .one { fill: var(--one); }
.ostinato svg .two { fill: var(--two); }
.ostinato svg .faint { fill: var(--one); fill-opacity: 0.35; stroke: var(--one); }
.ostinato svg .d1 { fill: var(--one); fill-opacity: 0.3; } .ostinato svg .d2 { fill: var(--one); fill-opacity: 0.5; }
.ostinato svg .d3 { fill: var(--one); fill-opacity: 0.7; } .ostinato svg .d4 { fill: var(--one); }
.ostinato * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
)";

/// What a page has besides.
constexpr std::string_view style_of_page = R"(body { margin: 2em auto; max-width: 56em; padding: 0 1em; }
@media (max-width: 40em) { body { margin: 1em auto; } }
)";

std::string cell(std::string_view element, std::string_view text, std::string_view kind = {}) {
  return fmt::format("<{0}{1}>{2}</{0}>", element, kind.empty() ? "" : fmt::format(" class=\"{}\"", kind),
                     escaped(text));
}

/// Lets a line end behind the commas of "height=8,version=1", rather than within a word.
std::string with_breaks(std::string text) {
  for (std::size_t at = text.find(','); at != std::string::npos; at = text.find(',', at + 1)) {
    if (at + 1 < text.size() && text[at + 1] != ' ') text.insert(at + 1, "<wbr/>");
  }
  return text;
}

std::string& signature() {
  static std::string text;
  return text;
}

#undef OSTINATO_LIGHT
#undef OSTINATO_DARK

}  // namespace

Page::Page(std::string_view title) : title_(escaped(title)) {}

void Page::heading(std::string_view text) { body_ += cell("h2", text) + "\n"; }

void Page::paragraph(std::string_view text) { body_ += cell("p", text) + "\n"; }

void Page::facts(const Facts& facts) {
  body_ += "<div class=\"wide\"><table class=\"facts\">\n";
  for (const Facts::Row& r : facts.rows()) {
    if (r.label.empty() && r.value.empty()) continue;
    body_ += "<tr>" + cell("th", r.label) + cell("td", r.value) + "</tr>\n";
  }
  body_ += "</table></div>\n";
}

void Page::grid(const Grid& grid) {
  body_ += "<div class=\"wide\"><table class=\"grid\">\n";
  const char* element = "th";
  for (const std::vector<std::string>& row : grid.rows()) {
    body_ += "<tr>";
    for (std::size_t k = 0; k < row.size(); ++k)
      body_ += k + 1 < row.size() ? cell(element, row[k], k > 0 ? "number" : "") : with_breaks(cell(element, row[k]));
    body_ += "</tr>\n";
    element = "td";
  }
  body_ += "</table></div>\n";
}

void Page::picture(const Drawing& drawing, std::string_view caption) {
  body_ += "<figure>\n" + drawing.svg() + cell("figcaption", caption) + "\n</figure>\n";
}

std::string Page::text() const {
  return fmt::format(
      "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<title>{0}</title>\n<style>\n{1}{7}</style>\n</head>\n<body class=\"ostinato\">\n<h1>{0}</h1>\n{2}"
      "<footer>Ostinato {3}.{4}.{5}{6}</footer>\n</body>\n</html>\n",
      title_, style, body_, version.major, version.minor, version.patch, signature(), style_of_page);
}

std::string Page::part() const {
  return fmt::format("<div class=\"ostinato\">\n<style>\n{}</style>\n{}</div>\n", style, body_);
}

void sign_pages(const std::string& command_line) {
  const std::time_t now = std::time(nullptr);
  char date[40] = "";
  if (const std::tm* const t = std::gmtime(&now)) (void)std::strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", t);
  signature() = fmt::format(", {}: {}", date, escaped(command_line));
}

void write_page(const std::string& path, const Page& page) {
  io::Output file(path);
  file.write(page.text());
  file.close();
}

}  // namespace ostinato::cli::html
