// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <ostinato/spmv/space/distributed.hpp>
#include <ostinato/spmv/space/host.hpp>

// A space for tests on which each sum goes over two parts of each vector, as on two ranks.

namespace ostinato::test {

template <class Local>
class Halves;

/// Vectors lie in the memory of Host. The parts meet at the middle, at a multiple of host_block.
template <>
class Halves<Host> : public Host {
 public:
  using Host::Host;

  const Host& local() const { return *this; }

  /// Each half has its own place for the sums of its blocks, until reduce() puts the second behind the first.
  template <class Sums>
  class BlockSums {
   public:
    explicit BlockSums(std::size_t n) : n_(n), blocks_((n + host_block - 1) / host_block) {
      first_.resize(blocks_ / 2);
      second_.resize(blocks_ - blocks_ / 2);
    }

    template <class F>
    void for_parts(F f) {
      const std::size_t middle = first_.size() * host_block;
      f(middle, n_, second_.data());
      f(std::size_t{0}, middle, first_.data());
    }
    void reduce() {
      first_.insert(first_.end(), second_.begin(), second_.end());
      reductions += second_.size() < blocks_;
    }
    std::size_t blocks() const { return first_.size(); }
    const Sums* data() const { return first_.data(); }

   private:
    std::size_t n_, blocks_;
    std::vector<Sums> first_, second_;
  };
  template <class Sums>
  BlockSums<Sums> block_sums(std::size_t n) const {
    return BlockSums<Sums>(n);
  }

  static inline int reductions = 0;  ///< that have joined two parts, neither of them empty
};

}  // namespace ostinato::test
