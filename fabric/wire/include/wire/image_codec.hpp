#pragma once

#include "wire/image.hpp"
#include "wire/result.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace copse::wire {

/// Everything of an image but Image::data, as one frame (schema/image.capnp). The data follow as a
/// raw frame.
/// \returns InvalidImage for an image that the format cannot hold: one array of more than 512 MiB
Result<std::vector<std::byte>> encodeImage(const Image &image);

/// The image of the two frames. Any bytes are safe, aligned or not; what comes out is well-formed,
/// but only ipud::validate() says that it makes sense.
/// \returns BadFrame   the frame is no image of this format, or \p data is not of the size that it
///   announces
Result<Image> decodeImage(std::span<const std::byte> frame, std::span<const std::byte> data);

} // namespace copse::wire
