#pragma once

#include "temporary_folder.hpp"

#include "popc/popc.hpp"
#include "wire/codelet_abi.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace copse::popc::test {

/// One tile's memory: a slot of 2^slotBits bytes, aligned to that size; pages appear when they are
/// touched. Objects are placed one after another from `kBase` on.
class TileMemory {
public:
  static constexpr std::uint32_t kBase = 0x50000;

  explicit TileMemory(unsigned slotBits) : bytes_(std::uint64_t{2} << slotBits) {
    region_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (region_ == MAP_FAILED)
      throw std::runtime_error("no address space for a tile");
    const std::uintptr_t mask = (std::uintptr_t{1} << slotBits) - 1;
    slot_ = (reinterpret_cast<std::uintptr_t>(region_) + mask) & ~mask;
  }
  ~TileMemory() { ::munmap(region_, bytes_); }
  TileMemory(const TileMemory &) = delete;
  TileMemory &operator=(const TileMemory &) = delete;

  /// \returns the tile address of a copy of \p values, aligned
  template <class T> std::uint32_t place(const std::vector<T> &values, std::uint32_t align = 16) {
    next_ = (next_ + align - 1) / align * align;
    const std::uint32_t address = next_;
    if (!values.empty())
      std::memcpy(at<T>(address), values.data(), values.size() * sizeof(T));
    next_ += static_cast<std::uint32_t>(values.size() * sizeof(T));
    return address;
  }
  template <class T> T *at(std::uint32_t address) const {
    return reinterpret_cast<T *>(slot_ | address);
  }
  template <class T> std::vector<T> read(std::uint32_t address, std::size_t count) const {
    return {at<T>(address), at<T>(address) + count};
  }

private:
  std::uint64_t bytes_;
  void *region_ = nullptr;
  std::uintptr_t slot_ = 0;
  std::uint32_t next_ = kBase;
};

/// Opens a module in the way of ipud.
class OpenModule {
public:
  explicit OpenModule(const Module &module) : module_(module) {
    if (::write(file_, module.elf.data(), module.elf.size()) !=
        static_cast<ssize_t>(module.elf.size()))
      throw std::runtime_error("cannot write the module");
    handle_ = ::dlopen(("/proc/self/fd/" + std::to_string(file_)).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr)
      throw std::runtime_error(::dlerror());
    *static_cast<wire::CycleOffset *>(symbol(wire::kCycleOffsetSymbol)) =
        reinterpret_cast<const char *>(&cycles()) -
        static_cast<const char *>(__builtin_thread_pointer());
  }
  /// Returns the cycle count of the code of all modules on this thread.
  static unsigned long long &cycles() {
    static thread_local unsigned long long count = 0;
    return count;
  }
  ~OpenModule() {
    ::dlclose(handle_);
    ::close(file_);
  }
  OpenModule(const OpenModule &) = delete;
  OpenModule &operator=(const OpenModule &) = delete;

  const VertexType &vertex(const std::string &name) const {
    for (const VertexType &type : module_.vertices)
      if (type.name == name)
        return type;
    throw std::runtime_error("no vertex " + name);
  }
  void *symbol(const std::string &name) const { return ::dlsym(handle_, name.c_str()); }
  wire::CodeletEntry entry(const std::string &vertexName) const {
    return reinterpret_cast<wire::CodeletEntry>(symbol(vertex(vertexName).symbol));
  }

private:
  Module module_;
  // Open as long as the module, because dlopen returns the same handle for another module of the
  // same path.
  const int file_ = ::memfd_create("codelets", MFD_CLOEXEC);
  void *handle_ = nullptr;
};

/// The state of one vertex in tile memory; fields are set by name, as raw words.
class VertexState {
public:
  VertexState(TileMemory &tile, const VertexType &type)
      : tile_(tile), type_(type),
        address_(tile.place(std::vector<std::byte>(type.stateBytes), 16)) {}

  const Field &field(const std::string &name) const {
    for (const Field &field : type_.fields)
      if (field.name == name)
        return field;
    throw std::runtime_error("no field " + name);
  }
  template <class T> VertexState &set(const std::string &name, T value, std::uint32_t at = 0) {
    std::memcpy(tile_.at<char>(address_ + field(name).offset + at), &value, sizeof value);
    return *this;
  }
  VertexState &span(const std::string &name, std::uint32_t address, std::uint32_t count) {
    return set(name, address).set(name, count, 4);
  }
  void *native() const { return tile_.at<void>(address_); }

private:
  TileMemory &tile_;
  const VertexType &type_;
  std::uint32_t address_;
};

using copse::test::TemporaryFolder;

/// Uses a cache of the test's own for the object's lifetime.
class OwnCache {
public:
  OwnCache() { ::setenv("COPSE_CACHE_DIR", folder_.path().c_str(), 1); }
  ~OwnCache() { ::unsetenv("COPSE_CACHE_DIR"); }
  OwnCache(const OwnCache &) = delete;
  OwnCache &operator=(const OwnCache &) = delete;
  const std::filesystem::path &path() const { return folder_.path(); }

private:
  TemporaryFolder folder_;
};

inline Module compiled(const std::string &source, Architecture arch,
                       std::vector<std::string> flags = {}) {
  CompileOptions options;
  options.targets = {arch};
  options.flags = std::move(flags);
  return compileSource("#include <poplar/Vertex.hpp>\nusing namespace poplar;\n" + source,
                       "codelets.cpp", options)
      .at(0);
}

} // namespace copse::popc::test
