#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace copse::clock {

/// Takes the constants of one file out by name, and knows which names nobody asked for. A constant
/// is an object of value, unit and source. Errors are std::invalid_argument and name the line, if
/// the text is known.
class Constants {
public:
  /// Keeps references to its arguments.
  /// \param text  from which \p file was read; empty: errors name no line
  /// \param what  the file's entries are, for messages: "a constant of the modelled clock"
  Constants(const nlohmann::json &file, const std::string &text, std::string what);

  bool has(const std::string &key) const { return file_.contains(key); }
  std::string text(const std::string &key);
  const nlohmann::json &part(const std::string &key) { return find(key); }

  void read(const std::string &key, double &to);
  /// For a delay, which a model may leave out; a rate would divide by it.
  void readZeroOrMore(const std::string &key, double &to);
  void read(const std::string &key, std::uint32_t &to);
  void readAtLeastOne(const std::string &key, std::uint32_t &to);

  /// Throws if an entry of the file has not been read.
  void refuseTheRest() const;
  /// Throws that the entry \p key is wrong.
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
