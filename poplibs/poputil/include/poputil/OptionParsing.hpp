#pragma once

#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <map>
#include <poplar/OptionFlags.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/exceptions.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

// How the libraries read their options; their texts of errors are the same everywhere.
namespace poplibs {

/// Takes the text of one option's value.
/// \throws poplar::invalid_option
class OptionHandler {
public:
  using Parse = std::function<void(poplar::StringRef)>;
  explicit OptionHandler(Parse parse) : parse_(std::move(parse)) {}
  void parseValue(poplar::StringRef value) const { parse_(value); }

  /// One of a few words.
  template <typename T>
  static OptionHandler createWithEnum(T &output, const std::map<std::string, T> &values) {
    return OptionHandler([&output, values](poplar::StringRef text) {
      const auto found = values.find(text.cloneAsString());
      if (found == values.end()) {
        std::string all;
        for (const auto &value : values)
          all += (all.empty() ? "" : ", ") + value.first;
        throw poplar::invalid_option("Not one of the values: " + all);
      }
      output = found->second;
    });
  }
  static OptionHandler createWithBool(bool &output) {
    return createWithEnum(output, {{"true", true}, {"false", false}});
  }
  /// Decimal, or hexadecimal with 0x.
  template <typename T> static OptionHandler createWithInteger(T &output) {
    return OptionHandler([&output](poplar::StringRef text) {
      const std::string digits = text.cloneAsString();
      std::size_t used = 0;
      long long value = 0;
      try {
        value = std::stoll(digits, &used, 0);
      } catch (const std::logic_error &) {
        used = 0;
      }
      if (digits.empty() || used != digits.size() ||
          static_cast<long long>(static_cast<T>(value)) != value ||
          (value < 0) != (static_cast<T>(value) < T(0)))
        throw poplar::invalid_option("Not a valid integer");
      output = static_cast<T>(value);
    });
  }
  static OptionHandler createWithDouble(double &output) {
    return OptionHandler([&output](poplar::StringRef text) {
      const std::string digits = text.cloneAsString();
      char *end = nullptr;
      const double value = std::strtod(digits.c_str(), &end);
      if (digits.empty() || *end != '\0')
        throw poplar::invalid_option("Not a valid number");
      output = value;
    });
  }
  /// For the parser of an option with limits.
  /// \throws poplar::invalid_option if \p value is less than \p lower or greater than \p upper, or
  ///         equal to one that does not belong to the range
  template <typename T>
  static void ensureValueIsWithinBounds(T value, const T &lower, bool lowerIsIncluded,
                                        const T &upper, bool upperIsIncluded) {
    const bool above = lowerIsIncluded ? value >= lower : value > lower;
    const bool below = upperIsIncluded ? value <= upper : value < upper;
    if (above && below)
      return;
    std::ostringstream range;
    range << value << " is not within " << (lowerIsIncluded ? '[' : '(') << lower << ", " << upper
          << (upperIsIncluded ? ']' : ')');
    throw poplar::invalid_option(range.str());
  }
  static OptionHandler createWithString(std::string &output) {
    return OptionHandler([&output](poplar::StringRef text) { output = text.cloneAsString(); });
  }
  /// Values of \p element, with commas between them.
  template <typename T>
  static OptionHandler createWithList(std::vector<T> &output,
                                      std::function<T(const std::string &)> element) {
    return OptionHandler([&output, element](poplar::StringRef text) {
      std::vector<T> values;
      std::istringstream in(text.cloneAsString());
      for (std::string item; std::getline(in, item, ',');)
        values.push_back(element(item));
      output = values;
    });
  }

private:
  Parse parse_;
};

/// The options that a function knows.
class OptionSpec {
public:
  using value_type = std::pair<const std::string, OptionHandler>;
  OptionSpec(std::initializer_list<value_type> options) : handlers_(options) {}

  /// \throws poplar::invalid_option: `Unrecognised option '...'` with the options that there are,
  /// `Invalid value '...' for option '...': ...`
  void parse(poplar::StringRef option, poplar::StringRef value, bool ignoreUnknown = false) const {
    const auto found = handlers_.find(option.cloneAsString());
    if (found == handlers_.end()) {
      if (ignoreUnknown)
        return;
      throw poplar::invalid_option(describeUnknown(option.cloneAsString()));
    }
    try {
      found->second.parseValue(value);
    } catch (const poplar::invalid_option &e) {
      throw poplar::invalid_option("Invalid value '" + value.cloneAsString() + "' for option '" +
                                   option.cloneAsString() + "': " + e.what());
    }
  }
  /// All of \p flags.
  void parse(const poplar::OptionFlags &flags, bool ignoreUnknown = false) const {
    for (const auto &flag : flags)
      parse(flag.first, flag.second, ignoreUnknown);
  }

private:
  std::string describeUnknown(const std::string &option) const;

  std::map<std::string, OptionHandler> handlers_;
};

} // namespace poplibs
