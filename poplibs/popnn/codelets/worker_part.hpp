#pragma once

namespace popnn {

/// The elements [begin, end) of `size` that one worker takes: whole grains, so that two workers
/// never write the same word.
struct WorkerPart {
  WorkerPart(unsigned size, unsigned worker, unsigned workers, unsigned grain = 8) {
    const unsigned grains = (size + grain - 1) / grain;
    const unsigned each = (grains + workers - 1) / workers * grain;
    begin = worker * each < size ? worker * each : size;
    end = size - begin < each ? size : begin + each;
  }
  unsigned begin, end;
};

} // namespace popnn
