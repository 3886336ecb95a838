#pragma once

#include "llvm_function.hpp"
#include "llvm_loops.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace copse::popc {

/// One memory access, or one of the two accesses of a copy.
struct Access {
  std::string_view pointer; ///< the address: "%7"
  std::string bytes;        ///< the size: "4", or a value of type i64
  unsigned align = 1;       ///< alignment that the tile relies on
  bool stores = false;
};

/// A check in front of each access would put calls into each loop. This class finds the
/// accesses that one check in front of a loop covers: accesses whose address grows by a constant
/// amount in each turn, in a loop whose number of turns is known before it begins. As long as this
/// check finds no error, the loop runs without other checks.
class RangeChecks {
public:
  /// Keeps a reference to \p function.
  explicit RangeChecks(const llvm_text::Function &function);

  /// Tells that \p instruction may load and is not part of a loop's check. Stores of its loop are
  /// then not checked in front of the loop, because the check counts them as done. Must be called
  /// before guardOf() gets the first store.
  void loadsByItself(std::size_t instruction);

  /// Adds an access to the check of its loop.
  /// \param access  an access of a known number of bytes
  /// \returns a value of type i1 that says if the check covers the access; empty if no check can
  std::string guardOf(const Access &access, std::size_t instruction);

  /// Adds the checks to \p insertions, by the place of the instruction that they precede.
  void addTo(std::map<std::size_t, std::string> &insertions) const;

private:
  /// A loop that has a check.
  struct Counted {
    std::string_view counter;  ///< the value of type i64 that grows by 1
    std::string start, bound;  ///< first value of the counter, and the value that no turn has
    bool maySeeStores = false; ///< some instruction loads and is not part of the check
    std::size_t body = 0;      ///< the block that each turn executes once
    std::size_t entry = 0;     ///< the instruction that enters the loop
    const llvm_text::Loop *loop = nullptr;
    std::string name; ///< prefix of the names of its values
    std::string text; ///< instructions that compute addresses
    /// The arguments of each access's check, without the number of turns.
    std::vector<std::string> arguments;
    std::vector<unsigned> flags;
  };

  std::optional<Counted> countedLoop(const llvm_text::Loop &loop, std::size_t number) const;
  std::optional<std::size_t> entryOf(const llvm_text::Loop &loop) const;
  std::optional<std::string> atTurn(std::string_view value, const std::string &turn, Counted &loop,
                                    std::string &text) const;

  const llvm_text::Function &function_;
  const llvm_text::Loops loops_;
  std::map<std::size_t, Counted> counted_; ///< by body
  mutable unsigned names_ = 0;
};

} // namespace copse::popc
