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

/// Passes options by name: both names and values are text. The function that takes the flags checks
/// them and throws invalid_option for unknown ones. Iterates in the order of the names.
///
/// \code
/// OptionFlags options{{"debug.instrument", "true"}, {"availableMemoryProportion", "0.3"}};
/// \endcode
class OptionFlags {
public:
  /// A name and its value.
  using OptionFlag = std::pair<const std::string, std::string>;
  /// A braced list of options.
  using initializer_list = std::initializer_list<OptionFlag>;
  /// The type that iterators point to.
  using value_type = OptionFlag;
  /// Reads the options in the order of their names.
  using iterator = std::map<std::string, std::string>::const_iterator;
  /// Equals iterator.
  using const_iterator = iterator;

  /// Makes flags without options.
  OptionFlags() = default;
  /// Makes flags with these options.
  OptionFlags(initializer_list flags) { set(flags); }
  /// Replaces all options.
  OptionFlags &operator=(initializer_list flags) {
    flags_.clear();
    set(flags);
    return *this;
  }

  ///@{

  /// Adds options, or replaces their values.
  void set(StringRef option, StringRef value) { flags_[option] = value.cloneAsString(); }
  void set(initializer_list flags) {
    for (const OptionFlag &flag : flags)
      flags_[flag.first] = flag.second;
  }
  ///@}

  /// Returns the value of an option, valid until it is changed.
  /// \throws std::out_of_range if \p option is not set
  StringRef at(StringRef option) const;
  /// Finds an option; end() if it is not set.
  iterator find(StringRef option) const { return flags_.find(option); }

  /// Returns the number of options.
  std::size_t size() const { return flags_.size(); }
  /// Removes all options.
  void clear() { flags_.clear(); }
  /// Returns the first option.
  iterator begin() const { return flags_.begin(); }
  /// Returns the position behind the last option.
  iterator end() const { return flags_.end(); }

  ///@{

  /// Compares names and values.
  friend bool operator==(const OptionFlags &a, const OptionFlags &b) {
    return a.flags_ == b.flags_;
  }
  friend bool operator!=(const OptionFlags &a, const OptionFlags &b) { return !(a == b); }
  ///@}

private:
  std::map<std::string, std::string> flags_;
};

///@{

/// Sets the options of a flat JSON object, `{"name": "value"}`; numbers and booleans become their
/// text.
/// \throws parse_error, and leaves \p flags as they were, if the text is something else
void readJSON(StringRef json, OptionFlags &flags);
void readJSON(std::istream &json, OptionFlags &flags);
///@}

/// Sets the options of a JSON object in an environment variable; none is set if there is no such
/// variable.
/// \throws parse_error that names the variable
void readJSONFromEnv(StringRef variable, OptionFlags &flags);

/// Returns the options as a map of name to value.
ProfileValue getAsProfileValue(const OptionFlags &flags);

/// Writes the options as JSON.
std::ostream &operator<<(std::ostream &out, const OptionFlags &flags);

} // namespace poplar
