#include "row_feeder.hpp"

namespace transformer {

namespace {

class RowFeeder final : public poplar::StreamCallback {
public:
  RowFeeder(FillRow fill, std::uint64_t first)
      : fill_(std::move(fill)), filled_(first), used_(first) {}

  Result prefetch(void *row) override {
    fetch(row);
    return Result::Success;
  }
  void fetch(void *row) override { fill_(filled_++, row); }
  void complete() override { ++used_; }
  void invalidatePrefetched() override { filled_ = used_; }

private:
  FillRow fill_;
  std::uint64_t filled_, used_; // rows
};

} // namespace

std::unique_ptr<poplar::StreamCallback> makeRowFeeder(FillRow fill, std::uint64_t first) {
  return std::make_unique<RowFeeder>(std::move(fill), first);
}

} // namespace transformer
