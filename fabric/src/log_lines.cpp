#include "fabric/log_lines.hpp"

#include "wire/printable.hpp"

#include <spdlog/details/log_msg.h>
#include <spdlog/pattern_formatter.h>

#include <ctime>
#include <string>

namespace copse::fabric {
namespace {

class PrintableMessage : public spdlog::custom_flag_formatter {
public:
  void format(const spdlog::details::log_msg &line, const std::tm &,
              spdlog::memory_buf_t &out) override {
    const std::string text = wire::printableLine({line.payload.data(), line.payload.size()});
    out.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<spdlog::custom_flag_formatter> clone() const override {
    return std::make_unique<PrintableMessage>();
  }
};

} // namespace

std::unique_ptr<spdlog::formatter> logLines() {
  auto lines = std::make_unique<spdlog::pattern_formatter>();
  lines->add_flag<PrintableMessage>('*').set_pattern("%H:%M:%S.%e %n %l: %*");
  return lines;
}

} // namespace copse::fabric
