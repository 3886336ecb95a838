#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

namespace poplar {

class DebugInfo;
/// The number of a DebugInfo; 0 is none.
using DebugId = std::uint64_t;
/// Passes a name and the path of its parent to a library, so that the library can name its parts.
/// Paths are components joined by '/'; an empty component adds nothing.
class DebugNameAndId {
public:
  ///@{

  /// Makes a name, by default an empty one.
  /// - \p parentId: id of the parent DebugInfo; default none
  /// - \p parentPath: path of the parent; default none
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
  /// Returns the path of the parent.
  std::string getParentPath() const { return parentPath_; }
  /// Returns the id of the parent DebugInfo; 0 if there is none.
  DebugId getParentId() const { return parentId_; }

private:
  std::string name_, parentPath_;
  DebugId parentId_;
};

/// Writes the whole path.
std::ostream &operator<<(std::ostream &out, const DebugNameAndId &name);

} // namespace poplar
