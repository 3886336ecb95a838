#pragma once

namespace poplar {

/// The participants of a Sync: the tiles of one IPU; all IPUs of the replica or partition; all IPUs
/// and the host. See User guide, 2.7.2.
enum class SyncType { INTERNAL, EXTERNAL, GLOBAL };

} // namespace poplar
