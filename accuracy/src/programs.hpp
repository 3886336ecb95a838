#pragma once

#include "parameters.hpp"

/// The programs that figures name. Each returns the modelled figure.
namespace copse::accuracy {

/// Returns the cycles of one sync of all IPUs. Parameters: "ipus", "wireOnly" (without the fixed
/// part), and the machine's.
double syncCycles(const Parameters &parameters);
/// Returns the cycles of an exchange of "bytes" from one tile to another, without the preceding
/// sync.
double smallExchangeCycles(const Parameters &parameters);
/// Returns the traffic between IPUs "from" and "to" [Gb/s], summed over both directions, with
/// "streams" pairs of neighbours.
double ipuTraffic(const Parameters &parameters);
/// Returns the time of the exchanges and syncs of a ring all-reduce of "bytes" over "replicas" [s].
double ringSeconds(const Parameters &parameters);
/// Returns the traffic between the host and one IPU [Gb/s]. Parameter: "toDevice".
double hostTraffic(const Parameters &parameters);
/// Returns the time of "count" host syncs, each followed by "delay" cycles [us].
double hostSyncSeconds(const Parameters &parameters);
/// Returns the bandwidth of STREAM's triad over the tiles of one chip [GB/s].
double triadBandwidth(const Parameters &parameters);
/// Returns the time of a step of the heat equation [us]: see stencil.cpp. Parameters: the cells of
/// a tile ("rows", "columns", and in three dimensions "depth"), the tiles of an IPU that border on
/// another IPU's tiles ("tileRows", "tileColumns"), and "ipus".
double heatMicroseconds(const Parameters &parameters);
/// Returns the time of one step of data-parallel training [ms]: see training.cpp.
double trainingMilliseconds(const Parameters &parameters);

} // namespace copse::accuracy
