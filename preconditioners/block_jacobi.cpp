// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/block_jacobi.hpp>

#include <algorithm>

#include <ostinato/preconditioners/block_jacobi_steps.hpp>
#include <ostinato/preconditioners/contract/application.hpp>
#include <ostinato/preconditioners/contract/option_text.hpp>
#include <ostinato/preconditioners/contract/require_rows.hpp>
#include <ostinato/preconditioners/contract/require_square.hpp>
#include <ostinato/preconditioners/define_entry.hpp>
#include <ostinato/preconditioners/definite_sign.hpp>
#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/base/message.hpp>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/parallel.hpp>

namespace ostinato {

namespace {

const OptionTable<BlockJacobiOptions>& table() {
  static const auto known =
      OptionTable<BlockJacobiOptions>().number("block", &BlockJacobiOptions::block, 0, detail::most_rows_of_block);
  return known;
}

constexpr Index most = detail::most_rows_of_block;

/// Where blocks of `rows` rows begin, and the end of the last one.
std::vector<Index> equal_blocks(Index n, Index rows) {
  std::vector<Index> begin;
  for (Index i = 0; i < n; i += rows) begin.push_back(i);
  begin.push_back(n);
  return begin;
}

/// Where blocks of whole supervariables begin. Supervariables of more than `most` rows are cut.
std::vector<Index> blocks_of_supervariables(const std::vector<Index>& starts) {
  const auto n = static_cast<Index>(starts.size());
  std::vector<Index> begin(1, 0);
  Index end = 0;  // of the block that begins last
  while (end < n) {
    Index next = end + 1;
    while (next < n && next - end < most && starts[static_cast<std::size_t>(next)] == 0) ++next;
    if (next - begin.back() > most) begin.push_back(end);
    end = next;
  }
  if (n > 0) begin.push_back(n);
  return begin;
}

template <class Space>
std::vector<Index> find_blocks(const Space& space, const detail::CsrPattern& a, Index block) {
  if (block > 0) return equal_blocks(a.rows, block);
  Vector<Space, Index> starts(space, static_cast<std::size_t>(a.rows));
  for_each(space, starts.size(), detail::MarkSupervariables{a, starts.data()});
  return blocks_of_supervariables(starts.download());
}

void over_blocks(const Cuda& space, std::size_t blocks, auto f) { for_each(space, blocks, f); }

void over_blocks(const Host& space, std::size_t blocks, auto f) {
  constexpr std::size_t together = 16;
  parallel_for(space, (blocks + together - 1) / together, [=](std::size_t k) {
    for (std::size_t b = k * together; b < std::min((k + 1) * together, blocks); ++b) f(b);
  });
}

template <class T>
void multiply_blocks(const Cuda& space, std::size_t, const detail::MultiplyBlockRow<T>& m, std::size_t rows) {
  for_each(space, rows, m);
}

/// Column by column, in loops that the compiler turns into vector instructions.
template <class T>
void multiply_block(const detail::MultiplyBlockRow<T>& m, std::size_t b) {
  const Index first = m.layout.begin[b], rows = m.layout.begin[b + 1] - first;
  const T* const x = m.elements + m.layout.at[b];
  T total[most] = {};
  for (Index c = 0; c < rows; ++c) {
    const T factor = m.r[first + c];
#pragma omp simd
    for (Index i = 0; i < rows; ++i) total[i] += x[c * rows + i] * factor;
  }
  std::copy(total, total + rows, m.z + first);
}

template <class T>
void multiply_blocks(const Host& space, std::size_t blocks, const detail::MultiplyBlockRow<T>& m, std::size_t rows) {
  if (rows <= serial_blocks * host_block) {
    for (std::size_t b = 0; b < blocks; ++b) multiply_block(m, b);
  } else {
    over_blocks(space, blocks, [m](std::size_t b) { multiply_block(m, b); });
  }
}

}  // namespace

template <class Space, class T>
std::string BlockJacobi<Space, T>::why_not(const Structure& s) {
  if (s.rows != s.cols) return "the matrix isn't square";
  return s.finite ? std::string() : "the matrix holds NaN or infinity";
}

template <class Space, class T>
std::string BlockJacobi<Space, T>::known_options() {
  return table().text();
}

template <class Space, class T>
BlockJacobiOptions BlockJacobi<Space, T>::parse_options(std::string_view text) {
  return table().read(name, text);
}

template <class Space, class T>
MemoryPrediction BlockJacobi<Space, T>::predict(const Analysis<Space, T>& analysis, const BlockJacobiOptions& options) {
  const std::vector<Index> begin =
      find_blocks(analysis.space(), detail::pattern_of(analysis.matrix().view()), static_cast<Index>(options.block));
  std::size_t elements = 0;
  for (std::size_t b = 0; b + 1 < begin.size(); ++b) {
    const auto rows = static_cast<std::size_t>(begin[b + 1] - begin[b]);
    elements += rows * rows;
  }
  const auto rows = static_cast<std::size_t>(analysis.structure().rows);
  return {begin.size() * (sizeof(Index) + sizeof(Offset)) + rows * sizeof(Index) + elements * sizeof(T)};
}

template <class Space, class T>
BlockJacobi<Space, T>::BlockJacobi(const Analysis<Space, T>& analysis, BlockJacobiOptions options)
    : space_(analysis.space()), options_(options) {
  require_square(name, analysis.structure());
  table().require(name, options);
  lay_out(find_blocks(space_, detail::pattern_of(analysis.matrix().view()), static_cast<Index>(options.block)));
  invert(analysis, analysis.structure());
}

template <class Space, class T>
BlockJacobi<Space, T>::BlockJacobi(const Analysis<Space, T>& analysis, std::vector<Index> begin, const Facts& whole)
    : space_(analysis.space()) {
  lay_out(begin);
  invert(analysis, whole);
}

template <class Space, class T>
void BlockJacobi<Space, T>::lay_out(const std::vector<Index>& begin) {
  std::vector<Offset> at(1, 0);
  std::vector<Index> block_of;
  block_of.reserve(static_cast<std::size_t>(begin.back()));
  for (std::size_t b = 0; b + 1 < begin.size(); ++b) {
    const Index rows = begin[b + 1] - begin[b];
    at.push_back(at.back() + Offset{rows} * rows);
    block_of.insert(block_of.end(), static_cast<std::size_t>(rows), static_cast<Index>(b));
  }
  begin_ = Vector<Space, Index>(space_, std::span<const Index>(begin));
  at_ = Vector<Space, Offset>(space_, std::span<const Offset>(at));
  block_of_ = Vector<Space, Index>(space_, std::span<const Index>(block_of));
  elements_ = Vector<Space, T>(space_, static_cast<std::size_t>(at.back()));
}

template <class Space, class T>
void BlockJacobi<Space, T>::invert(const Analysis<Space, T>& analysis, const Facts& whole) {
  const CsrView<T>& a = analysis.matrix().view();
  Vector<Space, Index> singular(space_, blocks());
  over_blocks(space_, blocks(),
              detail::InvertBlock<T>{detail::pattern_of(a),
                                     a.val.data(),
                                     {begin_.data(), at_.data(), block_of_.data()},
                                     elements_.data(),
                                     singular.data(),
                                     whole.symmetric,
                                     static_cast<T>(definite_sign(whole))});
  const std::vector<Index> flags = singular.download();
  const auto bad = std::find(flags.begin(), flags.end(), Index{1});
  if (bad == flags.end()) return;
  const std::vector<Index> begin = begin_.download();
  const auto b = static_cast<std::size_t>(bad - flags.begin());
  const auto first = static_cast<std::size_t>(begin[b]), last = static_cast<std::size_t>(begin[b + 1]) - 1;
  throw ArgumentError("block-jacobi: the diagonal block of " + row_text(first, last) +
                      " has no inverse in the range of the numbers; use another block=N, or preconditioner none");
}

template <class Space, class T>
void BlockJacobi<Space, T>::update_values(const Analysis<Space, T>& analysis) {
  require_rows(name, analysis.structure(), block_of_.size());
  *this = BlockJacobi(analysis, options_);
}

template <class Space, class T>
void BlockJacobi<Space, T>::apply(std::span<const T> r, std::span<T> z) const {
  require_lengths(name, rows(), r.size(), z.size());
  const detail::BlockLayout layout = {begin_.data(), at_.data(), block_of_.data()};
  multiply_blocks(space_, blocks(), detail::MultiplyBlockRow<T>{layout, elements_.data(), r.data(), z.data()},
                  block_of_.size());
}

template <class Space, class T>
std::string BlockJacobi<Space, T>::remarks() const {
  return std::to_string(blocks()) + (blocks() == 1 ? " block" : " blocks");
}

std::vector<Index> block_begins(const Host& host, std::span<const Offset> row_ptr, std::span<const Index> col,
                                const BlockJacobiOptions& options, Index together) {
  const Index n = static_cast<Index>(row_ptr.size()) - 1;
  std::vector<Index> begin;
  for (Index first = 0; first < n; first += together) {
    const Index rows = std::min(together, n - first);
    const detail::CsrPattern some{rows, row_ptr.data() + first, col.data()};
    for (const Index at : find_blocks(host, some, static_cast<Index>(options.block)))
      if (at < rows) begin.push_back(first + at);
  }
  begin.push_back(n);
  return begin;
}

OSTINATO_CLASS(BlockJacobi);

OSTINATO_DEFINE_PRECONDITIONER(block_jacobi, BlockJacobi)

}  // namespace ostinato
