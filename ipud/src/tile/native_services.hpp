#pragma once

#include "wire/codelet_abi.hpp"

namespace copse::ipud {

/// The functions that native modules call: wire/codelet_abi.hpp. Each refers to the vertex that the
/// calling thread runs.
struct NativeServices {
  wire::TileIdFunction tile = nullptr;
  wire::TileSlotFunction slot = nullptr;
  wire::RoundToHalfFunction roundToHalf = nullptr;
  wire::GeneratorFunction generator = nullptr;
  wire::CycleOffset cycleOffset = 0;
  wire::ReadRegisterFunction readRegister = nullptr;
  wire::WriteRegisterFunction writeRegister = nullptr;
  wire::MatrixFunction matrix = nullptr;
  wire::LoadWeightsFunction loadWeights = nullptr;
  wire::AssemblyFunction assembly = nullptr;
  wire::TileFunction tileFunction = nullptr;
  wire::CheckAccessFunction checkAccess = nullptr;
  wire::CheckRangeFunction checkRange = nullptr;
};

} // namespace copse::ipud
