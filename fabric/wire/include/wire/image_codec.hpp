#pragma once

#include "wire/image.hpp"
#include "wire/result.hpp"

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace copse::wire {

/// Allocates memory for a frame of the given size. The memory must stay valid until the frame is
/// written.
using FramePlace = std::function<std::byte *(std::size_t bytes)>;

/// Writes an image without Image::data to \p place, as one frame (schema/image.capnp). The data
/// follow as a raw frame.
/// \returns InvalidImage if the format cannot represent the image: an array exceeds 512 MiB
Status encodeImage(const Image &image, const FramePlace &place);
/// Returns the encoded image as a frame.
Result<std::vector<std::byte>> encodeImage(const Image &image);

/// Decodes the image in the two frames. The frames may be arbitrary bytes, aligned or not. The
/// result is well-formed; ipud::validate() checks that it makes sense.
/// \returns BadFrame if the frame is not an image of this format, or if \p data has another size
///   than the frame announces
Result<Image> decodeImage(std::span<const std::byte> frame, std::span<const std::byte> data);

} // namespace copse::wire
