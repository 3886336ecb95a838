#pragma once

#include <string>
#include <string_view>

namespace copse::popc {

/// LLVM's text of a module in which a call of wire::kCheckAccessSymbol stands in front of each load and store that
/// may be of tile memory: what `copse check` holds against the fields of the vertex. A call says where in the source
/// the access comes from. What the module computes, and the cycles that it counts, stay the same.
/// \param module   simplified, with line tables, and with its cycles counted: what is inserted must not cost any
/// \param headers  folder of the device headers: an access in one of them is attributed to the code that called it
std::string withAccessChecks(const std::string &module, std::string_view headers);

} // namespace copse::popc
