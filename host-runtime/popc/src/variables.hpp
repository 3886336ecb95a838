#pragma once

#include <string>
#include <string_view>

namespace copse::popc {

/// What a module's variables outside of vertices say to the user. On the chip there is one of each on
/// every tile; here there is one for all tiles and threads of a process.
struct VariableMessages {
  std::string errors;   ///< thread_local ones, which the tile does not have
  std::string warnings; ///< ones that code writes
};

/// \param module  in LLVM's text, simplified, so that what is never written is a constant
/// \param source  its file
VariableMessages messagesOfVariables(std::string_view module, const std::string &source);

} // namespace copse::popc
