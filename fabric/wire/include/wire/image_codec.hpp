#pragma once

#include "wire/image.hpp"
#include "wire/result.hpp"

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace copse::wire {

/// Gives memory for a frame of so many bytes, which stays until the frame is written.
using FramePlace = std::function<std::byte *(std::size_t bytes)>;

/// Writes everything of an image but Image::data to \p place, as one frame (schema/image.capnp). The
/// data follow as a raw frame.
/// \returns InvalidImage for an image that the format cannot hold: one array of more than 512 MiB
Status encodeImage(const Image &image, const FramePlace &place);
/// The same as a frame of its own.
Result<std::vector<std::byte>> encodeImage(const Image &image);

/// The image of the two frames. Any bytes are safe, aligned or not; what comes out is well-formed,
/// but only ipud::validate() says that it makes sense.
/// \returns BadFrame   the frame is no image of this format, or \p data is not of the size that it
///   announces
Result<Image> decodeImage(std::span<const std::byte> frame, std::span<const std::byte> data);

} // namespace copse::wire
