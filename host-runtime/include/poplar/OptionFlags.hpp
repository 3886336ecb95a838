#pragma once

#include "poplar/StringRef.hpp"

#include <cstddef>
#include <initializer_list>
#include <iosfwd>
#include <map>
#include <string>
#include <utility>

namespace poplar {

class ProfileValue;

/// Options by name: both names and values are text. Whoever consumes the flags checks them and
/// throws invalid_option. Iterates in the order of the names.
class OptionFlags {
public:
  using OptionFlag = std::pair<const std::string, std::string>;
  using initializer_list = std::initializer_list<OptionFlag>;
  using value_type = OptionFlag;
  using iterator = std::map<std::string, std::string>::const_iterator;
  using const_iterator = iterator;

  OptionFlags() = default;
  OptionFlags(initializer_list flags) { set(flags); }
  OptionFlags &operator=(initializer_list flags) {
    flags_.clear();
    set(flags);
    return *this;
  }

  /// Adds an option, or replaces its value.
  void set(StringRef option, StringRef value) { flags_[option] = value.cloneAsString(); }
  void set(initializer_list flags) {
    for (const OptionFlag &flag : flags)
      flags_[flag.first] = flag.second;
  }

  /// \throws std::out_of_range if \p option is not set
  StringRef at(StringRef option) const;
  /// end() if \p option is not set
  iterator find(StringRef option) const { return flags_.find(option); }

  std::size_t size() const { return flags_.size(); }
  void clear() { flags_.clear(); }
  iterator begin() const { return flags_.begin(); }
  iterator end() const { return flags_.end(); }

  friend bool operator==(const OptionFlags &a, const OptionFlags &b) {
    return a.flags_ == b.flags_;
  }
  friend bool operator!=(const OptionFlags &a, const OptionFlags &b) { return !(a == b); }

private:
  std::map<std::string, std::string> flags_;
};

/// Sets the options of a flat JSON object, `{"name": "value"}`; numbers and booleans become their
/// text.
/// \throws parse_error, and leaves \p flags as they were
void readJSON(StringRef json, OptionFlags &flags);
void readJSON(std::istream &json, OptionFlags &flags);
/// The same of an environment variable; none is set if there is no such variable.
/// \throws parse_error that names the variable
void readJSONFromEnv(StringRef variable, OptionFlags &flags);

/// A map of name to value.
ProfileValue getAsProfileValue(const OptionFlags &flags);

/// As JSON.
std::ostream &operator<<(std::ostream &out, const OptionFlags &flags);

} // namespace poplar
