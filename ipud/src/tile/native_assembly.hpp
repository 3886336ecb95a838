#pragma once

#include "processor/code_page.hpp"
#include "processor/worker_state.hpp"
#include "tile/tile_addresses.hpp"

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

/// Gives the registers of a worker what a call passes.
/// \returns a pointer among it to no address of the tile; nothing if there is none
std::optional<std::uintptr_t>
loadArguments(const wire::TileCall &call, const TileAddresses &addresses, RegisterFiles &registers);
/// The reverse, for a result.
void storeResult(const RegisterFiles &registers, wire::TileCall &call);

/// One statement of inline assembly, as a native module has it.
class NativeAssembly {
public:
  explicit NativeAssembly(const wire::AssemblyBlock &block) : block_(block) {}

  std::span<const wire::AssemblyOperand> operands() const;
  std::span<const std::uint32_t> words() const;
  std::string place() const; ///< "file.cpp:12"

  /// A setzi of the address of \p name.
  struct Symbol {
    std::size_t word;
    std::string name;
  };
  std::vector<Symbol> symbols() const;

  /// Gives registers the values of operands.
  /// \returns a pointer among them to no address of the tile; nothing if there is none
  std::optional<std::uintptr_t> load(const std::byte *values, const TileAddresses &addresses,
                                     RegisterFiles &registers) const;
  /// The reverse, for outputs.
  void store(const RegisterFiles &registers, const TileAddresses &addresses,
             std::byte *values) const;

private:
  const wire::AssemblyBlock &block_;
};

/// The inline assembly of the modules of an image, and the functions of tile code that they call, in
/// decoded form. Immutable once all are added.
class DecodedAssembly {
public:
  /// Where the program's code stands on its tiles, or native code as tile code finds it.
  using CodeAddresses = std::map<std::string, std::uint32_t, std::less<>>;

  DecodedAssembly(const Chip &chip, CodeAddresses code)
      : cache_(chip, {}), code_(std::move(code)) {}

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
  CodeAddresses code_;
  std::unordered_map<const wire::AssemblyBlock *, std::unique_ptr<CodePage>> pages_;
  std::vector<std::unique_ptr<CodePage>> functionPages_;
  std::map<std::string, Function, std::less<>> functions_;
};

} // namespace copse::ipud
