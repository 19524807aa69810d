// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/multigrid/structured/planes.cuh>

namespace ostinato::multigrid {

using namespace planes;

namespace {

constexpr int down_rows = 16;  ///< coarse points of a thread block along y

/// Planes of the source in shared memory, in float: as they are copied, or converted from double by the threads that
/// have copied them.
template <class T, int Lines, int Piece>
class FloatPlanes {
  static constexpr bool converts = !std::is_same_v<T, float>;
  static constexpr int stages = converts ? 2 : 4;
  using Source = Planes<T, 64, Lines, stages, Piece, true>;
  /// The elements of the tile are aligned for reads of four.
  static constexpr int before = 4 - most_copied<T> % 4;

 public:
  static constexpr int width = Source::width;
  static constexpr std::size_t bytes() {
    return sizeof(T) * Source::room + (converts ? sizeof(float) * (before + 2 * Source::elements) : 0);
  }

  __device__ FloatPlanes(const Pass<T>& pass, void* memory, Index x, Index y, Index z, Index end)
      : source_(pass.r, &pass.own_planes, pass.fine, static_cast<T*>(memory), x, y, z, end),
        converted_(reinterpret_cast<float*>(static_cast<T*>(memory) + Source::room) + before) {}

  /// Begins to copy the first planes.
  __device__ void begin() {
    for (int k = 0; k < under_way; ++k) fetch();
  }

  /// Waits for plane z: the planes are asked for in turn, by all threads of the block.
  __device__ void wait(Index z) {
    wait_but_for<under_way - 1>();
    if constexpr (converts) convert(z);
    __syncthreads();
    fetch();
  }

  /// The element at (64-tile x, line) of plane z.
  __device__ const float* at(Index z, int x, int line) const {
    if constexpr (converts) {
      return plane(z) + line * width + most_copied<T> + x;
    } else {
      return source_.at(z, x, line);
    }
  }

 private:
  static constexpr int under_way = converts ? stages : stages - 1;
  __device__ void fetch() {
    source_.fetch();
    end_group();
  }
  /// Converts what this thread has copied of plane z.
  __device__ void convert(Index z) {
    const T* const from = source_.plane(z);
    float* const to = plane(z);
    Source::for_own([&](int n, int) {
      if constexpr (Piece > 1) {
        const auto v = *reinterpret_cast<const double2*>(from + n);
        *reinterpret_cast<float2*>(to + n) = make_float2(static_cast<float>(v.x), static_cast<float>(v.y));
      } else {
        to[n] = static_cast<float>(from[n]);
      }
    });
  }
  __device__ float* plane(Index z) const {
    return converted_ + static_cast<int>(static_cast<unsigned>(z) % 2) * Source::elements;
  }

  Source source_;
  float* converted_;
};

/// Down. Along each axis P^T takes the fine point of a coarse one and half of those beside that. I - omega A is a sum
/// over the axes of an operator along the axis times masses along the others, so that sums are made along x first, then
/// along y, then along z. A thread has two coarse points beside each other along x.
template <int Piece, bool Ends, class T>
class Descent {
 public:
  using Source = FloatPlanes<T, 2 * down_rows + 3, Piece>;

  __device__ Descent(const Pass<T>& pass, const Tile& tile, void* memory)
      : pass_(pass),
        r_(pass, memory, 2 * tile.cx, 2 * tile.cy - 1, 2 * tile.first - 1, 2 * tile.end + 2),
        first_(tile.first),
        end_(tile.end),
        cx_(tile.cx + 2 * place()),
        cy_(tile.cy + row()) {
    const Extents &e = pass.fine, &c = pass.coarse;
    for (int j = 0; j < 2; ++j) {
      const Index x = cx_ + j;
      end_of_[j] = x < c.x && cy_ < c.y ? end_of(x == c.x - 1, cy_ == c.y - 1, false) : -1;
      own_x_[j] = own(0, 2 * x + 1, e.x);
      mass_x_[j] = mass(0, 2 * x + 1, e.x);
    }
    own_y_ = own(1, 2 * cy_ + 1, e.y);
    mass_y_ = mass(1, 2 * cy_ + 1, e.y);
  }

  /// b of the coarse points of the run.
  __device__ void run(float* out) {
    r_.begin();
    const Factors f(pass_.own[2], pass_.along[2]);
    float before[2] = {}, current[2], next[2];  // of the coarse planes k - 1 and k
    const Sums beyond = sums(2 * first_ - 1);
#pragma unroll
    for (int j = 0; j < 2; ++j) current[j] = f.far * beyond.flat[j];
    for (Index k = first_; k <= end_; ++k) {
      const Sums even = sums(2 * k), odd = sums(2 * k + 1);
      const float own_z = own(2, 2 * k + 1, pass_.fine.z), mass_z = mass(2, 2 * k + 1, pass_.fine.z);
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const float beside = 0.5f * even.moved[j] + f.beside * even.flat[j], far = f.far * odd.flat[j];
        before[j] += beside + far;
        next[j] = current[j] + beside + (Ends ? mass_z * odd.moved[j] : odd.moved[j]) + own_z * odd.flat[j];
        current[j] = far;
      }
      if (k > first_) leave(out, k - 1, before);
#pragma unroll
      for (int j = 0; j < 2; ++j) before[j] = next[j];
    }
    wait_for_all();
  }

