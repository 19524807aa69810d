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

#include <ostinato/spmv/matrix/io/entry.hpp>
#include <ostinato/spmv/matrix/io/text.hpp>
#include <ostinato/spmv/space/error.hpp>

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
  return dot == std::string::npos || dot == 0 ? "" : name.substr(dot);
}

/// The text after "'key':" in a Python dictionary, up to the next comma outside of parentheses.
std::string_view dictionary_value(std::string_view dictionary, const std::string& key) {
  const std::size_t at = dictionary.find("'" + key + "':");
  if (at == std::string_view::npos) return {};
  std::string_view value = dictionary.substr(at + key.size() + 3);
  value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
  const std::size_t end = value.starts_with('(') ? value.find(')') : value.find_first_of(",}");
  return value.substr(0, end);
}

/// The number of elements of "(5," or "(5, 1"; -1 for a shape that isn't that of a vector.
std::int64_t vector_size(std::string_view shape) {
  std::int64_t size = 1;
  int longer = 0, numbers = 0;
  for (std::size_t at = shape.find_first_of("0123456789"); at < shape.size();
       at = shape.find_first_of("0123456789", at)) {
    std::int64_t n = 0;
    const auto parsed = std::from_chars(shape.data() + at, shape.data() + shape.size(), n);
    if (parsed.ec != std::errc()) return -1;
    at = static_cast<std::size_t>(parsed.ptr - shape.data());
    longer += n != 1 ? 1 : 0;
    size = n != 1 ? n : size;
    ++numbers;
  }
  return longer <= 1 && (numbers == 1 || numbers == 2) ? size : -1;
}

template <class From, class T>
void convert(const char* from, bool swap, Array<T>& to) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    char bytes[sizeof(From)];
    std::memcpy(bytes, from + i * sizeof(From), sizeof(From));
    if (swap) std::reverse(bytes, bytes + sizeof(From));
    From value;
    std::memcpy(&value, bytes, sizeof(From));
    to[i] = static_cast<T>(value);
  }
}

/// How to read values of a type such as "f8"; null for other types.
template <class T>
auto converter(std::string_view type) -> void (*)(const char*, bool, Array<T>&) {
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
  std::string_view dictionary, data;

  NumpyParts(const std::string& path, std::string_view file) {
    const auto byte = [&](std::size_t k) { return static_cast<std::size_t>(static_cast<unsigned char>(file[k])); };
    const std::size_t size_bytes = file.size() > 6 && byte(6) == 1 ? 2 : 4, begin = 8 + size_bytes;
    std::size_t length = 0;
    for (std::size_t k = 0; k < size_bytes && begin <= file.size(); ++k) length += byte(8 + k) << (8 * k);
    if (begin > file.size() || length > file.size() - begin) throw FormatError(path, 0, "the NumPy header is cut off");
    dictionary = file.substr(begin, length);
    data = file.substr(begin + length);
  }
};

/// "f8" of "'<f8'"; empty for a description of another form.
std::string_view numpy_type(std::string_view descr) {
  return descr.size() == 5 && descr.front() == '\'' ? descr.substr(2, 2) : "";
}

template <class T>
void require_numpy_type(const std::string& path, const NumpyParts& parts) {
  const std::string_view descr = dictionary_value(parts.dictionary, "descr");
  if (converter<T>(numpy_type(descr)) == nullptr) {
    throw FormatError(path, 0,
                      "the NumPy type is " + quote(descr) + "; real numbers are wanted: float64, float32 or integers");
  }
}

/// The n values of a NumPy file.
template <class T>
Array<T> numpy_values(const std::string& path, const NumpyParts& parts, std::int64_t n) {
  const std::string_view descr = dictionary_value(parts.dictionary, "descr");
  const std::string_view type = numpy_type(descr);
  const std::size_t width = static_cast<std::size_t>(type[1] - '0'), size = static_cast<std::size_t>(n);
  if (size > parts.data.size() / width || size * width != parts.data.size()) {
    throw FormatError(path, 0,
                      "holds " + std::to_string(parts.data.size()) + " bytes where " + std::to_string(n) +
                          " values of " + std::to_string(width) + " bytes are announced");
  }
  Array<T> x(size);
  const bool big = descr[1] == '>';
  converter<T>(type)(parts.data.data(), big != (std::endian::native == std::endian::big) && width > 1, x);
  return x;
}

