#pragma once

#include <string>
#include <string_view>

namespace copse::popc {

/// `copse check` has to compare each access to tile memory with the fields of the vertex. Returns
/// LLVM's text of a module in which a call of wire::kCheckAccessSymbol precedes each load and store
/// that may access tile memory. The call also gives the access's place in the source. The module's
/// results and the cycles that it counts stay unchanged.
/// \param module   simplified, with line tables, and with its cycles already counted, so that the
///   inserted code costs none
/// \param headers  folder of the device headers: an access in one of them is attributed to the
///   calling code
std::string withAccessChecks(const std::string &module, std::string_view headers);

} // namespace copse::popc
