#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>

namespace copse::popc {

/// One of several pieces of work.
/// \param messages  where its warnings go
using Piece = std::function<void(std::size_t number, std::ostream &messages)>;

/// Does \p count pieces of work, on as many threads as this machine has processors, with the outcome
/// of doing one after the other: messages arrive in the order of the pieces, and end with those of
/// the first piece that throws, whose exception is thrown.
void inParallel(std::size_t count, std::ostream &messages, const Piece &piece);

} // namespace copse::popc
