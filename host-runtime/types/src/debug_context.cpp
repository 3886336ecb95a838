#include "debug_path.hpp"

#include "poplar/DebugContext.hpp"

#include <ostream>
#include <utility>

namespace poplar {

using copse::types::joinPath;

DebugNameAndId::DebugNameAndId(std::string name, DebugId parentId, std::string parentPath)
    : name_(std::move(name)), parentPath_(std::move(parentPath)), parentId_(parentId) {}
DebugNameAndId::DebugNameAndId(const char *name) : DebugNameAndId(std::string(name)) {}
DebugNameAndId::DebugNameAndId(DebugId parentId) : DebugNameAndId(std::string(), parentId) {}
DebugNameAndId::DebugNameAndId(const DebugInfo &parent, std::string name)
    : DebugNameAndId(std::move(name), parent.getId(), parent.getPathName()) {}
DebugNameAndId::DebugNameAndId(const DebugNameAndId &parent, std::string name)
    : DebugNameAndId(std::move(name), parent.getParentId(), parent.getPathName()) {}

std::string DebugNameAndId::getPathName() const { return joinPath(parentPath_, name_); }

DebugContext::DebugContext(SourceLocation location) : location_(location) {}
DebugContext::DebugContext(const char *name, SourceLocation location)
    : path_(name ? name : ""), location_(location) {}
DebugContext::DebugContext(StringRef name, SourceLocation location)
    : path_(name.cloneAsString()), location_(location) {}
DebugContext::DebugContext(std::string name, SourceLocation location)
    : path_(std::move(name)), location_(location) {}
DebugContext::DebugContext(const DebugInfo &parent, std::string name, SourceLocation location)
    : path_(joinPath(parent.getPathName(), name)), parentId_(parent.getId()), location_(location) {}
DebugContext::DebugContext(const DebugNameAndId &parent, std::string name, SourceLocation location)
    : path_(joinPath(parent.getPathName(), name)), parentId_(parent.getParentId()),
      location_(location) {}

std::ostream &operator<<(std::ostream &out, const DebugNameAndId &name) {
  return out << name.getPathName();
}
std::ostream &operator<<(std::ostream &out, const DebugContext &context) {
  return out << context.getPathName();
}

} // namespace poplar
