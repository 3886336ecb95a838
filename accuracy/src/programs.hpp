#pragma once

#include "parameters.hpp"

/// The programs that figures name. Each returns the modelled figure.
namespace copse::accuracy {

/// Cycles of one sync of all IPUs. Parameters: "ipus", "wireOnly" (without the fixed part), machine.
double syncCycles(const Parameters &parameters);
/// Cycles of an exchange of "bytes" from one tile to another, without the sync before it.
double smallExchangeCycles(const Parameters &parameters);
/// Gb/s of IPUs "from" and "to", both directions at once and summed, "streams" pairs of neighbours.
double ipuTraffic(const Parameters &parameters);
/// Seconds of the exchanges and syncs of a ring all-reduce of "bytes" over "replicas".
double ringSeconds(const Parameters &parameters);
/// Gb/s between the host and one IPU; "toDevice".
double hostTraffic(const Parameters &parameters);
/// Microseconds of "count" host syncs, each followed by "delay" cycles.
double hostSyncSeconds(const Parameters &parameters);
/// GB/s of STREAM's triad over the tiles of one chip.
double triadBandwidth(const Parameters &parameters);
/// Milliseconds of a step of data-parallel training: see training.cpp.
double trainingMilliseconds(const Parameters &parameters);

} // namespace copse::accuracy
