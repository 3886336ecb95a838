#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <poplar/StreamCallback.hpp>

namespace transformer {

/// Writes row \p number of a stream, counted from the beginning of the training.
using FillRow = std::function<void(std::uint64_t number, void *row)>;

/// Returns a stream whose rows are a function of their number, so that they can be filled ahead of
/// time.
/// \param first  number of the first row
std::unique_ptr<poplar::StreamCallback> makeRowFeeder(FillRow fill, std::uint64_t first);

} // namespace transformer
