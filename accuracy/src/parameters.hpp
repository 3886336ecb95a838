#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>

namespace copse::accuracy {

/// The parameters of a figure's program. A program must read all of them.
class Parameters {
public:
  explicit Parameters(const nlohmann::json &values) : values_(values) {}

  template <class T> T get(const std::string &name) const {
    read_.insert(name);
    const auto found = values_.find(name);
    if (found == values_.end())
      throw std::runtime_error("parameter '" + name + "' is missing");
    return found->get<T>();
  }
  template <class T> T get(const std::string &name, const T &otherwise) const {
    read_.insert(name);
    return values_.value(name, otherwise);
  }
  void refuseTheRest() const {
    for (const auto &entry : values_.items())
      if (!read_.contains(entry.key()))
        throw std::runtime_error("the program has no parameter '" + entry.key() + "'");
  }

private:
  const nlohmann::json &values_;
  mutable std::set<std::string> read_;
};

} // namespace copse::accuracy
