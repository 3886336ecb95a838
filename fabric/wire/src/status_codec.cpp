#include "status_codec.hpp"

#include "wire/envelope.hpp"

#include <algorithm>

namespace copse::wire {

void write(schema::Status::Builder to, const Status &status) {
  to.setCode(static_cast<std::uint8_t>(status.code));
  const std::size_t length = std::min(status.message.size(), kMaxStatusText);
  auto text = to.initText(static_cast<unsigned>(length));
  std::copy_n(status.message.begin(), length, text.begin());
}

Status read(schema::Status::Reader from) {
  const auto text = from.getText();
  return {codeOf(from.getCode()), std::string(text.begin(), text.size())};
}

Code codeOf(std::uint8_t number) {
  constexpr auto kLast = static_cast<std::uint8_t>(Code::MemoryError);
  return number <= kLast ? static_cast<Code>(number) : Code::Internal;
}

} // namespace copse::wire
