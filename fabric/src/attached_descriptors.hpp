#pragma once

#include "fabric/descriptor.hpp"

#include <cstddef>
#include <sys/socket.h>
#include <vector>

namespace copse::fabric {

/// Takes all descriptors that came with \p message, however many its sender attached: the kernel
/// has opened each of them in this process, and one that is not taken is never closed.
std::vector<Descriptor> attachedDescriptors(const msghdr &message);

} // namespace copse::fabric
