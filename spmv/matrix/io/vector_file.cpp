// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/matrix/io/vector_file.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/matrix/io/entry.hpp>
#include <ostinato/spmv/matrix/io/text.hpp>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato::io {

namespace {

constexpr std::string_view numpy_magic = "\x93NUMPY";

std::string in_lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

/// ".npy" of "folder/x.npy" and of "x.npy.gz"; empty for a name without an ending.
std::string ending_of(const std::string& path) {
  std::string name = in_lower_case(path.substr(path.find_last_of('/') + 1));
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  const std::size_t dot = name.find_last_of('.');
  const bool is_hidden = dot == 0 && name != ".npy" && name != ".txt";  // a file whose whole name begins with a point
  return dot == std::string::npos || is_hidden ? "" : name.substr(dot);
}

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Takes a Python value off the front of a dictionary's text: up to the colon, comma or brace behind the value.
std::string_view take_python_value(std::string_view& text) {
  int depth = 0;
  char quote = 0;
  std::size_t k = 0;
  for (; k < text.size(); ++k) {
    const char c = text[k];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (depth == 0 && (c == ':' || c == ',' || c == '}')) {
      break;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
    }
  }
  const std::string_view value = without_blanks(text.substr(0, k));
  text.remove_prefix(k);
  return value;
}

/// What is between the quotes of a Python string; nothing for another value.
std::optional<std::string_view> unquoted(std::string_view value) {
  const bool quoted = value.size() >= 2 && (value[0] == '\'' || value[0] == '"') && value.back() == value[0];
  return quoted ? std::optional(value.substr(1, value.size() - 2)) : std::nullopt;
}

/// The sizes of a shape such as "(5, 3)" or "(5,)"; nothing for another text or a negative size.
std::optional<std::vector<std::int64_t>> sizes_of(std::string_view shape) {
  if (!shape.starts_with('(') || !shape.ends_with(')')) return {};
  shape = shape.substr(1, shape.size() - 2);
  std::vector<std::int64_t> sizes;
  while (!without_blanks(shape).empty()) {
    const std::size_t comma = std::min(shape.find(','), shape.size());
    std::string_view word = without_blanks(shape.substr(0, comma));
    if (word.ends_with('L')) word.remove_suffix(1);  // as Python 2 writes
    std::int64_t n = -1;
    const auto parsed = std::from_chars(word.data(), word.data() + word.size(), n);
    if (parsed.ec != std::errc() || parsed.ptr != word.data() + word.size() || n < 0) return {};
    sizes.push_back(n);
    shape.remove_prefix(std::min(comma + 1, shape.size()));
  }
  return sizes;
}

/// The number of elements of a vector's shape, (5,), (5, 1) or (1, 5); nothing for another shape.
std::optional<std::int64_t> vector_size(std::string_view shape) {
  const auto sizes = sizes_of(shape);
  if (!sizes || sizes->empty() || sizes->size() > 2) return {};
  if (sizes->size() == 1) return sizes->front();
  if (sizes->front() == 1) return sizes->back();
  return sizes->back() == 1 ? std::optional(sizes->front()) : std::nullopt;
}

template <class From, class T>
void convert(const char* from, bool swap, Array<T>& to, Offset& vanished) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    char bytes[sizeof(From)];
    std::memcpy(bytes, from + i * sizeof(From), sizeof(From));
    if (swap) std::reverse(bytes, bytes + sizeof(From));
    From value;
    std::memcpy(&value, bytes, sizeof(From));
    to[i] = static_cast<T>(value);
    if (to[i] == 0 && value != From{}) ++vanished;
  }
}

/// How to read values of a type such as "f8"; null for other types.
template <class T>
auto converter(std::string_view type) -> void (*)(const char*, bool, Array<T>&, Offset&) {
  if (type == "f8") return convert<double, T>;
  if (type == "f4") return convert<float, T>;
  if (type == "i8") return convert<std::int64_t, T>;
  if (type == "i4") return convert<std::int32_t, T>;
  if (type == "i2") return convert<std::int16_t, T>;
  if (type == "i1") return convert<std::int8_t, T>;
  if (type == "u8") return convert<std::uint64_t, T>;
  if (type == "u4") return convert<std::uint32_t, T>;
  if (type == "u2") return convert<std::uint16_t, T>;
  if (type == "u1" || type == "b1") return convert<std::uint8_t, T>;
  return nullptr;
}

/// The header of a NumPy file, and what follows.
struct NumpyParts {
  std::string_view descr, fortran_order, shape, data;

