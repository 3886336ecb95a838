#pragma once

#include "processor/code_page.hpp"
#include "processor/worker_state.hpp"

#include "wire/codelet_abi.hpp"
#include "wire/image.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace copse::ipud {

/// Gives the registers of a worker what a call passes. \param slot  native address of the tile's
/// address 0 \returns a pointer among it to no address of the tile; nothing if there is none
std::optional<std::uintptr_t> loadArguments(const wire::TileCall &call, std::uintptr_t slot,
                                            RegisterFiles &registers);
/// The reverse, for a result.
void storeResult(const RegisterFiles &registers, wire::TileCall &call);

/// One statement of inline assembly, as a native module has it.
class NativeAssembly {
public:
  explicit NativeAssembly(const wire::AssemblyBlock &block) : block_(block) {}

  std::span<const wire::AssemblyOperand> operands() const;
  std::span<const std::uint32_t> words() const;
  std::string place() const; ///< "file.cpp:12"

  /// Gives registers the values of operands.
  /// \param slot  native address of the tile's address 0
  /// \returns a pointer among them to no address of the tile; nothing if there is none
  std::optional<std::uintptr_t> load(const std::byte *values, std::uintptr_t slot,
                                     RegisterFiles &registers) const;
  /// The reverse, for outputs.
  void store(const RegisterFiles &registers, std::uintptr_t slot, std::byte *values) const;

private:
  const wire::AssemblyBlock &block_;
};

/// The inline assembly of the modules of an image, and the functions of tile code that they call, in
/// decoded form. Immutable once all are added.
class DecodedAssembly {
public:
  explicit DecodedAssembly(const Chip &chip) : cache_(chip, {}) {}

  struct Function {
    const CodePage *page = nullptr;
    std::uint32_t entry = 0;
  };

  void add(const wire::AssemblyBlock &block);
  /// The functions that the symbols of \p section name.
  void add(const wire::CodeSection &section, std::span<const std::byte> bytes);
  bool empty() const { return pages_.empty() && functions_.empty(); }
  const CodePage &pageOf(const wire::AssemblyBlock *block) const { return *pages_.at(block); }
  /// Null: there is none of this name.
  const Function *functionOf(std::string_view symbol) const;
  /// Of no code, for a TileProcessor.
  CodeCache &cache() { return cache_; }

private:
  CodeCache cache_;
  std::unordered_map<const wire::AssemblyBlock *, std::unique_ptr<CodePage>> pages_;
  std::vector<std::unique_ptr<CodePage>> functionPages_;
  std::map<std::string, Function, std::less<>> functions_;
};

} // namespace copse::ipud