 private:
  /// What P^T (I - omega A) along one axis has for the points beside a coarse point's own, and for those beyond.
  struct Factors {
    float beside, far;
    __device__ Factors(float own, float along) : beside(0.5f * own - along), far(-0.5f * along) {}
  };
  /// What a plane gives to the thread's coarse points: P^T of the masses along x and y, and the same of I - omega A
  /// without the operator along z.
  struct Sums {
    float flat[2], moved[2];
  };

  __device__ static int place() { return static_cast<int>(threadIdx.x % 16); }
  __device__ static int row() { return static_cast<int>(threadIdx.x / 16); }

  /// The factor of a coarse point's own fine point, `at`, of n along an axis.
  __device__ float own(int axis, Index at, Index n) const {
    const float diagonal = Ends && at == n - 1 ? pass_.last_own[axis] : pass_.own[axis];
    return diagonal - (at + 1 < n ? 1.0f : 0.5f) * pass_.along[axis];
  }
  __device__ float mass(int axis, Index at, Index n) const {
    return Ends && at == n - 1 ? pass_.last_mass[axis] : 1.0f;
  }

  __device__ Sums sums(Index z) {
    r_.wait(z);
    const Factors f(pass_.own[0], pass_.along[0]), g(pass_.own[1], pass_.along[1]);
    const float* line = r_.at(z, 4 * place(), 2 * row());
    float flat[2][5], moved[2][5];  // along x
#pragma unroll
    for (int k = 0; k < 5; ++k, line += Source::width) {
      const float4 own = *reinterpret_cast<const float4*>(line);
      const float2 right = *reinterpret_cast<const float2*>(line + 4);
      const float v[7] = {line[-1], own.x, own.y, own.z, own.w, right.x, right.y};
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const float* const at = v + 2 * j;
        const float beside = at[1] + at[3];
        flat[j][k] = 0.5f * beside + (Ends ? mass_x_[j] * at[2] : at[2]);
        moved[j][k] = f.beside * beside + f.far * (at[0] + at[4]) + own_x_[j] * at[2];
      }
    }
    Sums s;
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const float *const w = flat[j], *const u = moved[j];
      const float beside = w[1] + w[3];
      s.flat[j] = 0.5f * beside + (Ends ? mass_y_ * w[2] : w[2]);
      s.moved[j] = 0.5f * (u[1] + u[3]) + (Ends ? mass_y_ * u[2] : u[2]) + g.beside * beside + g.far * (w[0] + w[4]) +
                   own_y_ * w[2];
    }
    return s;
  }

  /// b of the thread's coarse points in plane k.
  __device__ void leave(float* out, Index k, const float (&b)[2]) const {
    const Extents& c = pass_.coarse;
    const float* const scale = pass_.down + end_of(false, false, k == c.z - 1);
    float* to = out + c.number(cx_, cy_, k);
    if (end_of_[0] >= 0) to[0] = scale[end_of_[0]] * b[0];
    if (end_of_[1] >= 0) to[1] = scale[end_of_[1]] * b[1];
  }

  const Pass<T>& pass_;
  Source r_;
  Index first_, end_, cx_, cy_;
  int end_of_[2];  ///< by x and y; negative outside of the grid
  float own_x_[2], mass_x_[2], own_y_, mass_y_;
};

template <int Piece, bool Ends, class T>
__global__ void __launch_bounds__(threads, blocks_each)
    descend_kernel(const __grid_constant__ Pass<T> pass, float* out) {
  extern __shared__ __align__(128) double2 room[];
  const Tile tile(pass.runs, blockIdx.x, down_rows);
  Descent<Piece, Ends, T> descent(pass, tile, room);
  cuda::pdl_trigger_and_wait();
  descent.run(out);
}

}  // namespace

template <class T>
void descend_planes(const Cuda& space, const Level<Cuda>& level, float omega, const Source<T>& source, float* b_of_next,
                    const OwnPlanes<T>* own) {
  const Pass<T> pass = make_pass(space, level, omega, source, own, level.next, down_rows);
  if (pass.runs.count() == 0) return;
  const auto run = [&]<int Piece, bool Ends>(Number<Piece>, std::bool_constant<Ends>) {
    const auto kernel = descend_kernel<Piece, Ends, T>;
    constexpr std::size_t room = Descent<Piece, Ends, T>::Source::bytes();
    cuda::allow_shared(space, kernel, room);
    cuda::launch(space, kernel, pass.runs.count(), threads, room, pass, b_of_next);
  };
  with_ends<T>(level, [&](auto ends) { with_piece(level.grid, source.r, [&](auto piece) { run(piece, ends); }); });
}

template void descend_planes(const Cuda&, const Level<Cuda>&, float, const Source<float>&, float*,
                             const OwnPlanes<float>*);
template void descend_planes(const Cuda&, const Level<Cuda>&, float, const Source<double>&, float*,
                             const OwnPlanes<double>*);

}  // namespace ostinato::multigrid
