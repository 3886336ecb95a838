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

/// Copies the arguments of a call to the registers of a worker.
/// \returns a pointer argument that is not an address of the tile; nothing if there is none
std::optional<std::uintptr_t>
loadArguments(const wire::TileCall &call, const TileAddresses &addresses, RegisterFiles &registers);
/// Copies the result of a call back.
void storeResult(const RegisterFiles &registers, wire::TileCall &call);

/// One statement of inline assembly in a native module. Native code calls the tile's interpreter
/// for it: this class copies operands to the tile's registers and results back. It refers to
/// constants of the module, which must stay loaded.
class NativeAssembly {
public:
  explicit NativeAssembly(const wire::AssemblyBlock &block) : block_(block) {}

  std::span<const wire::AssemblyOperand> operands() const;
  std::span<const std::uint32_t> words() const;
  /// Returns the source location, for example "file.cpp:12".
  std::string place() const;

  /// A setzi instruction that loads the address of \p name.
  struct Symbol {
    std::size_t word;
    std::string name;
  };
  std::vector<Symbol> symbols() const;

  /// Copies the values of operands to registers.
  /// \returns a pointer operand that is not an address of the tile; nothing if there is none
  std::optional<std::uintptr_t> load(const std::byte *values, const TileAddresses &addresses,
                                     RegisterFiles &registers) const;
  /// Copies the outputs back.
  void store(const RegisterFiles &registers, const TileAddresses &addresses,
             std::byte *values) const;

private:
  const wire::AssemblyBlock &block_;
};

/// The decoded inline assembly of an image's modules, and the functions of tile code that they
/// call. Immutable once everything is added.
class DecodedAssembly {
public:
  /// The addresses of the program's code on its tiles, and of native code for tile code.
  using CodeAddresses = std::map<std::string, std::uint32_t, std::less<>>;

  DecodedAssembly(const Chip &chip, CodeAddresses code)
      : cache_(chip, {}), code_(std::move(code)) {}

  struct Function {
    const CodePage *page = nullptr;
    std::uint32_t entry = 0;
  };

  void add(const wire::AssemblyBlock &block);
  /// Adds the functions that the symbols of \p section name.
  void add(const wire::CodeSection &section, std::span<const std::byte> bytes);
  bool empty() const { return pages_.empty() && functions_.empty(); }
  const CodePage &pageOf(const wire::AssemblyBlock *block) const { return *pages_.at(block); }
  /// Returns null if there is no function of this name.
  const Function *functionOf(std::string_view symbol) const;
  /// Returns an empty cache for a TileProcessor.
  CodeCache &cache() { return cache_; }

private:
  CodeCache cache_;
  CodeAddresses code_;
  std::unordered_map<const wire::AssemblyBlock *, std::unique_ptr<CodePage>> pages_;
  std::vector<std::unique_ptr<CodePage>> functionPages_;
  std::map<std::string, Function, std::less<>> functions_;
};

} // namespace copse::ipud
