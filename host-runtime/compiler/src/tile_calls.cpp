#include "tile_calls.hpp"

#include "assembler/linker.hpp"
#include "poplar/exceptions.hpp"
#include "wire/codelet_abi.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace copse::compiler {
namespace {

using assembler::LinkedCode;

struct Calls {
  std::vector<std::string> symbols; ///< ascending
  std::string caller;               ///< a module that calls the first symbol
};

Calls callsOf(const std::vector<std::shared_ptr<const popc::Module>> &modules) {
  Calls calls;
  std::set<std::string> symbols;
  for (const auto &module : modules)
    for (const std::string &symbol : module->tileFunctions) {
      symbols.insert(symbol);
      calls.caller = module->name;
    }
  calls.symbols.assign(symbols.begin(), symbols.end());
  return calls;
}

[[noreturn]] void fail(const std::string &symbol, const std::string &what,
                       const std::string &output) {
  throw poplar::link_error("function '" + symbol + "', which C++ codelets call, " + what, output);
}

LinkedCode linked(const Calls &calls, const std::vector<const assembler::Object *> &objects) {
  for (const std::string &symbol : calls.symbols)
    if (!assembler::defines(objects, symbol))
      fail(symbol,
           "is defined by no tile code; add its assembly source or a .gp file that has it (called "
           "in '" +
               calls.caller + "')",
           "undefined symbol: " + symbol);
  constexpr std::uint32_t kEnd = wire::kAssemblyAddress + 4 * wire::kMaxAssemblyWords;
  try {
    return assembler::link(objects, calls.symbols, {wire::kAssemblyAddress, kEnd, 1});
  } catch (const assembler::LinkError &error) {
    throw poplar::link_error(error.what(), error.output);
  }
}

void check(const Calls &calls, const LinkedCode &code) {
  for (std::size_t i = 0; i < calls.symbols.size(); ++i) {
    const assembler::LinkedEntry &entry = code.entries[i];
    if (entry.stackBytes != 0)
      fail(calls.symbols[i],
           "uses a stack of " + std::to_string(entry.stackBytes) +
               " bytes; such functions can be called by tile code only",
           "stack of " + calls.symbols[i]);
    const bool hasData = std::ranges::any_of(entry.sections, [&](std::uint32_t section) {
      return !code.sections[section].source().isExecutable;
    });
    if (hasData)
      fail(calls.symbols[i], "has data of its own; such functions can be called by tile code only",
           "data of " + calls.symbols[i]);
  }
}

} // namespace

void emitTileCalls(const graph::Model &model,
                   const std::vector<std::shared_ptr<const popc::Module>> &modules,
                   std::vector<wire::Image> &images) {
  const Calls calls = callsOf(modules);
  if (calls.symbols.empty())
    return;
  std::vector<const assembler::Object *> objects;
  for (const auto &module : model.modules)
    if (module->object)
      objects.push_back(module->object.get());
  const LinkedCode code = linked(calls, objects);
  check(calls, code);
  wire::CodeSection section;
  section.address = wire::kAssemblyAddress;
  section.isForNativeCode = true;
  std::vector<std::byte> bytes;
  for (const assembler::LinkedSection &part : code.sections) {
    bytes.resize(part.address - wire::kAssemblyAddress);
    bytes.insert(bytes.end(), part.bytes.begin(), part.bytes.end());
  }
  section.bytes = static_cast<std::uint32_t>(bytes.size());
  for (std::size_t i = 0; i < calls.symbols.size(); ++i)
    section.symbols.push_back({calls.symbols[i], code.entries[i].address, 0});
  std::ranges::stable_sort(section.symbols, {}, &wire::CodeSymbol::address);
  for (wire::Image &image : images) {
    section.offset = image.data.size();
    image.data.insert(image.data.end(), bytes.begin(), bytes.end());
    image.code.push_back(section);
  }
}

} // namespace copse::compiler
