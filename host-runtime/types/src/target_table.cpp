#include "target_table.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace copse::types {
namespace {

constexpr std::uint32_t kKiB = 1024;
constexpr std::uint32_t kElementBytes = 16 * kKiB, kInterleavedBytes = 32 * kKiB;

/// Returns the offsets of `plain` memory elements of 16 KiB followed by `interleaved` ones of 32
/// KiB. Source: guide, 7.2.
std::vector<std::uint32_t> memoryElements(std::uint32_t plain, std::uint32_t interleaved) {
  std::vector<std::uint32_t> offsets;
  for (std::uint32_t i = 0; i != plain; ++i)
    offsets.push_back(i * kElementBytes);
  for (std::uint32_t i = 0; i != interleaved; ++i)
    offsets.push_back(plain * kElementBytes + i * kInterleavedBytes);
  return offsets;
}

// Sources. Memory: guide, 7.2. Clock: Graphcore's data sheets. Repeat count: the mask of the
// architecture's REPEAT_COUNT register. Convolution units: the convolution vertices that PopLibs
// has for each architecture. Bytes per cycle and sync: planner constants in public code. The rest
// are our choices where nothing public decides: strides of 10 bits, stores of 4 bytes.
TileFigures mk1Figures() {
  TileFigures f;
  f.workers = 6;
  f.bytesPerTile = 256 * kKiB;
  f.memoryBase = 0x40000;
  f.memoryElementOffsets = memoryElements(8, 4);
  f.interleavedElement = 8;
  f.clockFrequency = 1.6e9;
  f.maxRepeatCount = 0xFFF;
  f.minSyncDelay = 90;
  f.maxSyncDelay = 126;
  f.globalSyncCycles = 500;
  f.convCoeffLoadBytes = 8;
  f.convUnitsHalfHalf = 8;
  f.convUnitsHalfFloat = 8;
  f.convUnitsFloatFloat = 8;
  return f;
}

TileFigures mk2Figures() {
  TileFigures f = mk1Figures();
  f.bytesPerTile = 624 * kKiB;
  f.memoryBase = 0x4C000;
  f.memoryElementOffsets = memoryElements(13, 13);
  f.interleavedElement = 13;
  f.clockFrequency = 1.325e9;
  f.maxRepeatCount = 0xFFFF;
  f.globalSyncCycles = 600;
  f.convCoeffLoadBytes = 16;
  f.convUnitsHalfHalf = 16;
  f.convUnitsFloatFloat = 16;
  return f;
}

// One tile with as much memory as positive 32-bit addresses reach. Vectors have one element, so
// that codelets work with any alignment. Work that the host divides among contexts has as many
// parts as codelets of any target expect.
TileFigures hostFigures() {
  TileFigures f;
  f.workers = 6;
  f.memoryBase = 0x40000;
  f.bytesPerTile = 0x80000000u - f.memoryBase;
  f.slotBits = 32;
  f.atomicStoreBytes = 1;
  f.memcpyBytesPerCycle = 4;
  f.tilesPerExchangeBus = 1;
  f.exchangeBusSharing = false;
  return f;
}

const std::array<ArchEntry, 3> &archTable() {
  static const std::array<ArchEntry, 3> table{{
      {Architecture::Ipu1, "ipu1", "gc2", 1216, mk1Figures()},
      {Architecture::Ipu2, "ipu2", "gc200", 1472, mk2Figures()},
      {Architecture::Ipu21, "ipu21", "bow", 1472, mk2Figures()},
  }};
  return table;
}

// Names of Graphcore's systems and their IPUs. A link domain consists of the IPUs that IPU-Links
// connect without gateways, at most 64.
constexpr std::array kSystems{
    SystemEntry{"IPU-C2", Architecture::Ipu1, "gc2", 1.6e9, 2, 2, false},
    SystemEntry{"IPU-DSS8440", Architecture::Ipu1, "gc2", 1.6e9, 16, 16, false},
    SystemEntry{"IPU-M2000", Architecture::Ipu2, "gc200", 1.325e9, 4, 4, true},
    SystemEntry{"IPU-POD4", Architecture::Ipu2, "gc200", 1.325e9, 4, 4, true},
    SystemEntry{"IPU-POD16", Architecture::Ipu2, "gc200", 1.325e9, 16, 16, true},
    SystemEntry{"IPU-POD32", Architecture::Ipu2, "gc200", 1.325e9, 32, 32, true},
    SystemEntry{"IPU-POD64", Architecture::Ipu2, "gc200", 1.325e9, 64, 64, true},
    SystemEntry{"IPU-POD128", Architecture::Ipu2, "gc200", 1.325e9, 128, 64, true},
    SystemEntry{"IPU-POD256", Architecture::Ipu2, "gc200", 1.325e9, 256, 64, true},
    SystemEntry{"BOW-2000", Architecture::Ipu2, "bow", 1.85e9, 4, 4, true},
    SystemEntry{"BOW-POD4", Architecture::Ipu2, "bow", 1.85e9, 4, 4, true},
    SystemEntry{"BOW-POD16", Architecture::Ipu2, "bow", 1.85e9, 16, 16, true},
    SystemEntry{"BOW-POD32", Architecture::Ipu2, "bow", 1.85e9, 32, 32, true},
    SystemEntry{"BOW-POD64", Architecture::Ipu2, "bow", 1.85e9, 64, 64, true},
    SystemEntry{"BOW-POD128", Architecture::Ipu2, "bow", 1.85e9, 128, 64, true},
    SystemEntry{"BOW-POD256", Architecture::Ipu2, "bow", 1.85e9, 256, 64, true},
    // PopART simulates this system: sixteen IPUs, with as many tiles as it is configured for.
    SystemEntry{"_VIRTUAL_GRAPH_TEST_16", Architecture::Ipu2, "gc200", 1.325e9, 16, 16, true},
};

} // namespace

const ArchEntry &ipuArch(Architecture arch) {
  const auto found = std::find_if(archTable().begin(), archTable().end(),
                                  [&](const ArchEntry &e) { return e.arch == arch; });
  assert(found != archTable().end() && "a CPU has no entry");
  return *found;
}

std::optional<Architecture> ipuArchNamed(std::string_view name) {
  for (const ArchEntry &entry : archTable())
    if (entry.name == name)
      return entry.arch;
  return std::nullopt;
}

std::string_view archName(Architecture arch) {
  return arch == Architecture::Cpu ? "cpu" : ipuArch(arch).name;
}

const TileFigures &cpuFigures() {
  static const TileFigures figures = hostFigures();
  return figures;
}

const SystemEntry *systemNamed(std::string_view name) {
  const auto found = std::find_if(kSystems.begin(), kSystems.end(),
                                  [&](const SystemEntry &s) { return s.name == name; });
  return found == kSystems.end() ? nullptr : &*found;
}

std::vector<std::string_view> systemNames() {
  std::vector<std::string_view> names;
  for (const ArchEntry &entry : archTable())
    names.push_back(entry.name);
  for (const SystemEntry &system : kSystems)
    names.push_back(system.name);
  return names;
}

} // namespace copse::types