/// The two numbers of a shape such as "(5, 3"; nothing for another shape.
std::optional<std::pair<std::int64_t, std::int64_t>> table_shape(std::string_view shape) {
  std::int64_t n[2] = {-1, -1};
  const char* p = shape.data();
  const char* const end = p + shape.size();
  for (std::int64_t& size : n) {
    while (p != end && (*p < '0' || *p > '9')) ++p;
    const auto parsed = std::from_chars(p, end, size);
    if (parsed.ec != std::errc() || size < 0 || size > std::numeric_limits<Index>::max()) return {};
    p = parsed.ptr;
  }
  if (std::any_of(p, end, [](char c) { return c >= '0' && c <= '9'; })) return {};
  return std::pair{n[0], n[1]};
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
Array<T> read_numpy(const std::string& path, std::string_view file) {
  const NumpyParts parts(path, file);
  require_numpy_type<T>(path, parts);
  const std::string_view shape = dictionary_value(parts.dictionary, "shape");
  const std::int64_t n = vector_size(shape);
  if (n < 0) throw FormatError(path, 0, "the NumPy array has the shape " + quote(shape) + ") where a vector is wanted");
  Array<T> x = numpy_values<T>(path, parts, n);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i]))
      throw FormatError(path, 0, "row " + std::to_string(i + 1) + " holds NaN, infinity or too large a number");
  }
  return x;
}

Table read_numpy_table(const std::string& path, std::string_view file) {
  const NumpyParts parts(path, file);
  require_numpy_type<double>(path, parts);
  const std::string_view shape = dictionary_value(parts.dictionary, "shape");
  const auto sizes = table_shape(shape);
  if (!sizes)
    throw FormatError(path, 0, "the NumPy array has the shape " + quote(shape) + ") where rows and columns are wanted");
  const Array<double> read = numpy_values<double>(path, parts, sizes->first * sizes->second);
  Table table{static_cast<Index>(sizes->first), static_cast<Index>(sizes->second), std::vector<double>(read.size())};
  const auto rows = static_cast<std::size_t>(table.rows), cols = static_cast<std::size_t>(table.cols);
  const bool by_column = dictionary_value(parts.dictionary, "fortran_order").starts_with("True");
  for (std::size_t k = 0; k < read.size(); ++k) table.values[by_column ? k % rows * cols + k / rows : k] = read[k];
  return table;
}

template <class T>
Array<T> read_numbers(const std::string& path, std::string_view text) {
  std::vector<T> values;
  const char* p = text.data();
  const char* const end = p + text.size();
  for (std::int64_t line = 1; p != end; ++line) {
    const char *const next = next_line(p, end), *const begin = skip_blanks(p, end);
    const bool blank = begin == end || *begin == '\n' || *begin == '\r' || *begin == '#' || *begin == '%';
    T value;
    if (!blank && parse_end(parse_value(begin, end, value), end) != next) {
      std::string_view read(p, static_cast<std::size_t>(next - p));
      while (read.ends_with('\n') || read.ends_with('\r')) read.remove_suffix(1);
      throw FormatError(path, line, "one finite number a line is wanted, and this one reads " + quote(read));
    }
    if (!blank) values.push_back(value);
    p = next;
  }
  Array<T> x(values.size());
  std::copy(values.begin(), values.end(), x.begin());
  return x;
}

template <class T>
std::string numpy_header(std::size_t n) {
  constexpr std::size_t before = 10, multiple = 64;  // magic, version and length; the data begins at a multiple of 64
  const char order = std::endian::native == std::endian::big ? '>' : '<';
  std::string text = std::string("{'descr': '") + order + "f" + std::to_string(sizeof(T)) +
                     "', 'fortran_order': False, 'shape': (" + std::to_string(n) + ",), }";
  text.append(multiple - (before + text.size() + 1) % multiple, ' ').append("\n");
  std::string header(numpy_magic);
  header += '\1';
  header += '\0';
  header += static_cast<char>(text.size() % 256);
  header += static_cast<char>(text.size() / 256);
  return header + text;
}

#define OSTINATO_INSTANTIATE(T)                                            \
  template Array<T> read_numpy<T>(const std::string&, std::string_view);   \
  template Array<T> read_numbers<T>(const std::string&, std::string_view); \
  template std::string numpy_header<T>(std::size_t)
OSTINATO_INSTANTIATE(float);
OSTINATO_INSTANTIATE(double);

}  // namespace ostinato::io
