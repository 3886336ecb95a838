#pragma once

#include <gcl/CollectiveTypes.hpp>
#include <poplar/Type.hpp>
#include <string>

namespace gcl {

/// \throws poputil::poplibs_error  which names the function
[[noreturn]] void refuse(const char *function, const std::string &why);

/// \throws poputil::poplibs_error if \p op does not reduce elements of \p type
void checkReduces(const char *function, CollectiveOperator op, const poplar::Type &type);

} // namespace gcl
