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

/// The elements of a tensor as a device has them.
struct DeviceElements {
  graph::ElementType type = graph::ElementType::Float;
  const std::byte *data = nullptr;
  std::size_t elementBytes =
      0; ///< tells a half of 2 bytes from one of 4, a long of 4 from one of 8
  std::optional<poplar::QuarterMetadata> metadata; ///< of quarters; without, their codes count
};

/// The elements at \p positions as \p format has them: of one width, unless it asks for no digits.
std::vector<std::string> numberTexts(const DeviceElements &elements,
                                     std::span<const std::size_t> positions,
                                     const poplar::PrintTensorFmt &format);

} // namespace copse::engine
