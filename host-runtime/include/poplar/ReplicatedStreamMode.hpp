#pragma once

namespace poplar {

/// Whether each replica has a host-to-device stream of its own, or one feeds them all.
enum class ReplicatedStreamMode { REPLICATE, BROADCAST };

} // namespace poplar
