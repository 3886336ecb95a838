// Fuzzes images: four bytes with the length of the data (low byte first), the data, the frame of
// the rest.
#include "fuzzing.hpp"

#include "ipud/validate.hpp"
#include "wire/image_codec.hpp"

#include <cstring>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace copse;
  std::uint32_t dataBytes = 0;
  if (size < sizeof dataBytes)
    return 0;
  std::memcpy(&dataBytes, data, sizeof dataBytes);
  const auto rest = fuzz::bytesOf(data, size).subspan(sizeof dataBytes);
  if (dataBytes > rest.size())
    return 0;
  const auto image = wire::decodeImage(rest.subspan(dataBytes), rest.first(dataBytes));
  if (!image)
    return 0;
  const auto frame = wire::encodeImage(*image);
  fuzz::require(frame.ok(), "an image that was read can be written");
  const auto again = wire::decodeImage(*frame, image->data);
  fuzz::require(again.ok() && *again == *image, "it is the same when it is read again");
  static_cast<void>(ipud::validate(*image)); // says what is wrong with it, and survives
  return 0;
}
