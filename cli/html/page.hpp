// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "../table.hpp"
#include "drawing.hpp"

namespace ostinato::cli::html {

/// A page with tables and pictures in one file, which needs no other file and no script. It is well-formed as HTML and
/// as XML, follows the reader's choice of a light or dark display, and is printed in black on white.
class Page {
 public:
  explicit Page(std::string_view title);

  void heading(std::string_view text);
  void paragraph(std::string_view text);
  void facts(const Facts& facts);
  void grid(const Grid& grid);
  void picture(const Drawing& drawing, std::string_view caption);

  std::string text() const;
  /// The same without a title, as a part of a notebook, whose own style it leaves alone.
  std::string part() const;

 private:
  std::string title_, body_;
};

/// Puts a command line, and the date and time of the call, at the foot of each page that is written from now on.
void sign_pages(const std::string& command_line);

/// Writes a page. The path "-" is the standard output.
/// Throws    FormatError when the file can't be written.
void write_page(const std::string& path, const Page& page);

}  // namespace ostinato::cli::html
