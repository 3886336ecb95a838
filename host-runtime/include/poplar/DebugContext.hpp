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
class DebugRecord; // what a DebugInfo wants to have written
}
} // namespace copse

namespace poplar {

class DebugInfo;

/// The name of the object that a call makes, and the caller. Nearly every function takes one last;
/// a literal, a string, a DebugInfo, `{info, "name"}` or `{context, "name"}` converts to
/// it.
class DebugContext {
  /// Accepts contexts only: `{"a", location}` should never become a context of contexts.
  template <typename T>
  using IfContext = typename std::enable_if<std::is_same<T, DebugContext>::value>::type;

public:
  DebugContext(SourceLocation location = SourceLocation::Current());
  DebugContext(const char *name, SourceLocation location = SourceLocation::Current());
  DebugContext(StringRef name, SourceLocation location = SourceLocation::Current());
  DebugContext(std::string name, SourceLocation location = SourceLocation::Current());
  /// \p name below \p parent.
  DebugContext(const DebugInfo &parent, std::string name = "",
               SourceLocation location = SourceLocation::Current());
  DebugContext(const DebugNameAndId &parent, std::string name = "",
               SourceLocation location = SourceLocation::Current());
  template <typename T, typename = IfContext<T>>
  DebugContext(const T &parent, std::string name,
               SourceLocation location = SourceLocation::Current())
      : DebugContext(DebugNameAndId(std::move(name), parent.parentId_, parent.path_), "",
                     location) {}
  DebugContext(const DebugContext &) = default;
  DebugContext(DebugContext &&) = default;
  DebugContext &operator=(const DebugContext &) = default;
  DebugContext &operator=(DebugContext &&) = default;

  /// The whole path: components joined by '/', without empty ones.
  std::string getPathName() const { return path_; }
  SourceLocation getLocation() const { return location_; }
  DebugId getParentId() const { return parentId_; }

private:
  std::string path_;
  DebugId parentId_ = 0;
  SourceLocation location_;
};

/// The path.
std::ostream &operator<<(std::ostream &out, const DebugContext &context);

enum class DebugSerializationFormat { JSON, CBOR };

/// The record of one API call, for the debug file. It lives as long as the call. The destructor
/// writes its context, or closeStreamer() if that is called first. Without a streamer it only
/// carries an id and a path.
///
/// Libraries derive from it. Thread: one at a time for each object.
class DebugInfo {
public:
  DebugInfo(const DebugContext &debugContext, std::string layer);
  DebugInfo(const DebugInfo &) = delete;
  DebugInfo &operator=(const DebugInfo &) = delete;
  virtual ~DebugInfo();

  DebugId getId() const { return id_; }
  std::string getPathName() const { return path_; }

  /// Records a member of the context; a later value of the same name replaces it.
  /// \returns false if nothing records: no streamer was open when this object was made, or it is
  /// closed
  bool setValue(std::string name, const ProfileValue &value);

  /// Starts a new debug file for the objects that are made from now on; closes the one before.
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
