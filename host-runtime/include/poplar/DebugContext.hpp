#pragma once

#include "poplar/DebugNameAndId.hpp"
#include "poplar/ProfileValue.hpp"
#include "poplar/SourceLocation.hpp"
#include "poplar/StringRef.hpp"

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace copse {
namespace types {
class DebugRecord; // the values that a DebugInfo writes
}
} // namespace copse

namespace poplar {

class DebugInfo;

/// Names the object that a call makes, and the caller, for messages and profiles. A DebugContext is
/// the last parameter of nearly every function; a literal, a string, a DebugInfo, `{info, "name"}`
/// or `{context, "name"}` converts to it.
class DebugContext {
  /// Accepts contexts only, so that `{"a", location}` is never taken for a context of contexts.
  template <typename T>
  using IfContext = typename std::enable_if<std::is_same<T, DebugContext>::value>::type;

public:
  ///@{

  /// Makes a context with a name, by default without one.
  /// - \p location: default: the place of the call
  DebugContext(SourceLocation location = SourceLocation::Current());
  DebugContext(const char *name, SourceLocation location = SourceLocation::Current());
  DebugContext(StringRef name, SourceLocation location = SourceLocation::Current());
  DebugContext(std::string name, SourceLocation location = SourceLocation::Current());
  ///@}

  ///@{

  /// Makes the context \p name below \p parent: its path is "parent/name".
  DebugContext(const DebugInfo &parent, std::string name = "",
               SourceLocation location = SourceLocation::Current());
  DebugContext(const DebugNameAndId &parent, std::string name = "",
               SourceLocation location = SourceLocation::Current());
  template <typename T, typename = IfContext<T>>
  DebugContext(const T &parent, std::string name,
               SourceLocation location = SourceLocation::Current())
      : DebugContext(DebugNameAndId(std::move(name), parent.parentId_, parent.path_), "",
                     location) {}
  ///@}

  ///@{

  /// Copies or moves the context.
  DebugContext(const DebugContext &) = default;
  DebugContext(DebugContext &&) = default;
  DebugContext &operator=(const DebugContext &) = default;
  DebugContext &operator=(DebugContext &&) = default;
  ///@}

  /// Returns the whole path: components joined by '/', without empty ones.
  std::string getPathName() const { return path_; }
  /// Returns the place in the program that made the context.
  SourceLocation getLocation() const { return location_; }
  /// Returns the id of the parent DebugInfo; 0 if there is none.
  DebugId getParentId() const { return parentId_; }

private:
  std::string path_;
  DebugId parentId_ = 0;
  SourceLocation location_;
};

/// Writes the path.
std::ostream &operator<<(std::ostream &out, const DebugContext &context);

/// The format of debug files.
enum class DebugSerializationFormat { JSON, CBOR };

/// Records one API call for the debug file. A DebugInfo lives as long as the call. The destructor
/// writes its context, or closeStreamer() if that is called first. Without a streamer it only
/// carries an id and a path.
///
/// Libraries derive from it.  Thread: one at a time for each object.
class DebugInfo {
public:
  /// Begins a record.
  /// \param layer  the library or part that makes it, such as "popops"
  DebugInfo(const DebugContext &debugContext, std::string layer);

  ///@{

  /// Records are not copied.
  DebugInfo(const DebugInfo &) = delete;
  DebugInfo &operator=(const DebugInfo &) = delete;
  ///@}

  /// Writes the record.
  virtual ~DebugInfo();

  /// Returns the record's number, unique in the process.
  DebugId getId() const { return id_; }
  /// Returns the path of the context.
  std::string getPathName() const { return path_; }

  /// Records a member of the context; a later value of the same name replaces it.
  /// \returns false if nothing is recorded: no streamer was open when this object was made, or the
  ///   streamer is closed
  bool setValue(std::string name, const ProfileValue &value);

  /// Starts a new debug file for the objects that are made from now on; closes the one before.
  /// \param format  default CBOR
  /// \throws file_load_error if the file cannot be written
  static void
  initializeStreamer(const std::string &fileName,
                     const DebugSerializationFormat &format = DebugSerializationFormat::CBOR);
  /// Completes the file. Does nothing if there is none.
  static void closeStreamer();

private:
  DebugId id_;
  std::string path_;
  std::shared_ptr<copse::types::DebugRecord> record_; // only there while a streamer is open
};

} // namespace poplar
