#pragma once

namespace copse::fabric {

/// Makes this process's allocator keep freed memory for the next message, up to 64 MiB per arena,
/// instead of returning it to the system: to touch fresh memory costs a page fault per 4 KiB, as
/// much as the copy itself. Called by the main() of a daemon, before it has threads; a library must
/// not decide this for its program.
void reuseBuffers();

} // namespace copse::fabric
