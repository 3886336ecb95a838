#pragma once

/// Divides the work of a vertex among the workers of a tile. A tile stores whole words, so if two
/// workers write parts of one word, one of the writes is lost.
namespace poplibs {

/// The elements [begin, end) of `size` that one worker takes: whole grains.
struct WorkerPart {
  WorkerPart(unsigned size, unsigned worker, unsigned workers, unsigned grain) {
    const unsigned grains = (size + grain - 1) / grain;
    const unsigned each = (grains + workers - 1) / workers * grain;
    begin = worker * each < size ? worker * each : size;
    end = size - begin < each ? size : begin + each;
  }
  unsigned begin, end;
};

/// Returns, for workers that share rows, the smallest number of rows of \p bytes that fills whole
/// words.
constexpr unsigned rowsOfWholeWords(unsigned bytes) {
  return bytes % 4 == 0 ? 1 : bytes % 2 == 0 ? 2 : 4;
}

/// Returns, for workers that share the columns of several rows, the number of columns that stay
/// together: 8 bytes of them, or all columns if rows do not begin at words.
constexpr unsigned columnsOfWholeWords(unsigned columns, unsigned elementBytes) {
  return columns * elementBytes % 4 == 0 ? 8 / elementBytes : columns;
}

} // namespace poplibs
