#include <ostinato/spmv/matrix/algebra/product.hpp>
#include <algorithm>
#include <ostinato/spmv/space/cuda.hpp>
#include <ostinato/spmv/space/host.hpp>
namespace ostinato {
namespace {
template <class Space, class T>
Csr<T> down(const Space& space, const CsrView<T>& a) {
  Csr<T> h{a.rows, a.cols, Array<Offset>(a.row_ptr.size()), Array<Index>(a.col.size()), Array<T>(a.val.size())};
  space.download(h.row_ptr.data(), a.row_ptr.data(), a.row_ptr.size_bytes());
  space.download(h.col.data(), a.col.data(), a.col.size_bytes());
  space.download(h.val.data(), a.val.data(), a.val.size_bytes());
  return h;
}
}
template <class Space, class T>
SpaceCsr<Space, T> multiply(const Space& space, const SpaceCsr<Space, T>& ax, const SpaceCsr<Space, T>& bx) {
  const Csr<T> a = down(space, ax.view()), b = down(space, bx.view());
  Csr<T> c;
  c.rows = a.rows; c.cols = b.cols;
  std::vector<T> acc(b.cols); std::vector<char> used(b.cols); std::vector<Index> list;
  std::vector<Index> col; std::vector<T> val; std::vector<Offset> ptr{0};
  for (Index i = 0; i < a.rows; ++i) {
    list.clear();
    for (auto k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
      for (auto l = b.row_ptr[a.col[k]]; l < b.row_ptr[a.col[k] + 1]; ++l) {
        const Index j = b.col[l];
        if (!used[j]) { used[j] = 1; acc[j] = 0; list.push_back(j); }
        acc[j] += a.val[k] * b.val[l];
      }
    std::sort(list.begin(), list.end());
    for (Index j : list) { col.push_back(j); val.push_back(acc[j]); used[j] = 0; }
    ptr.push_back(static_cast<Offset>(col.size()));
  }
  c.row_ptr = Array<Offset>(ptr.size()); c.col = Array<Index>(col.size()); c.val = Array<T>(val.size());
  std::copy(ptr.begin(), ptr.end(), c.row_ptr.begin()); std::copy(col.begin(), col.end(), c.col.begin()); std::copy(val.begin(), val.end(), c.val.begin());
  return SpaceCsr<Space, T>(space, std::move(c));
}
template <class Space, class T>
SpaceCsr<Space, T> transpose(const Space& space, const SpaceCsr<Space, T>& a) {
  return SpaceCsr<Space, T>(space, transpose(down(space, a.view()).view()));
}
#define OSTINATO_INSTANTIATE(Space, T) \
  template SpaceCsr<Space, T> multiply(const Space&, const SpaceCsr<Space, T>&, const SpaceCsr<Space, T>&); \
  template SpaceCsr<Space, T> transpose(const Space&, const SpaceCsr<Space, T>&);
OSTINATO_INSTANTIATE(Host, float)
OSTINATO_INSTANTIATE(Host, double)
OSTINATO_INSTANTIATE(Cuda, float)
OSTINATO_INSTANTIATE(Cuda, double)
}
