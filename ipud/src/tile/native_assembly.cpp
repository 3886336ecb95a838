#include "tile/native_assembly.hpp"

#include <cstring>
#include <iterator>
#include <sstream>
#include <utility>

namespace copse::ipud {
namespace {

using Kind = wire::AssemblyOperand::Kind;

constexpr std::uint32_t kSetziMask = 0xFFFFF;
constexpr std::size_t kValueBytes = 16;

template <class T> T valueAt(const std::byte *at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

unsigned placeOf(const wire::AssemblyOperand &operand) {
  return (operand.isAux != 0 ? 0 : RegisterFiles::kMain) + operand.first;
}

std::uint64_t longOf(const wire::AssemblyOperand &operand, std::uint32_t word, std::uint64_t before,
                     const TileAddresses &addresses) {
  const bool wasAddress = operand.isInput != 0 && (addresses.isInSlot(before) ||
                                                   addresses.isVariable(std::uintptr_t{before}));
  if (wasAddress)
    return addresses.native(word);
  return operand.kind == Kind::SignedLong
             ? static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(word)})
             : word;
}

} // namespace

std::span<const wire::AssemblyOperand> NativeAssembly::operands() const {
  return {reinterpret_cast<const wire::AssemblyOperand *>(&block_ + 1), block_.operands};
}

std::span<const std::uint32_t> NativeAssembly::words() const {
  const auto all = operands();
  return {reinterpret_cast<const std::uint32_t *>(all.data() + all.size()), block_.words};
}

std::string NativeAssembly::place() const {
  const auto all = words();
  return {reinterpret_cast<const char *>(all.data() + all.size()), block_.placeBytes};
}

std::vector<NativeAssembly::Symbol> NativeAssembly::symbols() const {
  const auto all = words();
  const char *const begin =
      reinterpret_cast<const char *>(all.data() + all.size()) + block_.placeBytes;
  std::istringstream lines(std::string(begin, block_.symbolBytes));
  std::vector<Symbol> symbols;
  Symbol symbol;
  while (lines >> symbol.word >> symbol.name)
    if (symbol.word < all.size())
      symbols.push_back(symbol);
  return symbols;
}

std::optional<std::uintptr_t> NativeAssembly::load(const std::byte *values,
                                                   const TileAddresses &addresses,
                                                   RegisterFiles &registers) const {
  for (const wire::AssemblyOperand &operand : operands()) {
    if (operand.isInput == 0)
      continue;
    const std::byte *const from = values + kValueBytes * operand.slot;
    std::uint32_t *const to = registers.all.data() + placeOf(operand);
    switch (operand.kind) {
    case Kind::Words:
      std::memcpy(to, from, 4U * operand.count);
      break;
    case Kind::Half:
      *to = valueAt<std::uint16_t>(from) * 0x10001U;
      break;
    case Kind::Pointer: {
      const auto pointer = valueAt<std::uintptr_t>(from);
      const auto address = addresses.onTile(pointer);
      if (!address)
        return pointer;
      *to = *address;
      break;
    }
    case Kind::UnsignedLong:
    case Kind::SignedLong: {
      const auto bits = valueAt<std::uint64_t>(from);
      *to = addresses.onTile(bits).value_or(static_cast<std::uint32_t>(bits));
      break;
    }
    }
  }
  return std::nullopt;
}

void NativeAssembly::store(const RegisterFiles &registers, const TileAddresses &addresses,
                           std::byte *values) const {
  for (const wire::AssemblyOperand &operand : operands()) {
    if (operand.isOutput == 0)
      continue;
    std::byte *const to = values + kValueBytes * operand.slot;
    const std::uint32_t *const from = registers.all.data() + placeOf(operand);
    std::uint64_t bits = *from;
    switch (operand.kind) {
    case Kind::Words:
    case Kind::Half:
      std::memcpy(to, from, 4U * operand.count);
      continue;
    case Kind::Pointer:
      bits = bits == 0 ? 0 : addresses.native(static_cast<std::uint32_t>(bits));
      break;
    case Kind::UnsignedLong:
    case Kind::SignedLong:
      bits = longOf(operand, *from, valueAt<std::uint64_t>(to), addresses);
      break;
    }
    std::memcpy(to, &bits, sizeof bits);
  }
}

std::optional<std::uintptr_t> loadArguments(const wire::TileCall &call,
                                            const TileAddresses &addresses,
                                            RegisterFiles &registers) {
  constexpr std::uint64_t kWord = 0xFFFFFFFF;
  for (unsigned i = 0; i < std::size(call.m); ++i) {
    const auto address = call.m[i] > kWord ? addresses.onTile(call.m[i])
                                           : std::optional(static_cast<std::uint32_t>(call.m[i]));
    if (!address)
      return static_cast<std::uintptr_t>(call.m[i]);
    registers.m(i) = *address;
  }
  for (unsigned i = 0; i < std::size(call.a); ++i)
    registers.a(i) = static_cast<std::uint32_t>(call.a[i]);
  return std::nullopt;
}

void storeResult(const RegisterFiles &registers, wire::TileCall &call) {
  call.m[0] = registers.all[RegisterFiles::kMain];
  call.a[0] = registers.all[0];
}

void DecodedAssembly::add(const wire::CodeSection &section, std::span<const std::byte> bytes) {
  std::vector<std::uint32_t> words(bytes.size() / sizeof(std::uint32_t));
  std::memcpy(words.data(), bytes.data(), 4 * words.size());
  const CodePage *const page =
      functionPages_.emplace_back(decodePage(section.address, std::move(words), {&cache_.chip()}))
          .get();
  for (const wire::CodeSymbol &symbol : section.symbols)
    functions_.emplace(symbol.name, Function{page, symbol.address});
}

const DecodedAssembly::Function *DecodedAssembly::functionOf(std::string_view symbol) const {
  const auto found = functions_.find(symbol);
  return found == functions_.end() ? nullptr : &found->second;
}

void DecodedAssembly::add(const wire::AssemblyBlock &block) {
  const NativeAssembly assembly(block);
  std::vector<std::uint32_t> words(assembly.words().begin(), assembly.words().end());
  if (words.empty())
    return;
  // An unknown symbol belongs to a codelet that no vertex of the program uses, so it is never
  // executed.
  for (const NativeAssembly::Symbol &symbol : assembly.symbols())
    if (const auto found = code_.find(symbol.name); found != code_.end())
      words[symbol.word] = (words[symbol.word] & ~kSetziMask) | (found->second & kSetziMask);
  pages_[&block] = decodePage(wire::kAssemblyAddress, std::move(words), {&cache_.chip()});
}

} // namespace copse::ipud
