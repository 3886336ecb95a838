#include "tile/tile_memory.hpp"

#include <algorithm>
#include <cerrno>
#include <string>
#include <sys/mman.h>
#include <system_error>
#include <utility>

namespace copse::ipud {
namespace {

constexpr std::uint32_t kWord = 4; // unit of parity [bytes]

wire::Status outOfMemory(const wire::TileGeometry &geometry, const char *what) {
  return {wire::Code::OutOfMemory,
          "tile memory: cannot " + std::string(what) + " for " + std::to_string(geometry.tiles) +
              " tiles of 2^" + std::to_string(geometry.slotBits) + " bytes (" +
              std::generic_category().message(errno) +
              "); raise the limits of address space and of mappings (vm.max_map_count)"};
}

} // namespace

TileMemory::~TileMemory() { unmap(); }

wire::Status TileMemory::map(const wire::TileGeometry &geometry, std::vector<bool> used) {
  if (base_ != nullptr && geometry == geometry_ && used == used_) {
    clear();
    return wire::Status::success();
  }
  unmap();
  geometry_ = geometry;
  used_ = std::move(used);
  if (auto status = reserve(); !status.ok())
    return status;
  auto status = populate();
  if (!status.ok())
    unmap();
  return status;
}

wire::Status TileMemory::reserve() {
  // Reserve one slot more, so that an aligned start lies within, and unmap the rest.
  const std::size_t slot = slotBytes(), bytes = totalBytes();
  void *const got =
      mmap(nullptr, bytes + slot, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED)
    return outOfMemory(geometry_, "reserve addresses");
  auto *const start = static_cast<std::byte *>(got);
  const std::size_t skip = (slot - reinterpret_cast<std::uintptr_t>(start) % slot) % slot;
  if (skip != 0)
    munmap(start, skip);
  base_ = start + skip;
  munmap(base_ + bytes, slot - skip);
  return wire::Status::success();
}

wire::Status TileMemory::populate() {
  for (std::uint32_t tile = 0; tile < geometry_.tiles; ++tile)
    if (isUsed(tile) && mprotect(at(tile, geometry_.memoryBase), geometry_.memoryBytes,
                                 PROT_READ | PROT_WRITE) != 0)
      return outOfMemory(geometry_, "map memory");
  return wire::Status::success();
}

void TileMemory::clear() {
  if (base_ != nullptr)
    madvise(base_, totalBytes(), MADV_DONTNEED);
}

void TileMemory::unmap() {
  if (base_ != nullptr)
    munmap(base_, totalBytes());
  base_ = nullptr;
}

bool TileMemory::populated(std::uint32_t tile, std::uint64_t address, std::uint64_t bytes) const {
  return tile < geometry_.tiles && isUsed(tile) && address >= geometry_.memoryBase &&
         address - geometry_.memoryBase <= geometry_.memoryBytes &&
         bytes <= geometry_.memoryBytes - (address - geometry_.memoryBase);
}

std::span<const wire::TileAddress> TileMemory::errorsOf(std::uint32_t tile) const {
  const auto first = std::lower_bound(errors_.begin(), errors_.end(), wire::TileAddress{tile, 0});
  const auto last = std::upper_bound(first, errors_.end(), wire::TileAddress{tile, UINT32_MAX});
  return {first, last};
}

const wire::TileAddress *TileMemory::errorIn(std::uint32_t tile, std::uint64_t address,
                                             std::uint64_t bytes) const {
  for (const wire::TileAddress &word : errorsOf(tile))
    if (word.address < address + bytes && address < std::uint64_t{word.address} + kWord)
      return &word;
  return nullptr;
}

bool TileMemory::protect(std::uint32_t tile, std::uint32_t address, std::size_t bytes,
                         bool accessible) const {
  return mprotect(at(tile, address / kPage * kPage), address % kPage + bytes,
                  accessible ? PROT_READ | PROT_WRITE : PROT_NONE) == 0;
}

void TileMemory::protectErrors(std::uint32_t tile, bool accessible) const {
  for (const wire::TileAddress &word : errorsOf(tile))
    if (populated(tile, word.address, kWord))
      protect(tile, word.address, kWord, accessible);
}

bool TileMemory::isGuarded(wire::TileAddress where) const {
  return errorIn(where.tile, where.address / kPage * kPage, kPage) != nullptr;
}

void TileMemory::openPage(wire::TileAddress where) const {
  protect(where.tile, where.address, 1, true);
}

bool TileMemory::locate(const void *native, wire::TileAddress &where) const {
  const auto address = reinterpret_cast<std::uintptr_t>(native);
  const auto base = reinterpret_cast<std::uintptr_t>(base_);
  if (base_ == nullptr || address < base || address - base >= totalBytes())
    return false;
  where.tile = static_cast<std::uint32_t>((address - base) >> geometry_.slotBits);
  where.address = static_cast<std::uint32_t>((address - base) & (slotBytes() - 1));
  return true;
}

} // namespace copse::ipud
