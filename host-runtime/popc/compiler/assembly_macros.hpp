#pragma once

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace copse::popc {

/// A statement of inline assembly may use macros that an earlier statement defines. An assembler
/// that reads a whole function sees both, but popc assembles each statement alone. This class
/// follows a module call by call and keeps the macros that are defined so far. A call counts as the
/// text of the called function.
class AssemblyMacros {
public:
  /// \param module  before any optimisation
  explicit AssemblyMacros(const llvm::Module &module);

  /// Begins a function, in which no macros are known yet.
  void enterFunction() { known_.clear(); }
  /// Reads the next call or statement of the function.
  void read(const llvm::CallBase &call);
  /// Returns the definitions of this function so far, which have to precede the next statement.
  const std::string &known() const { return known_; }

private:
  struct Event {
    const llvm::Function *called; ///< null for definitions
    std::string definitions;
  };

  static std::optional<Event> eventOf(const llvm::CallBase &call);
  const std::string &textOf(const llvm::Function *function);
  void append(std::string &text, const Event &event);

  std::map<const llvm::Function *, std::vector<Event>>
      functions_;                                       ///< empty for a module without macros
  std::map<const llvm::Function *, std::string> texts_; ///< as far as they were needed
  std::string known_;
};

} // namespace copse::popc
