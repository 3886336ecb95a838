#pragma once

namespace copse::fabric {

/// Makes this process's allocator keep freed memory for the next message, up to 64 MiB per arena,
/// instead of returning it to the system. Fresh memory costs a page fault per 4 KiB, which takes as
/// long as the copy of a message into it. The main() of a daemon calls this before it starts
/// threads; a library must not decide this for its program.
void reuseBuffers();

} // namespace copse::fabric