  NumpyParts(const std::string& path, std::string_view file) {
    const auto byte = [&](std::size_t k) { return static_cast<std::size_t>(static_cast<unsigned char>(file[k])); };
    if (file.size() < 8) throw FormatError(path, 0, "the NumPy header is cut off");
    if (byte(6) < 1 || byte(6) > 3) {
      throw FormatError(path, 0,
                        "is of version " + std::to_string(byte(6)) + "." + std::to_string(byte(7)) +
                            " of NumPy's format; versions 1, 2 and 3 are known");
    }
    const std::size_t size_bytes = byte(6) == 1 ? 2 : 4, begin = 8 + size_bytes;
    std::size_t length = 0;
    for (std::size_t k = 0; k < size_bytes && begin <= file.size(); ++k) length += byte(8 + k) << (8 * k);
    if (begin > file.size() || length > file.size() - begin) throw FormatError(path, 0, "the NumPy header is cut off");
    data = file.substr(begin + length);
    read_dictionary(path, without_blanks(file.substr(begin, length)));
  }

 private:
  /// A Python dictionary such as {'descr': '<f8', 'fortran_order': False, 'shape': (5,), }.
  void read_dictionary(const std::string& path, const std::string_view dictionary) {
    const auto refuse = [&](const std::string& what) {
      throw FormatError(path, 0, "the NumPy header " + what + ": " + quote(dictionary));
    };
    std::string_view rest = dictionary;
    if (!rest.starts_with('{') || !rest.ends_with('}')) refuse("isn't a dictionary");
    rest.remove_prefix(1);
    while (!without_blanks(rest).starts_with('}')) {
      const std::optional<std::string_view> key = unquoted(take_python_value(rest));
      if (!key || !rest.starts_with(':')) refuse("isn't a dictionary");
      rest.remove_prefix(1);
      const std::string_view value = take_python_value(rest);
      if (rest.empty()) refuse("isn't a dictionary");
      if (rest.starts_with(',')) rest.remove_prefix(1);
      if (*key == "descr") descr = value;
      if (*key == "fortran_order") fortran_order = value;
      if (*key == "shape") shape = value;
    }
    for (const auto& [name, value] : {std::pair{"descr", descr}, {"fortran_order", fortran_order}, {"shape", shape}}) {
      if (value.empty()) refuse(std::string("names no '") + name + "'");
    }
    if (fortran_order != "True" && fortran_order != "False")
      refuse("has a fortran_order that is neither True nor False");
  }
};

/// The type of the numbers: "f8" of "'<f8'", and their byte order; an empty type for a description of another form.
struct NumpyType {
  std::string_view type;
  bool complex = false;
  bool big_endian = std::endian::native == std::endian::big;

  explicit NumpyType(std::string_view descr) {
    std::string_view text = unquoted(descr).value_or("");
    if (text.starts_with('<') || text.starts_with('>')) big_endian = text.front() == '>';
    if (!text.empty() && std::string_view("<>=|").find(text.front()) != std::string_view::npos) text.remove_prefix(1);
    if (text.size() == 2) type = text;
    complex = text.starts_with('c');
  }
};

template <class T>
void require_numpy_type(const std::string& path, const NumpyParts& parts) {
  const NumpyType kind(parts.descr);
  if (kind.complex)
    throw FormatError(path, 0, "the NumPy type is " + quote(parts.descr) + "; " + complex_advice(Contents::vector));
  if (converter<T>(kind.type) != nullptr) return;
  throw FormatError(
      path, 0, "the NumPy type is " + quote(parts.descr) + "; real numbers are wanted: float64, float32 or integers");
}

/// The n values of a NumPy file.
template <class T>
Array<T> numpy_values(const std::string& path, const NumpyParts& parts, std::int64_t n, Offset& vanished) {
  vanished = 0;
  const NumpyType kind(parts.descr);
  const std::size_t width = static_cast<std::size_t>(kind.type[1] - '0'), size = static_cast<std::size_t>(n);
  if (size > parts.data.size() / width || size * width != parts.data.size()) {
    throw FormatError(path, 0,
                      "holds " + std::to_string(parts.data.size()) + " bytes where " + std::to_string(n) +
                          " values of " + std::to_string(width) + " bytes are announced");
  }
  Array<T> x(size);
  const bool swap = kind.big_endian != (std::endian::native == std::endian::big) && width > 1;
  converter<T>(kind.type)(parts.data.data(), swap, x, vanished);
  return x;
}

/// The two numbers of a shape such as "(5, 3)"; nothing for another shape.
std::optional<std::pair<std::int64_t, std::int64_t>> table_shape(std::string_view shape) {
  constexpr std::int64_t most = std::numeric_limits<Index>::max();
  const auto sizes = sizes_of(shape);
  if (!sizes || sizes->size() != 2 || sizes->front() > most || sizes->back() > most) return {};
  return std::pair{sizes->front(), sizes->back()};
}

}  // namespace

