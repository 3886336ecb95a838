#pragma once

#include "ipud/environment.hpp"

namespace copse::ipud {

/// Nothing outside of the chip is asked for.
class NoEnvironment : public Environment {
public:
  wire::Result<wire::Cycles> sync(wire::SyncGroup, std::uint32_t, wire::Cycles now) override {
    return now;
  }
  void awaitAllTaken() override {}
  wire::Status send(wire::IpuId, std::uint32_t, fabric::Payload) override { return none(); }
  wire::Result<fabric::Payload> receive(wire::IpuId, std::uint32_t) override { return none(); }
  wire::Result<bool> readStream(std::uint32_t, std::uint32_t, const Use &) override {
    return none();
  }
  wire::Status writeStream(std::uint32_t, std::uint32_t, const Part &) override { return none(); }
  wire::Status readRows(std::uint32_t, std::span<const std::uint32_t>, const Use &) override {
    return none();
  }
  wire::Status writeRows(std::uint32_t, std::span<const std::uint32_t>, const Part &) override {
    return none();
  }
  wire::Status print(std::uint32_t, const Part &) override { return none(); }
  bool stopRequested() const override { return false; }

private:
  static wire::Status none() { return {wire::Code::Internal, "not in this benchmark"}; }
};

} // namespace copse::ipud
