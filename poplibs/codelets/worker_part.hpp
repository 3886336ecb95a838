#pragma once

/// How the workers of a tile share what a vertex does. A tile stores whole words: two workers that
/// write parts of one word lose what one of them writes.
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

/// Returns, for workers that share rows, the fewest rows of \p bytes that end with a word.
constexpr unsigned rowsOfWholeWords(unsigned bytes) {
  return bytes % 4 == 0 ? 1 : bytes % 2 == 0 ? 2 : 4;
}

/// Returns, for workers that share the columns of several rows, 8 bytes of them, or all if rows
/// begin within words.
constexpr unsigned columnsOfWholeWords(unsigned columns, unsigned elementBytes) {
  return columns * elementBytes % 4 == 0 ? 8 / elementBytes : columns;
}

} // namespace poplibs
