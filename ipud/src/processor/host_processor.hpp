#pragma once

namespace copse::ipud {

/// Returns true if the host has AVX2, FMA and F16C, which the fastest implementations need.
bool hasWideVectors();

} // namespace copse::ipud
