#pragma once

#include "processor/operations.hpp"

/// Access to a worker's control and status registers.
namespace copse::ipud::operation {

bool Get(Core &c, const MicroOp &u);
bool Put(Core &c, const MicroOp &u);
bool Uget(Core &c, const MicroOp &u);
bool Uput(Core &c, const MicroOp &u);

} // namespace copse::ipud::operation
