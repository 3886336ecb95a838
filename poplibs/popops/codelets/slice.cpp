// Vertices that read and write rows of a block of a table: rows [firstRow, firstRow + rows) of
// \p width columns. Offsets say at which row of the table a slice begins.
#include "worker_part.hpp"

#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>
#include <type_traits>

namespace popops {

namespace {

/// Returns the row of the table that row \p k of a slice is, where slices wrap round: a slice that
/// begins beyond the end begins at 0.
inline unsigned wrappedRow(unsigned offset, unsigned k, unsigned tableRows) {
  const unsigned row = (offset >= tableRows ? 0 : offset) + k;
  return row >= tableRows ? row - tableRows : row;
}

/// Calls use(bytes) with the size of rows, which for short ones is a constant: then a copy is a
/// move or two, and no call.
template <typename Use> void withBytes(unsigned bytes, Use use) {
  switch (bytes) {
  case 4:
    return use(std::integral_constant<unsigned, 4>());
  case 8:
    return use(std::integral_constant<unsigned, 8>());
  case 16:
    return use(std::integral_constant<unsigned, 16>());
  default:
    return use(bytes);
  }
}

/// Calls use(lookup, row of the slice, row of the block) for each row that the block has. Where
/// slices do not wrap round, one that is not wholly inside the table is left out.
template <typename Use>
void forEachRow(const unsigned *offsets, unsigned begin, unsigned end, unsigned sliceRows,
                unsigned firstRow, unsigned rows, unsigned tableRows, bool wraps, Use use) {
  if (sliceRows == 1) {
    // Which rows the block has is as good as random: a list of them, made without branches, lets
    // the loop over it go on to the next row while one is on its way.
    constexpr unsigned kGroup = 64;
    unsigned found[kGroup];
    // Offsets above this one mean row 0; without wrapping there are no such offsets.
    const unsigned beyond = wraps ? tableRows - 1 : ~0u;
    const auto rowOf = [&](unsigned i) { return offsets[i] > beyond ? 0u : offsets[i]; };
    for (unsigned group = begin; group < end; group += kGroup) {
      const unsigned last = end - group < kGroup ? end : group + kGroup;
      unsigned count = 0;
      for (unsigned i = group; i < last; ++i) {
        found[count] = i;
        count += static_cast<unsigned>(rowOf(i) - firstRow < rows);
      }
      for (unsigned f = 0; f < count; ++f)
        use(found[f], 0, rowOf(found[f]) - firstRow);
    }
    return;
  }
  for (unsigned i = begin; i < end; ++i) {
    if (!wraps && offsets[i] > tableRows - sliceRows)
      continue;
    for (unsigned k = 0; k < sliceRows; ++k) {
      const unsigned row = wrappedRow(offsets[i], k, tableRows);
      if (row - firstRow < rows) // also false for a row before the first
        use(i, k, row - firstRow);
    }
  }
}

} // namespace

/// out[lookup][sliceRow][column]. A row that the block does not have is left alone. Slices wrap
/// round.
template <typename T> class SliceRows : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> table;
  poplar::Input<poplar::Vector<unsigned, poplar::VectorLayout::SPAN>> offsets;
  poplar::Output<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> out;
  unsigned width, sliceRows, firstRow, rows, tableRows;

  bool compute(unsigned worker) {
    const poplibs::WorkerPart part(offsets.size(), worker, numWorkers(),
                                   poplibs::rowsOfWholeWords(sliceRows * width * sizeof(T)));
    T *const to = out.data();
    const T *const from = table.data();
    withBytes(width * sizeof(T), [&](auto bytes) {
      forEachRow(offsets.data(), part.begin, part.end, sliceRows, firstRow, rows, tableRows, true,
                 [&](unsigned i, unsigned k, unsigned row) {
                   std::memcpy(to + (std::size_t(i) * sliceRows + k) * width,
                               from + std::size_t(row) * width, bytes);
                 });
    });
    return true;
  }
};

/// Takes each row of SliceRows from the block that has it.
template <typename T> class JoinSlices : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> in; ///< [block, row of out]
  poplar::Input<poplar::Vector<unsigned, poplar::VectorLayout::SPAN>> offsets;
  /// First row of each block.
  poplar::Input<poplar::Vector<unsigned, poplar::VectorLayout::SPAN>> firstRows;
  poplar::Output<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> out;
  unsigned width, sliceRows, tableRows;

  bool compute(unsigned worker) {
    const poplibs::WorkerPart part(offsets.size(), worker, numWorkers(),
                                   poplibs::rowsOfWholeWords(sliceRows * width * sizeof(T)));
    const unsigned *const firsts = firstRows.data();
    const unsigned blocks = firstRows.size();
    const std::size_t rowsOfBlock = std::size_t(offsets.size()) * sliceRows;
    T *const to = out.data();
    const T *const from = in.data();
    withBytes(width * sizeof(T), [&](auto bytes) {
      for (unsigned i = part.begin; i < part.end; ++i)
        for (unsigned k = 0; k < sliceRows; ++k) {
          const unsigned row = wrappedRow(offsets[i], k, tableRows);
          unsigned block = 0;
          for (unsigned b = 1; b < blocks; ++b)
            block += static_cast<unsigned>(row >= firsts[b]);
          const std::size_t at = std::size_t(i) * sliceRows + k;
          std::memcpy(to + at * width, from + (block * rowsOfBlock + at) * width, bytes);
        }
    });
    return true;
  }
};

/// Writes slices[lookup][sliceRow][column], a later one over an earlier one.
template <typename T> class UpdateRows : public poplar::MultiVertex {
public:
  poplar::InOut<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> table;
  poplar::Input<poplar::Vector<unsigned, poplar::VectorLayout::SPAN>> offsets;
  poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> slices;
  unsigned width, sliceRows, firstRow, rows, tableRows;
  bool wraps;

  bool compute(unsigned worker) {
    const poplibs::WorkerPart part( // columns: rows may repeat
        width, worker, numWorkers(), poplibs::columnsOfWholeWords(width, sizeof(T)));
    forEachRow(offsets.data(), 0, offsets.size(), sliceRows, firstRow, rows, tableRows, wraps,
               [&](unsigned i, unsigned k, unsigned row) {
                 std::memcpy(table.data() + std::size_t(row) * width + part.begin,
                             slices.data() + (std::size_t(i) * sliceRows + k) * width + part.begin,
                             (part.end - part.begin) * sizeof(T));
               });
    return true;
  }
};

enum class RowUpdate { ADD, MUL, MAX };

/// Combines each row that slices are for with them, in order; sums of halves are rounded after
/// each.
template <RowUpdate how, typename T> class CombineRows : public poplar::MultiVertex {
public:
  poplar::InOut<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> table;
  poplar::Input<poplar::Vector<unsigned, poplar::VectorLayout::SPAN>> offsets;
  poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> slices;
  poplar::Input<T> scale;
  unsigned width, sliceRows, firstRow, rows, tableRows;
  bool wraps;

  bool compute(unsigned worker) {
    const poplibs::WorkerPart part(width, worker, numWorkers(),
                                   poplibs::columnsOfWholeWords(width, sizeof(T)));
    const T by = *scale;
    forEachRow(offsets.data(), 0, offsets.size(), sliceRows, firstRow, rows, tableRows, wraps,
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
