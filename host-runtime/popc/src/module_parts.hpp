#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace copse::popc {

/// Cuts a module in LLVM's text into parts that are compiled one beside the other, and together are
/// the module. Functions of which one uses the other are in one part, as are those that share a
/// variable; functions that several parts need, and that may be there several times (inline
/// functions, helpers whose address nobody compares), are in each of them. A module that is small,
/// or has what this function does not know how to divide, stays whole. The parts depend on the text
/// alone, so that a source gives the same code on every machine.
/// \param module     as clang writes it, simplified
/// \param partBytes  a part of about this size is worth a compiler of its own
std::vector<std::string> partsOf(const std::string &module, std::size_t partBytes);

} // namespace copse::popc
