#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>

namespace copse::popc {

/// Does one piece of work.
/// \param messages  where its warnings go
using Piece = std::function<void(std::size_t number, std::ostream &messages)>;

/// Does \p count pieces of work in parallel, with the result of doing them in sequence. Messages
/// arrive in the order of the pieces. If a piece throws, the messages end with those of the first
/// piece that throws, and its exception is thrown.
void inParallel(std::size_t count, std::ostream &messages, const Piece &piece);

} // namespace copse::popc
