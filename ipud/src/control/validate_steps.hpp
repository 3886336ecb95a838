#pragma once

#include "wire/image.hpp"

#include <functional>

namespace copse::ipud {

/// Throws std::invalid_argument unless `bytes` at the address are populated tile memory.
using MemoryCheck = std::function<void(wire::TileAddress, std::uint32_t bytes)>;

/// Checks the control programs of an image: the structure of bodies, all indices, predicates
/// (through \p memory), and that calls neither recurse nor nest too deeply for the interpreter.
/// \throws std::invalid_argument  says what is wrong, and at which step
void validateSteps(const wire::Image &image, const MemoryCheck &memory);

} // namespace copse::ipud
