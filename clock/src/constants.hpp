#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace copse::clock {

/// A misspelt key in a configuration file must not be ignored silently. Constants reads the entries
/// of one file by name and remembers which names were read, so that refuseTheRest() finds entries
/// that the reader does not know. A constant is an object with value, unit and source. Errors are
/// std::invalid_argument; they name the line if the file's text is known.
class Constants {
public:
  /// Keeps references to \p file and \p text.
  /// \param text  from which \p file was parsed; if empty, errors name no line
  /// \param what  describes an entry in messages, for example "a constant of the modelled clock"
  Constants(const nlohmann::json &file, const std::string &text, std::string what);

  bool has(const std::string &key) const { return file_.contains(key); }
  std::string text(const std::string &key);
  const nlohmann::json &part(const std::string &key) { return find(key); }

  void read(const std::string &key, double &to);
  /// Reads a delay, which may be 0; read() refuses 0 because a rate is a divisor.
  void readZeroOrMore(const std::string &key, double &to);
  void read(const std::string &key, std::uint32_t &to);
  void readAtLeastOne(const std::string &key, std::uint32_t &to);

  /// Throws if the file has an entry that was not read.
  void refuseTheRest() const;
  /// Throws an error that says why the entry \p key is wrong.
  [[noreturn]] void refuse(const std::string &key, const std::string &why) const;

private:
  const nlohmann::json &find(const std::string &key);
  double number(const std::string &key);

  const nlohmann::json &file_;
  const std::string &text_;
  std::string what_;
  std::set<std::string> known_;
};

} // namespace copse::clock
