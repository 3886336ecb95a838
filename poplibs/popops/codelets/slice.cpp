// Vertices that read and write rows of a block of a table: rows [firstRow, firstRow + rows) of
// \p width columns. Offsets say at which row of the table a slice begins.
#include "worker_part.hpp"

#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

namespace popops {

namespace {

template <unsigned size> struct BitsOf;
template <> struct BitsOf<1> {
  using type = unsigned char;
};
template <> struct BitsOf<2> {
  using type = unsigned short;
};
template <> struct BitsOf<4> {
  using type = unsigned int;
};

/// Calls use(lookup, row of the slice, row of the block) for each row that the block has.
template <typename Use>
void forEachRow(const unsigned *offsets, unsigned begin, unsigned end, unsigned sliceRows,
                unsigned firstRow, unsigned rows, unsigned wrapAt, Use use) {
  if (sliceRows == 1 && wrapAt == 0) {
    // Most blocks have few of the rows: groups of offsets that are all elsewhere are passed over.
    constexpr unsigned kGroup = 16;
    unsigned i = begin;
    for (; i + kGroup <= end; i += kGroup) {
      unsigned here = 0;
      for (unsigned k = 0; k < kGroup; ++k)
        here |= static_cast<unsigned>(offsets[i + k] - firstRow < rows);
      if (here == 0)
        continue;
      for (unsigned k = i; k < i + kGroup; ++k)
        if (offsets[k] - firstRow < rows)
          use(k, 0, offsets[k] - firstRow);
    }
    for (; i < end; ++i)
      if (offsets[i] - firstRow < rows)
        use(i, 0, offsets[i] - firstRow);
    return;
  }
  for (unsigned i = begin; i < end; ++i) {
    // Where slices wrap round (wrapAt rows), one that begins beyond the end begins at 0.
    const unsigned offset = wrapAt != 0 && offsets[i] >= wrapAt ? 0 : offsets[i];
    for (unsigned k = 0; k < sliceRows; ++k) {
      unsigned row = offset + k;
      if (wrapAt != 0 && row >= wrapAt)
        row -= wrapAt;
      if (row - firstRow < rows) // also false for a row before the first
        use(i, k, row - firstRow);
    }
  }
}

} // namespace

/// out[lookup][sliceRow][column]. A row that the block does not have becomes 0, so that blocks can
/// be joined, or is left alone.
template <typename T> class SliceRows : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> table;
  poplar::Input<poplar::Vector<unsigned, poplar::VectorLayout::SPAN>> offsets;
  poplar::Output<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> out;
  unsigned width, sliceRows, firstRow, rows, wrapAt;
  bool clear;

  bool compute(unsigned worker) {
    const WorkerPart part(offsets.size(), worker, numWorkers(), 1);
    const unsigned perLookup = sliceRows * width;
    T *const to = out.data();
    if (clear)
      std::memset(to + std::size_t(part.begin) * perLookup, 0,
                  std::size_t(part.end - part.begin) * perLookup * sizeof(T));
    forEachRow(offsets.data(), part.begin, part.end, sliceRows, firstRow, rows, wrapAt,
               [&](unsigned i, unsigned k, unsigned row) {
                 std::memcpy(to + std::size_t(i) * perLookup + std::size_t(k) * width,
                             table.data() + std::size_t(row) * width, width * sizeof(T));
               });
    return true;
  }
};

/// What SliceRows made of several blocks: every element is 0 in all of them but one.
template <typename T> class JoinSlices : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> in; ///< [block, element]
  poplar::Output<poplar::Vector<T, poplar::VectorLayout::SPAN>> out;
  unsigned blocks;

  bool compute(unsigned worker) {
    using Bits = typename BitsOf<sizeof(T)>::type;
    const WorkerPart part(out.size(), worker, numWorkers(), 8 / sizeof(T));
    const unsigned n = out.size();
    // Many elements of one block side by side: their loads are vectors.
    constexpr unsigned kWide = 128 / sizeof(T);
    unsigned i = part.begin;
    for (; i + kWide <= part.end; i += kWide) {
      Bits joined[kWide] = {}, bits[kWide];
      for (unsigned b = 0; b < blocks; ++b) {
        std::memcpy(bits, in.data() + std::size_t(b) * n + i, sizeof bits);
        for (unsigned k = 0; k < kWide; ++k)
          joined[k] = static_cast<Bits>(joined[k] | bits[k]);
      }
      std::memcpy(out.data() + i, joined, sizeof joined);
    }
    for (; i < part.end; ++i) {
      Bits joined = 0;
      for (unsigned b = 0; b < blocks; ++b) {
        Bits bits;
        std::memcpy(&bits, in.data() + std::size_t(b) * n + i, sizeof bits);
        joined = static_cast<Bits>(joined | bits);
      }
      std::memcpy(out.data() + i, &joined, sizeof joined);
    }
    return true;
  }
};

