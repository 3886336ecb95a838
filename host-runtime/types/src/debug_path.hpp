#pragma once

#include <string>
#include <string_view>

namespace copse::types {

/// Joins two parts of a debug path by '/'; an empty part adds nothing.
inline std::string joinPath(std::string_view parent, std::string_view name) {
  std::string path;
  path.reserve(parent.size() + name.size() + 1);
  path.append(parent);
  if (!parent.empty() && !name.empty())
    path.push_back('/');
  return path.append(name);
}

} // namespace copse::types
