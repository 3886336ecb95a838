#pragma once

namespace copse::ipud {

/// Whether this host's processor has AVX2, FMA and F16C, for which the fastest ways are made.
bool hasWideVectors();

} // namespace copse::ipud