/// Writes slices[lookup][sliceRow][column], a later one over an earlier one.
template <typename T> class UpdateRows : public poplar::MultiVertex {
public:
  poplar::InOut<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> table;
  poplar::Input<poplar::Vector<unsigned, poplar::VectorLayout::SPAN>> offsets;
  poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> slices;
  unsigned width, sliceRows, firstRow, rows, wrapAt;

  bool compute(unsigned worker) {
    const WorkerPart part(width, worker, numWorkers(), 8 / sizeof(T)); // columns: rows may repeat
    forEachRow(offsets.data(), 0, offsets.size(), sliceRows, firstRow, rows, wrapAt,
               [&](unsigned i, unsigned k, unsigned row) {
                 std::memcpy(table.data() + std::size_t(row) * width + part.begin,
                             slices.data() + (std::size_t(i) * sliceRows + k) * width + part.begin,
                             (part.end - part.begin) * sizeof(T));
               });
    return true;
  }
};

enum class RowUpdate { ADD, MUL, MAX };

/// Combines each row that slices are for with them, in order; sums of halves are rounded after each.
template <RowUpdate how, typename T> class CombineRows : public poplar::MultiVertex {
public:
  poplar::InOut<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> table;
  poplar::Input<poplar::Vector<unsigned, poplar::VectorLayout::SPAN>> offsets;
  poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> slices;
  poplar::Input<T> scale;
  unsigned width, sliceRows, firstRow, rows, wrapAt;

  bool compute(unsigned worker) {
    const WorkerPart part(width, worker, numWorkers(), 8 / sizeof(T));
    const T by = *scale;
    forEachRow(offsets.data(), 0, offsets.size(), sliceRows, firstRow, rows, wrapAt,
               [&](unsigned i, unsigned k, unsigned row) {
                 T *const to = table.data() + std::size_t(row) * width;
                 const T *const from = slices.data() + (std::size_t(i) * sliceRows + k) * width;
                 for (unsigned c = part.begin; c < part.end; ++c)
                   to[c] = combined(to[c], from[c], by);
               });
    return true;
  }

private:
  template <typename U> struct Wide {
    using type = U;
  };
  static T combined(T old, T x, T by) {
    if (how == RowUpdate::MAX)
      return old < x ? x : old;
    if (std::is_integral<T>::value) {
      const unsigned scaled = static_cast<unsigned>(x) * static_cast<unsigned>(by);
      return static_cast<T>(how == RowUpdate::ADD ? static_cast<unsigned>(old) + scaled
                                                  : static_cast<unsigned>(old) * scaled);
    }
    const float scaled = static_cast<float>(x) * static_cast<float>(by);
    return static_cast<T>(how == RowUpdate::ADD ? static_cast<float>(old) + scaled
                                                : static_cast<float>(old) * scaled);
  }
};

#define POPOPS_SLICES(T)                                                                           \
  template class SliceRows<T>;                                                                     \
  template class JoinSlices<T>;                                                                    \
  template class UpdateRows<T>;
POPOPS_SLICES(float)
POPOPS_SLICES(half)
POPOPS_SLICES(int)
POPOPS_SLICES(unsigned int)
POPOPS_SLICES(bool)
POPOPS_SLICES(char)
POPOPS_SLICES(signed char)
POPOPS_SLICES(unsigned char)
POPOPS_SLICES(short)
POPOPS_SLICES(unsigned short)

#define POPOPS_COMBINE(T)                                                                          \
  template class CombineRows<RowUpdate::ADD, T>;                                                   \
  template class CombineRows<RowUpdate::MUL, T>;                                                   \
  template class CombineRows<RowUpdate::MAX, T>;
POPOPS_COMBINE(float)
POPOPS_COMBINE(half)
POPOPS_COMBINE(int)
POPOPS_COMBINE(unsigned int)

} // namespace popops
