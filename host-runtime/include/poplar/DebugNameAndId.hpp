#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

namespace poplar {

class DebugInfo;

/// Number of a DebugInfo; 0 is none.
using DebugId = std::uint64_t;

/// A name and where it belongs: what a library hands down to give parts of itself names.
/// Paths are components joined by '/'; an empty component adds nothing.
class DebugNameAndId {
public:
  DebugNameAndId(std::string name = "", DebugId parentId = {}, std::string parentPath = "");
  DebugNameAndId(const char *name);
  DebugNameAndId(DebugId parentId);
  /// \p name below \p parent.
  DebugNameAndId(const DebugInfo &parent, std::string name = "");
  DebugNameAndId(const DebugNameAndId &parent, std::string name);
  DebugNameAndId(const DebugNameAndId &) = default;
  DebugNameAndId(DebugNameAndId &&) = default;
  DebugNameAndId &operator=(const DebugNameAndId &) = default;
  DebugNameAndId &operator=(DebugNameAndId &&) = default;

  std::string getName() const { return name_; }
  /// The parent's path and the name.
  std::string getPathName() const;
  std::string getParentPath() const { return parentPath_; }
  DebugId getParentId() const { return parentId_; }

private:
  std::string name_, parentPath_;
  DebugId parentId_;
};

/// The whole path.
std::ostream &operator<<(std::ostream &out, const DebugNameAndId &name);

} // namespace poplar
