#include "measured_answers.hpp"

#include <array>
#include <cstring>
#include <span>

namespace copse::session {

namespace message = wire::session;
using wire::Code;
using wire::Status;

wire::Result<wire::MeasuredCycles> vertexCyclesIn(const ipud::SessionMessage &message,
                                                  const std::vector<std::size_t> &vertices) {
  const Status bad{Code::BadFrame, "an IPU sent cycles of other vertices than it has"};
  const auto *sets = std::get_if<message::VertexCycles>(&message.header.body);
  if (sets == nullptr || message.payloads.size() != 1)
    return bad;
  std::span<const std::byte> left = message.payloads[0].bytes();
  wire::MeasuredCycles all;
  for (const std::uint32_t set : sets->computeSets) {
    if (set >= vertices.size() || vertices[set] > left.size() / sizeof(std::uint64_t))
      return bad;
    std::vector<std::uint64_t> &cycles = all[set];
    cycles.resize(vertices[set]);
    const std::size_t bytes = cycles.size() * sizeof(std::uint64_t);
    if (bytes > 0)
      std::memcpy(cycles.data(), left.data(), bytes);
    left = left.subspan(bytes);
  }
  if (!left.empty())
    return bad;
  return all;
}

wire::Result<wire::StepTimes> stepTimesIn(const ipud::SessionMessage &message, std::size_t steps) {
  const Status bad{Code::BadFrame, "an IPU sent times of other steps than it has"};
  const auto *header = std::get_if<message::StepTimes>(&message.header.body);
  if (header == nullptr || message.payloads.size() != 1)
    return bad;
  const std::span<const std::byte> bytes = message.payloads[0].bytes();
  std::array<std::uint64_t, 3> numbers{};
  if (bytes.size() % sizeof numbers != 0)
    return bad;
  wire::StepTimes times;
  times.complete = header->complete;
  for (std::size_t at = 0; at < bytes.size(); at += sizeof numbers) {
    std::memcpy(numbers.data(), bytes.data() + at, sizeof numbers);
    const auto [step, begin, end] = numbers;
    if (step >= steps || begin > end)
      return bad;
    times.steps.push_back({step, begin, end});
  }
  return times;
}

} // namespace copse::session
