#pragma once

#include "fabric/descriptor.hpp"

#include <cstddef>
#include <sys/socket.h>
#include <vector>

namespace copse::fabric {

/// Returns all descriptors that came with \p message, however many its sender attached. The kernel
/// has opened each of them in this process, and a descriptor that is ignored would never be closed.
std::vector<Descriptor> attachedDescriptors(const msghdr &message);

} // namespace copse::fabric
