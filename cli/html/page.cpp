// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "page.hpp"

#include <fmt/format.h>

#include <ctime>

#include <ostinato/spmv/matrix/io/text.hpp>
#include <ostinato/spmv/version.hpp>

namespace ostinato::cli::html {

namespace {

/// The style of all pages. Colours are those of Okabe & Ito (2008), which colour-blind readers can tell apart.
constexpr std::string_view style = R"(
:root { color-scheme: light dark; --ink: #1c2127; --soft: #5a6470; --rule: #d5dae0; --paper: #ffffff;
  --one: #0072b2; --two: #c25700; --three: #00785a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --soft: #a3adb8; --rule: #3a424b; --paper: #14181c;
  --one: #56b4e9; --two: #f0a23c; --three: #2fc79a; } }
@media print { :root { color-scheme: light; --ink: #000000; --soft: #444444; --rule: #bbbbbb; --paper: #ffffff;
  --one: #0072b2; --two: #c25700; --three: #00785a; } figure, tr { break-inside: avoid; } h2 { break-after: avoid; } }
body { background: var(--paper); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; margin: 2em auto;
  max-width: 56em; padding: 0 1em; }
h1 { font-size: 1.5em; overflow-wrap: anywhere; } h2 { font-size: 1.15em; margin-top: 2em; }
table { border-collapse: collapse; } .wide { overflow-x: auto; }
th, td { padding: 0.15em 0.8em 0.15em 0; text-align: left; vertical-align: top; overflow-wrap: break-word; }
th { font-weight: 600; } .facts th { color: var(--soft); white-space: nowrap; }
.facts td { white-space: pre-wrap; }
.grid td, .grid th { border-bottom: 1px solid var(--rule); font-variant-numeric: tabular-nums; }
.grid .number { text-align: right; white-space: nowrap; }
.grid td:first-child { white-space: nowrap; } .grid td:last-child { overflow-wrap: break-word; }
p, footer { overflow-wrap: anywhere; } figure { margin: 1em 0; overflow-x: auto; } figcaption, footer { color: var(--soft); font-size: 0.9em; }
@media (max-width: 40em) { body { margin: 1em auto; } .facts th, .facts td { display: block; }
  .facts td { padding-bottom: 0.5em; overflow-wrap: anywhere; } svg { min-width: 34em; } }
svg { max-width: 100%; height: auto; } svg text { fill: var(--ink); font: 12px system-ui, sans-serif; }
svg text.soft { fill: var(--soft); } svg text.two { fill: var(--two); } svg text.cut { fill: var(--paper); }
svg line, svg polyline { stroke: var(--rule); fill: none; stroke-width: 1; }
svg .curve { stroke: var(--one); stroke-width: 1.8; } svg .goal { stroke: var(--three); stroke-dasharray: 5 3; }
svg .change { stroke: var(--two); stroke-dasharray: 2 3; } svg .roof { stroke: var(--two); stroke-width: 1.8; }
svg .frame { fill: none; stroke: var(--soft); } svg .one { fill: var(--one); } svg .two { fill: var(--two); }
svg .faint { fill: var(--one); fill-opacity: 0.35; stroke: var(--one); }
svg .d1 { fill: var(--one); fill-opacity: 0.3; } svg .d2 { fill: var(--one); fill-opacity: 0.5; }
svg .d3 { fill: var(--one); fill-opacity: 0.7; } svg .d4 { fill: var(--one); }
* { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
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
      "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n{2}"
      "<footer>Ostinato {3}.{4}.{5}{6}</footer>\n</body>\n</html>\n",
      title_, style, body_, version.major, version.minor, version.patch, signature());
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
