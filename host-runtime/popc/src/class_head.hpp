#pragma once

#include <clang-c/Index.h>
#include <string>
#include <vector>

namespace copse::popc {

/// The text of a class definition before its `{`. libclang tells neither the base classes of an
/// instantiation nor attributes that clang does not know, so popc reads them here.
struct ClassHead {
  std::string templateHead;             ///< "template <class T, bool B = true>"; "" if it is none
  std::string arguments;                ///< "<T *, true>" for a specialisation
  std::vector<std::string> bases;       ///< in order, without access and virtual
  std::vector<std::string> constraints; ///< texts of [[poplar::constraint(...)]] (guide, 3.2.2)
  bool isFromMacro = false; ///< written by a macro, so that some words are the macro's parameters
};

/// Reads the text of a class's definition.
/// \param declaration  a class, a class template or a partial specialisation
ClassHead readClassHead(CXCursor declaration);

} // namespace copse::popc
