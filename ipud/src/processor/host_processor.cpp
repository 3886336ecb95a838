#include "processor/host_processor.hpp"

#include <xbyak/xbyak_util.h>

namespace copse::ipud {

bool hasWideVectors() {
  using Xbyak::util::Cpu;
  static const bool has = [] {
    const Cpu cpu;
    return cpu.has(Cpu::tAVX2) && cpu.has(Cpu::tFMA) && cpu.has(Cpu::tF16C);
  }();
  return has;
}

} // namespace copse::ipud
