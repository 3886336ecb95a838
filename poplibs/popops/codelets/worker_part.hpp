#pragma once

namespace popops {

/// The elements [begin, end) of `size` that one worker of a tile takes: whole grains of those that
/// a store writes at once, so that workers never write the same word.
struct WorkerPart {
  WorkerPart(unsigned size, unsigned worker, unsigned workers, unsigned grain) {
    const unsigned grains = (size + grain - 1) / grain;
    const unsigned each = (grains + workers - 1) / workers * grain;
    begin = worker * each < size ? worker * each : size;
    end = size - begin < each ? size : begin + each;
  }
  unsigned begin, end;
};

} // namespace popops
