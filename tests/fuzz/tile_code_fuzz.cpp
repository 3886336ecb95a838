// Fuzzes tile instructions of any kind, anywhere: the interpreter must return, and must not touch
// any other tile.
#include "fuzzing.hpp"
#include "processor/tile_processor.hpp"
#include "tile/tile_memory.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace {

using namespace copse;
using namespace copse::ipud;

/// Takes values from the front of the input, zeros when it is used up.
class Input {
public:
  Input(const std::uint8_t *data, std::size_t size) : data_(data), size_(size) {}
  bool isEmpty() const { return size_ == 0; }
  std::uint32_t word() {
    std::uint32_t value = 0;
    const std::size_t n = std::min(size_, sizeof value);
    std::memcpy(&value, data_, n);
    data_ += n;
    size_ -= n;
    return value;
  }

private:
  const std::uint8_t *data_;
  std::size_t size_;
};

/// Returns mostly instructions, in bundles if the input says so, and some of its words unchanged.
std::vector<std::uint32_t> codeFrom(Input &input) {
  std::vector<std::uint32_t> words;
  while (!input.isEmpty() && words.size() < 1024) {
    const std::uint32_t choice = input.word(), bits = input.word();
    const std::uint32_t bundle = (choice >> 16 & 3) == 0 ? isa::kBundleBit : 0;
    if ((choice >> 20 & 15) == 0) {
      words.push_back(bits);
      continue;
    }
    const auto &info = isa::infoOf(static_cast<isa::Opcode>((choice & 0xFFFF) % isa::kOpcodes));
    words.push_back(info.value | (bits & ~info.mask & ~isa::kBundleBit) | bundle);
    if (bundle != 0 && !info.isAux())
      words.push_back(0x1AD00000 | isa::kBundleBit); // fnop
  }
  return words;
}

constexpr std::uint32_t kCode = 0x4C000, kTiles = 3, kMiddle = 1;

/// Returns the memory of all tiles, zeroed. The same one serves all inputs. The tiles before and
/// after the middle one have no memory, so a touch of theirs ends the program: to compare their
/// bytes would take longer than everything else.
TileMemory &memoryFor(const Chip &chip) {
  static TileMemory memory;
  const auto status =
      memory.map({kTiles, 6, 21, chip.begin, chip.end - chip.begin}, {false, true, false});
  fuzz::require(status.ok(), "there is memory for a tile");
  return memory;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  Input input(data, size);
  const std::uint32_t how = input.word();
  const Chip chip = chipOf(static_cast<isa::Architecture>(how % 3));
  TileMemory &memory = memoryFor(chip);
  TileContexts tile;
  tile.initialControl = how >> 2 & 0x180007;
  for (auto &worker : tile.workers)
    for (unsigned i = 0; i < 12; ++i)
      worker.registers.m(i) =
          (how >> i & 1) == 0 ? chip.begin + input.word() % 0x40000 : input.word();
  const auto words = codeFrom(input);
  if (!words.empty())
    std::memcpy(memory.at(kMiddle, kCode), words.data(), 4 * words.size());
  CodeCache cache(chip, {{kCode, kCode + 0x1000}});
  TileProcessor processor(cache, 500);
  for (unsigned worker = 0; worker < 3; ++worker)
    processor.runWorker(tile, memory.at(kMiddle, 0), worker, kCode, 0x58000);
  processor.runSupervisor(tile, memory.at(kMiddle, 0), kMiddle, kCode, 0x58000, 0x5C000);
  return 0;
}
