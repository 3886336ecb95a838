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

/// One access, or one of the two of a copy.
struct Access {
  std::string_view pointer; ///< "%7"
  std::string bytes;        ///< "4", or a value of type i64
  unsigned align = 1;       ///< that the tile relies on
  bool stores = false;
};

/// Accesses of one function that one check in front of a loop covers: those whose address grows by the same amount in each
/// turn of a loop whose number of turns is known before the first one. While that check has found nothing, the loop needs
/// no others, so that it stays a loop without calls.
class RangeChecks {
public:
  /// Keeps a reference to \p function.
  explicit RangeChecks(const llvm_text::Function &function);

  /// Tells of what may load and has a check of its own, or none: stores of its loop are then not checked before the loop, as
  /// they count as done from that check on. Before the first store is given to guardOf().
  void loadsByItself(std::size_t instruction);

  /// Takes an access into the check of its loop.
  /// \param access  of a known number of bytes
  /// \returns a value of type i1: whether that check covers it; empty if there is none
  std::string guardOf(const Access &access, std::size_t instruction);

  /// Adds the checks, by where the instructions begin that they stand in front of.
  void addTo(std::map<std::size_t, std::string> &insertions) const;

private:
  /// A loop that has a check.
  struct Counted {
    std::string_view counter;  ///< grows by 1, of type i64
    std::string start, bound;  ///< of the counter; the bound is no turn's
    bool maySeeStores = false; ///< something in it loads and is not part of the check
    std::size_t body = 0;      ///< the block that each turn runs once
    std::size_t entry = 0;     ///< the instruction that goes to the loop
    const llvm_text::Loop *loop = nullptr;
    std::string name;                   ///< the front of the names of its values
    std::string text;                   ///< computes addresses
    std::vector<std::string> arguments; ///< of the check of each access, less the number of turns
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
