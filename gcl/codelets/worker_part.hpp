#pragma once

namespace gcl {

/// The elements [begin, end) of `size` that one worker of a tile takes: whole grains of 8 bytes.
struct WorkerPart {
  WorkerPart(unsigned size, unsigned worker, unsigned workers, unsigned grain) {
    const unsigned grains = (size + grain - 1) / grain;
    const unsigned each = (grains + workers - 1) / workers * grain;
    begin = worker * each < size ? worker * each : size;
    end = size - begin < each ? size : begin + each;
  }
  unsigned begin, end;
};

} // namespace gcl
