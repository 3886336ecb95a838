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

/// The parser of the libraries' options, with the same texts of errors everywhere.
namespace poplibs {

/// Takes the text of one option's value and sets a variable. The variable must live as long as the
/// handler.
///
/// \code
/// const OptionSpec spec{{"partialsType", OptionHandler::createWithEnum(type, names)}};
/// spec.parse(options);
/// \endcode
class OptionHandler {
public:
  /// Parses a text, or throws poplar::invalid_option.
  using Parse = std::function<void(poplar::StringRef)>;
  /// Makes a handler of a function.
  explicit OptionHandler(Parse parse) : parse_(std::move(parse)) {}
  /// Sets the variable.
  /// \throws poplar::invalid_option if the text is not one of the values
  void parseValue(poplar::StringRef value) const { parse_(value); }

  /// Makes a handler for one of a few words.
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
  /// Makes a handler for "true" or "false".
  static OptionHandler createWithBool(bool &output) {
    return createWithEnum(output, {{"true", true}, {"false", false}});
  }
  /// Makes a handler for an integer, decimal or hexadecimal with 0x.
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
  /// Makes a handler for a number.
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
  /// Checks a limit in the parser of an option.
  /// \throws poplar::invalid_option if \p value is less than \p lower or greater than \p upper, or
  ///   equal to a limit that does not belong to the range
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
  /// Makes a handler for any text.
  static OptionHandler createWithString(std::string &output) {
    return OptionHandler([&output](poplar::StringRef text) { output = text.cloneAsString(); });
  }
  /// Makes a handler for values of \p element, with commas between them.
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

/// Lists the options that a function knows.
class OptionSpec {
public:
  /// The name of an option, and its handler.
  using value_type = std::pair<const std::string, OptionHandler>;
  ///@{

  /// Makes a list of options.
  /// - \p function: the name that errors begin with; default: none
  OptionSpec(std::initializer_list<value_type> options) : handlers_(options) {}
  OptionSpec(std::string function, std::initializer_list<value_type> options)
      : function_(std::move(function)), handlers_(options) {}
  ///@}

  ///@{

  /// Reads one option, or all of \p flags.
  /// - \p ignoreUnknown: default false; true: unknown options are ignored
  /// \throws poplar::invalid_option if an option is unknown, with a list of the known ones, or if
  ///   its value is wrong
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
      throw poplar::invalid_option(prefix() + "Invalid value '" + value.cloneAsString() +
                                   "' for option '" + option.cloneAsString() + "': " + e.what());
    }
  }
  void parse(const poplar::OptionFlags &flags, bool ignoreUnknown = false) const {
    for (const auto &flag : flags)
      parse(flag.first, flag.second, ignoreUnknown);
  }
  ///@}

private:
  std::string describeUnknown(const std::string &option) const;

  std::string prefix() const { return function_.empty() ? "" : function_ + ": "; }

  std::string function_;
  std::map<std::string, OptionHandler> handlers_;
};

} // namespace poplibs
