#include "status_codec.hpp"

#include "wire/envelope.hpp"
#include "wire/printable.hpp"

#include <algorithm>

namespace copse::wire {

void write(schema::Status::Builder to, const Status &status) {
  to.setCode(static_cast<std::uint8_t>(status.code));
  std::size_t length = std::min(status.message.size(), kMaxStatusText);
  const auto isInCharacter = [&](std::size_t at) {
    return at < status.message.size() &&
           (static_cast<unsigned char>(status.message[at]) & 0xC0) == 0x80;
  };
  while (length > 0 && isInCharacter(length)) // do not cut within a character
    --length;
  auto text = to.initText(static_cast<unsigned>(length));
  std::copy_n(status.message.begin(), length, text.begin());
}

Status read(schema::Status::Reader from) {
  const auto text = from.getText();
  return {codeOf(from.getCode()), printableText({text.begin(), text.size()})};
}

Code codeOf(std::uint8_t number) {
  constexpr auto kLast = static_cast<std::uint8_t>(Code::MemoryError);
  return number <= kLast ? static_cast<Code>(number) : Code::Internal;
}

} // namespace copse::wire
