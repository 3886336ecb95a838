#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

namespace poplar {

class DebugInfo;
/// The number of a DebugInfo; 0 is none.
using DebugId = std::uint64_t;
/// Hands down a name and its place, so that a library can give its parts names. Paths are
/// components joined by '/'; an empty component adds nothing.
class DebugNameAndId {
public:
  ///@{

  /// Makes a name, by default an empty one.
  /// - \p parentId: the DebugInfo above; default none
  /// - \p parentPath: the path above; default none
  DebugNameAndId(std::string name = "", DebugId parentId = {}, std::string parentPath = "");
  DebugNameAndId(const char *name);
  DebugNameAndId(DebugId parentId);
  ///@}

  ///@{

  /// Makes the name \p name below \p parent.
  DebugNameAndId(const DebugInfo &parent, std::string name = "");
  DebugNameAndId(const DebugNameAndId &parent, std::string name);
  ///@}

  ///@{

  /// Copies or moves the name.
  DebugNameAndId(const DebugNameAndId &) = default;
  DebugNameAndId(DebugNameAndId &&) = default;
  DebugNameAndId &operator=(const DebugNameAndId &) = default;
  DebugNameAndId &operator=(DebugNameAndId &&) = default;
  ///@}

  /// Returns the name alone.
  std::string getName() const { return name_; }
  /// Returns the parent's path and the name.
  std::string getPathName() const;
  /// Returns the path above the name.
  std::string getParentPath() const { return parentPath_; }
  /// Returns the id of the DebugInfo above; 0 if there is none.
  DebugId getParentId() const { return parentId_; }

private:
  std::string name_, parentPath_;
  DebugId parentId_;
};

/// Writes the whole path.
std::ostream &operator<<(std::ostream &out, const DebugNameAndId &name);

} // namespace poplar