VectorFile kind_of_name(const std::string& path) {
  const std::string ending = ending_of(path);
  if (ending == ".npy") return VectorFile::numpy;
  if (ending == ".txt") return VectorFile::text;
  if (ending.empty() || ending == ".mtx") return VectorFile::matrix_market;
  throw FormatError(path, 0,
                    "a vector isn't written to a file that ends in '" + ending +
                        "'; name it .mtx (Matrix Market), .npy (NumPy) or .txt (one number a line)");
}

VectorFile kind_of_contents(const std::string& path, std::string_view text) {
  if (text.starts_with(numpy_magic)) return VectorFile::numpy;
  if (in_lower_case(text.substr(0, 14)) == "%%matrixmarket") return VectorFile::matrix_market;
  if (ending_of(path) == ".txt") return VectorFile::text;
  if (text.empty()) return VectorFile::matrix_market;  // whose reader says what is missing
  throw FormatError(path, 1,
                    "isn't a vector file: it begins neither with %%MatrixMarket nor as a NumPy file, but with " +
                        quote(text.substr(0, std::min(text.find('\n'), text.size()))) +
                        "; a file with one number a line has to be named .txt");
}

template <class T>
Array<T> read_numpy(const std::string& path, std::string_view file, Offset& vanished) {
  const NumpyParts parts(path, file);
  require_numpy_type<T>(path, parts);
  const auto n = vector_size(parts.shape);
  if (!n)
    throw FormatError(path, 0, "the NumPy array has the shape " + quote(parts.shape) + " where a vector is wanted");
  Array<T> x = numpy_values<T>(path, parts, *n, vanished);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i]))
      throw FormatError(path, 0, "row " + std::to_string(i + 1) + " holds NaN, infinity or too large a number");
  }
  return x;
}

Table read_numpy_table(const std::string& path, std::string_view file) {
  const NumpyParts parts(path, file);
  require_numpy_type<double>(path, parts);
  const auto sizes = table_shape(parts.shape);
  if (!sizes) {
    throw FormatError(path, 0,
                      "the NumPy array has the shape " + quote(parts.shape) + " where rows and columns are wanted");
  }
  Offset vanished = 0;
  const Array<double> read = numpy_values<double>(path, parts, sizes->first * sizes->second, vanished);
  Table table{static_cast<Index>(sizes->first), static_cast<Index>(sizes->second), std::vector<double>(read.size())};
  const auto rows = static_cast<std::size_t>(table.rows), cols = static_cast<std::size_t>(table.cols);
  const bool by_column = parts.fortran_order == "True";
  for (std::size_t k = 0; k < read.size(); ++k) table.values[by_column ? k % rows * cols + k / rows : k] = read[k];
  return table;
}

template <class T>
Array<T> read_numbers(const std::string& path, std::string_view text, Offset& vanished) {
  std::vector<T> values;
  vanished = 0;
  const char* p = text.data();
  const char* const end = p + text.size();
  for (std::int64_t line = 1; p != end; ++line) {
    const char *const next = next_line(p, end), *const begin = skip_blanks(p, end);
    const bool blank = begin == end || *begin == '\n' || *begin == '\r' || *begin == '#' || *begin == '%';
    T value;
    const char* const behind = blank ? begin : parse_value(begin, end, value);
    if (!blank && parse_end(behind, end) != next) {
      std::string_view read(p, static_cast<std::size_t>(next - p));
      while (read.ends_with('\n') || read.ends_with('\r')) read.remove_suffix(1);
      const auto fault = static_cast<std::size_t>((behind != nullptr ? skip_blanks(behind, next) : begin) - p);
      throw FormatError(path, line, "one finite number a line is wanted, and this one reads " + quote(read, fault));
    }
    if (!blank) values.push_back(value);
    if (!blank && value == 0 && has_vanished(begin, next)) ++vanished;
    p = next;
  }
  Array<T> x(values.size());
  std::copy(values.begin(), values.end(), x.begin());
  return x;
}

template <class T>
std::string numpy_header(const std::string& shape) {
  constexpr std::size_t before = 10, multiple = 64;  // magic, version and length; the data begins at a multiple of 64
  const char order = std::endian::native == std::endian::big ? '>' : '<';
  std::string text = std::string("{'descr': '") + order + "f" + std::to_string(sizeof(T)) +
                     "', 'fortran_order': False, 'shape': " + shape + ", }";
  text.append(multiple - (before + text.size() + 1) % multiple, ' ').append("\n");
  std::string header(numpy_magic);
  header += '\1';
  header += '\0';
  header += static_cast<char>(text.size() % 256);
  header += static_cast<char>(text.size() / 256);
  return header + text;
}

#define OSTINATO_INSTANTIATE(T)                                                     \
  template Array<T> read_numpy<T>(const std::string&, std::string_view, Offset&);   \
  template Array<T> read_numbers<T>(const std::string&, std::string_view, Offset&); \
  template std::string numpy_header<T>(const std::string&)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);

}  // namespace ostinato::io
