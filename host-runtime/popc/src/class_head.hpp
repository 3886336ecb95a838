#pragma once

#include <clang-c/Index.h>
#include <string>
#include <vector>

namespace copse::popc {

/// What stands in the source before a class's `{`, as text: libclang tells neither the base classes
/// of an instantiation nor attributes that clang does not know.
struct ClassHead {
  std::string templateHead;       ///< "template <class T, bool B = true>"; "" if it is no template
  std::string arguments;          ///< "<T *, true>" of a specialisation
  std::vector<std::string> bases; ///< in order, without access and virtual
  std::vector<std::string> constraints; ///< of [[poplar::constraint(...)]]  (guide, 3.2.2)
  bool isFromMacro = false; ///< by a macro, whose parameters stand for some of the words
};

/// \param declaration  of a class, a class template or a partial specialisation
ClassHead readClassHead(CXCursor declaration);

} // namespace copse::popc
