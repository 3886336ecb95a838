#pragma once

#include "graph/model.hpp"
#include "poplar/PrintTensorFmt.hpp"
#include "poplar/Quarter.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace copse::engine {

/// The elements of a tensor in the device's format.
struct DeviceElements {
  graph::ElementType type = graph::ElementType::Float;
  const std::byte *data = nullptr;
  std::size_t elementBytes = 0; ///< distinguishes halves of 2 and 4 bytes, and longs of 4 and 8
  /// The metadata of quarters; if empty, their codes are printed.
  std::optional<poplar::QuarterMetadata> metadata;
};

/// Formats the elements at \p positions as \p format requires; to one width, unless it requests no
/// digits.
std::vector<std::string> numberTexts(const DeviceElements &elements,
                                     std::span<const std::size_t> positions,
                                     const poplar::PrintTensorFmt &format);

} // namespace copse::engine
