#include "assembly_macros.hpp"

#include <algorithm>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <string_view>
#include <utility>

namespace copse::popc {
namespace {

using std::string;
using std::string_view;

/// Returns the text for the assembler, in which LLVM's "$$" is "$".
string assemblersText(string_view text) {
  string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    plain += text[i];
    if (text.substr(i, 2) == "$$")
      ++i;
  }
  return plain;
}

/// Returns all definitions from ".macro" to ".endm", and each ".purgem" with its name.
string definitionsIn(string_view text) {
  string definitions;
  for (std::size_t at = 0; (at = text.find('.', at)) != string_view::npos;) {
    const string_view rest = text.substr(at);
    constexpr string_view kEnd = ".endm";
    std::size_t length = 1;
    if (rest.starts_with(".macro"))
      length = std::min(rest.find(kEnd), rest.size() - kEnd.size()) + kEnd.size();
    else if (rest.starts_with(".purgem"))
      length = std::min(rest.find_first_of("\n;"), rest.size());
    if (length > 1)
      definitions += string(rest.substr(0, length)) + "\n";
    at += length;
  }
  return assemblersText(definitions);
}

bool mentionsMacros(string_view text) {
  return text.find(".macro") != string_view::npos || text.find(".purgem") != string_view::npos;
}

const llvm::InlineAsm *assemblyOf(const llvm::CallBase &call) {
  return llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand());
}

bool definesMacros(const llvm::Module &module) {
  for (const llvm::Function &function : module)
    for (const llvm::Instruction &instruction : llvm::instructions(function))
      if (const auto *const call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        if (const auto *const assembly = assemblyOf(*call);
            assembly != nullptr && mentionsMacros(assembly->getAsmString()))
          return true;
  return false;
}

} // namespace

AssemblyMacros::AssemblyMacros(const llvm::Module &module) {
  if (!definesMacros(module))
    return;
  for (const llvm::Function &function : module)
    for (const llvm::Instruction &instruction : llvm::instructions(function))
      if (const auto *const call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        if (auto event = eventOf(*call))
          functions_[&function].push_back(std::move(*event));
}

void AssemblyMacros::read(const llvm::CallBase &call) {
  if (functions_.empty())
    return;
  if (const auto event = eventOf(call))
    append(known_, *event);
}

std::optional<AssemblyMacros::Event> AssemblyMacros::eventOf(const llvm::CallBase &call) {
  if (const llvm::InlineAsm *const assembly = assemblyOf(call))
    return mentionsMacros(assembly->getAsmString())
               ? std::optional(Event{nullptr, definitionsIn(assembly->getAsmString())})
               : std::nullopt;
  const llvm::Function *const called = call.getCalledFunction();
  return called == nullptr ? std::nullopt : std::optional(Event{called, {}});
}

void AssemblyMacros::append(string &text, const Event &event) {
  text += event.called != nullptr ? textOf(event.called) : event.definitions;
}

const string &AssemblyMacros::textOf(const llvm::Function *function) {
  // Functions that call each other in a circle are not inlined into each other. The one that is
  // asked for again has no text yet.
  const auto [known, isNew] = texts_.try_emplace(function);
  if (const auto found = functions_.find(function); isNew && found != functions_.end()) {
    string text;
    for (const Event &event : found->second)
      append(text, event);
    known->second = std::move(text);
  }
  return known->second;
}

} // namespace copse::popc
