#include "collective_options.hpp"

#include <poplar/OptionFlags.hpp>
#include <poputil/OptionParsing.hpp>
#include <string>

namespace gcl {

std::optional<Method> parseMethod(const poplar::OptionFlags &given) {
  using poplibs::OptionHandler;
  poplar::OptionFlags options = given;
  poplar::readJSONFromEnv("GCL_OPTIONS", options);
  std::optional<Method> method;
  std::string ignored;
  const OptionHandler anything = OptionHandler::createWithString(ignored);
  const poplibs::OptionSpec spec(
      "collective",
      {
          {"method", OptionHandler::createWithEnum(
                         method,
                         std::map<std::string, std::optional<Method>>{
                             {"auto", std::nullopt},
                             {"clockwise_ring", Method::ClockwiseRing},
                             {"anticlockwise_ring", Method::AnticlockwiseRing},
                             {"bidirectional_ring_pair", Method::BidirectionalRingPair},
                             {"quad_directional_ring", Method::BidirectionalRingPair},
                             {"meet_in_middle_ring", Method::MeetInMiddleRing},
                             {"direct", Method::Direct},
                             {"broadcast", Method::Broadcast},
                             {"hierarchical", Method::Hierarchical}})},
          {"useReplicatedImplementation", anything},
          {"useSynclessCollectives", anything},
          {"maxBytesPerTile", anything},
          {"topology", anything},
          {"link", anything},
      });
  for (const auto &flag : options)
    spec.parse(flag.first, flag.second,
               flag.first.compare(0, 8, "syncful.") == 0 ||
                   flag.first.compare(0, 9, "syncless.") == 0);
  return method;
}

} // namespace gcl
