#pragma once

namespace poplar {

/// Which tiles take part in a Sync: those of one IPU, all IPUs of the replica or partition, or all
/// and the host.
enum class SyncType { INTERNAL, EXTERNAL, GLOBAL };

} // namespace poplar
