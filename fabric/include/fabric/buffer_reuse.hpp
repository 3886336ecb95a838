#pragma once

namespace copse::fabric {

/// Tells this process's allocator to keep what is freed for the next message, up to 64 MiB per
/// arena, instead of giving it back to the system: touching memory fresh from the system costs a
/// page fault per 4 KiB, as much as the copying itself. For the main() of a daemon, before it has
/// threads; a library must not decide this for its program.
void reuseBuffers();

} // namespace copse::fabric
