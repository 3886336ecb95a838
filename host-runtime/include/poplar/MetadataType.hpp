#pragma once

/// The metadata of quarters in the memory of a tile: the scale in the lowest six bits, a number
/// with a sign, and the format in the highest, which is clear for F152.
typedef unsigned char MetadataType;
