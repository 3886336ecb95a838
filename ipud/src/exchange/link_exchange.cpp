#include "exchange/link_exchange.hpp"

#include "exchange/peers.hpp"
#include "exchange/regions.hpp"

#include <algorithm>
#include <atomic>
#include <string>

namespace copse::ipud {

namespace {

/// The number of moves that a thread takes at once. Must be many times the number of moves that are
/// prefetched, because the last moves of a batch are not.
constexpr std::size_t kMovesAtOnce = 256;

} // namespace

wire::Status LinkExchange::run(std::span<const wire::Exchange> together, std::uint32_t tag,
                               Environment &environment) {
  toItself_.clear();
  for (std::uint32_t i = 0; i < together.size(); ++i)
    if (auto status = sendAll(together[i], tag + i, environment); !status.ok())
      return status;
  for (const wire::Exchange &exchange : together)
    moveAll(exchange);
  for (std::uint32_t i = 0; i < together.size(); ++i)
    if (auto status = receiveAll(together[i], tag + i, environment); !status.ok())
      return status;
  return wire::Status::success();
}

void LinkExchange::moveAll(const wire::Exchange &exchange) {
  const std::span<const wire::Move> moves = exchange.moves;
  if (exchange.overlapping || team_.threads() == 1 || !isWorthSharing(moves))
    return runMoves(memory_, moves, exchange.overlapping, staging_);
  std::atomic<std::size_t> next = 0;
  team_.run([&](unsigned) {
    for (std::size_t first; (first = next.fetch_add(kMovesAtOnce)) < moves.size();)
      runMoves(memory_, moves.subspan(first, std::min(kMovesAtOnce, moves.size() - first)), false,
               staging_);
  });
}

wire::Status LinkExchange::sendAll(const wire::Exchange &exchange, std::uint32_t tag,
                                   Environment &environment) {
  const auto own = placement_.replica.value;
  const auto target = targetReplica(exchange, own);
  for (const auto &message : exchange.sends) {
    const bool toItself = target == own && message.peer == ipu_;
    const auto to = ipuOf(placement_, target, message.peer);
    fabric::Payload payload =
        toItself ? fabric::Payload(message.bytes) : environment.payloadTo(to, message.bytes);
    pack(memory_, message.regions, payload.data());
    if (toItself)
      toItself_.push_back(std::move(payload));
    else if (auto status = environment.send(to, tag, std::move(payload)); !status.ok())
      return status;
  }
  return wire::Status::success();
}

wire::Status LinkExchange::receiveAll(const wire::Exchange &exchange, std::uint32_t tag,
                                      Environment &environment) {
  const auto own = placement_.replica.value;
  const auto source = sourceReplica(exchange, own);
  std::size_t fromItself = 0;
  for (const auto &message : exchange.receives) {
    const bool local = source == own && message.peer == ipu_;
    const auto from = ipuOf(placement_, source, message.peer);
    if (local && toItself_.empty())
      return {wire::Code::InvalidImage, "exchange '" + exchange.name + "': ipu " +
                                            std::to_string(from.value) + " sends itself " +
                                            std::to_string(fromItself) +
                                            " messages and receives more of itself"};
    auto payload = local ? wire::Result<fabric::Payload>(std::move(toItself_.front()))
                         : environment.receive(from, tag);
    if (local) {
      toItself_.pop_front();
      ++fromItself;
    }
    if (!payload.ok())
      return payload.status();
    if (payload->size() != message.bytes)
      return {wire::Code::BadFrame, "exchange '" + exchange.name + "': ipu " +
                                        std::to_string(from.value) + " sent " +
                                        std::to_string(payload->size()) + " bytes instead of " +
                                        std::to_string(message.bytes)};
    unpack(memory_, message.regions, payload->data());
  }
  return wire::Status::success();
}

} // namespace copse::ipud
