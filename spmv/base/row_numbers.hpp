// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace ostinato {

/// How a message counts the rows that it names.
enum class RowCount {
  from_0,  ///< "row 4 (counted from 0)", as row_text() words it
  from_1,  ///< "row 5", as files count
};

/// The sentences of the library with other numbers for the rows and columns that they name by row_text(): "rows 5 to 7
/// (counted from 0)" becomes "rows 2, 9, 4 (counted from 0)". `number` gives a row, counted from 0, its new number,
/// counted from 0 as well.
std::string with_row_numbers(std::string text, const std::function<std::size_t(std::size_t)>& number,
                             RowCount count = RowCount::from_0);

}  // namespace ostinato
