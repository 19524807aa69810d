// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <ostinato/spmv/base/index.hpp>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

/// Sorts values and their keys, 0 .. largest, by key. Values with the same key stay in order.
///
/// Shapes    keys and values: of the same length.
/// Exec      Enqueued on Cuda; allocates as much again. On the calling thread elsewhere: other spaces than Host sort a
///           copy.
void sort_by_key(const Host& space, Vector<Host, unsigned>& keys, unsigned largest, Vector<Host, Index>& values);
void sort_by_key(const Cuda& space, Vector<Cuda, unsigned>& keys, unsigned largest, Vector<Cuda, Index>& values);
template <class Space>
void sort_by_key(const Space&, Vector<Space, unsigned>& keys, unsigned largest, Vector<Space, Index>& values) {
  const Host host;
  Vector<Host, unsigned> host_keys(host, std::span<const unsigned>(keys.download()));
  Vector<Host, Index> host_values(host, std::span<const Index>(values.download()));
  sort_by_key(host, host_keys, largest, host_values);
  keys.upload(host_keys.span());
  values.upload(host_values.span());
}

}  // namespace ostinato
