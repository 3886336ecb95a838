#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Type.h>
#include <string>

namespace copse::popc {

/// Returns the name of a class of namespace poplar ("Input"), or "" for any other type.
std::string poplarClass(clang::QualType type);

/// Returns clang's spelling of a type.
std::string spellingOf(clang::QualType type, const clang::ASTContext &ast);

/// Returns the full name of a type: "ns::X<float, true, ns::Mode::A>". It has all template
/// arguments, including defaults, and qualified types and enumerators, so that C++ code at global
/// scope can use it. (Clang spells enumerators without their scope in some places.)
/// \param type  canonical
std::string fullTypeName(clang::QualType type, const clang::ASTContext &ast);

} // namespace copse::popc
