#include "compiler/executable_impl.hpp"
#include "compiler/host_views.hpp"

#include <map>

namespace copse::compiler {

namespace {

class StreamSearch {
public:
  explicit StreamSearch(const wire::Image &image)
      : image_(image), seen_(image.calls.size(), false) {}

  void visit(wire::StepRange range) {
    for (std::uint32_t i = range.first; i < range.first + range.count; ++i) {
      const wire::Step &step = image_.steps[i];
      if (step.op == wire::Op::HostExchange)
        for (const wire::StreamTransfer &transfer : image_.hostExchanges[step.index].transfers)
          uses_.emplace(transfer.stream, i); // keeps the first
      if (step.op == wire::Op::Call && !seen_[step.index]) {
        seen_[step.index] = true;
        visit(image_.calls[step.index]);
      }
    }
  }
  std::vector<StreamUse> uses() const {
    std::vector<StreamUse> uses;
    for (const auto &[stream, step] : uses_)
      uses.push_back({stream, step});
    return uses;
  }

private:
  const wire::Image &image_;
  std::vector<bool> seen_;                      ///< functions
  std::map<std::uint32_t, std::uint32_t> uses_; ///< stream -> step
};

} // namespace

std::vector<StreamUse> streamsUsed(const Executable &executable, std::uint32_t index) {
  StreamSearch search(executable.images.front());
  search.visit(executable.images.front().programs[index]);
  return search.uses();
}

std::vector<bool> streamsRearranged(const Executable &executable) {
  std::vector<bool> rearranged(executable.streams.size(), false);
  for (const wire::Image &image : executable.images)
    for (const wire::HostExchange &exchange : image.hostExchanges)
      for (const wire::StreamTransfer &transfer : exchange.transfers)
        if (compiler::isRearranged(transfer.view))
          rearranged[transfer.stream] = true;
  return rearranged;
}

} // namespace copse::compiler
