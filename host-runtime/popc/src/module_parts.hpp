#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace copse::popc {

/// A large module takes one compiler long. Cuts a module in LLVM's text into parts that can be
/// compiled in parallel and are together equivalent to the module. Functions that use each other,
/// and functions that share a variable, stay in one part. Functions that may exist several times
/// (inline functions, helpers whose address is never compared) are copied to each part that needs
/// them. A module stays whole if it is small or has elements that cannot be divided.
///
/// The parts depend only on the text, so that a source gives identical code on every machine.
/// \param module     output of clang, simplified
/// \param partBytes  the size of a part for which starting another compiler pays
std::vector<std::string> partsOf(const std::string &module, std::size_t partBytes);

} // namespace copse::popc
