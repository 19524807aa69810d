#pragma once
#include <ostinato/spmv/matrix/space_csr.hpp>
namespace ostinato {
template <class Space, class T>
SpaceCsr<Space, T> multiply(const Space& space, const SpaceCsr<Space, T>& a, const SpaceCsr<Space, T>& b);
template <class Space, class T>
SpaceCsr<Space, T> transpose(const Space& space, const SpaceCsr<Space, T>& a);
}
