#pragma once

#include "wire/image.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace copse::engine {

/// Data decide branches and loops, and a run without execution has no data. A run without execution
/// assumes the outcomes in this list: `KIND=VALUE` or `KIND:NAME=VALUE`, separated by commas:
///
///   - `if=true`, `if=false`  the branch that is taken
///   - `switch=3`, `switch=default`  the case
///   - `while=10`  the turns of a RepeatWhileTrue or RepeatWhileFalse
///
/// NAME is the debug name of the program element, in which * stands for any characters, or the
/// number of its step. An assumption with a name takes precedence over one without; of others, the
/// last one holds.
class Assumptions {
public:
  Assumptions() = default;
  /// \throws std::invalid_argument naming the entry that is wrong
  explicit Assumptions(const std::string &text);
  /// Reads $COPSE_ASSUME.
  /// \throws poplar::no_environment
  static Assumptions ofEnvironment();

  /// Returns what replaces the data at a step of \p image: 1 or 0 for an If, the value of a Switch,
  /// the turns of a While; nothing if there is no assumption.
  std::optional<std::uint32_t> at(const wire::Image &image, std::uint32_t step) const;

  /// Returns an assumption about a step, as an example for messages.
  static std::string exampleFor(const wire::Image &image, std::uint32_t step);

private:
  struct Entry {
    wire::Op op = wire::Op::If;
    std::string name;                   ///< empty: all elements of this kind
    std::optional<std::uint32_t> value; ///< nothing: the default of a Switch
  };
  static Entry entryOf(const std::string &text);
  const Entry *entryFor(const wire::Image &image, std::uint32_t step) const;

  std::vector<Entry> entries_;
};

} // namespace copse::engine
