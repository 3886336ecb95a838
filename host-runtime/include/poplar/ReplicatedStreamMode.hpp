#pragma once

namespace poplar {

/// Says whether each replica has a host-to-device stream of its own, or one feeds them all. See
/// User guide, 2.6.1.
enum class ReplicatedStreamMode { REPLICATE, BROADCAST };

} // namespace poplar
