#pragma once

#include "wire/image.hpp"

#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace copse::ipud::test {

/// Creates an image of random values in every field. It could not be loaded, but a codec must
/// preserve all of it.
class RandomImage {
public:
  explicit RandomImage(unsigned seed) : random_(seed) {}

  wire::Image make() {
    wire::Image image;
    image.ipu = word();
    image.ipusPerReplica = word();
    image.geometry = {word(), word(), word(), word(), wide()};
    image.modules = some([this] { return wire::ModuleRef{text(), text()}; });
    image.functions = some([this] {
      return wire::CodeletFunction{
          word(), text(), text(), coin(), static_cast<wire::CodeKind>(word() % 5), word()};
    });
    image.computeSets = some([this] { return computeSet(); });
    image.exchanges = some([this] { return exchange(); });
    image.hostExchanges = some([this] {
      return wire::HostExchange{text(), some([this] { return transfer(); }), wide(), wide()};
    });
    image.remoteCopies = some([this] {
      return wire::RemoteCopy{text(), word(),   direction(), word(), wide(),
                              coin(), region(), view(),      wide()};
    });
    image.prints = some([this] { return wire::Print{word(), view()}; });
    image.hostViews = some([this] { return view(); });
    image.messages = some([this] { return text(); });
    image.steps = some([this] { return step(); });
    image.programs = some([this] { return wire::StepRange{word(), word()}; });
    image.calls = some([this] { return wire::StepRange{word(), word()}; });
    image.initial = some([this] { return wire::InitialData{region(), wide()}; });
    image.data = some([this] { return static_cast<std::byte>(word()); });
    image.replicaIndices = some([this] { return address(); });
    image.architecture = static_cast<wire::Architecture>(word() % 4);
    image.code = some([this] { return section(); });
    image.sourceFiles = some([this] { return text(); });
    image.stacks = some([this] { return word(); });
    image.registers = {some([this] { return word(); }), some([this] { return word(); }), word(),
                       coin()};
    if (coin())
      image.checks = checks();
    return image;
  }

private:
  std::uint32_t word() { return static_cast<std::uint32_t>(random_()); }
  std::uint64_t wide() { return std::uint64_t{word()} << 32 | word(); }
  bool coin() { return word() % 2 == 1; }
  std::string text() { return std::string(word() % 20, static_cast<char>('a' + word() % 26)); }
  wire::Direction direction() { return static_cast<wire::Direction>(word() % 2); }
  wire::TileAddress address() { return {word(), word()}; }
  wire::Region region() {
    return {word(), word(), word(), word(), static_cast<std::int32_t>(word())};
  }

  template <class Make> std::vector<std::invoke_result_t<Make>> some(Make make) {
    std::vector<std::invoke_result_t<Make>> items(word() % 4);
    for (auto &item : items)
      item = make();
    return items;
  }

  wire::CheckTables checks() {
    return {
        true,
        some([this] { return text(); }),
        some([this] { return word(); }),
        some([this] { return wire::GivenRange{word(), word(), word(), word(), word(), word()}; }),
        some([this] {
          return wire::NamedRange{word(), word(), word(), word()};
        }),
        some([this] {
          return wire::UndefinedRange{word(), word(), word(),
                                      word(), word(), static_cast<std::int32_t>(word())};
        }),
        word()};
  }
  wire::ComputeSet computeSet() {
    return {text(), some([this] {
              return wire::TileVertices{word(), word(), word()};
            }),
            some([this] {
              return wire::VertexRecord{word(), word(), word()};
            }),
            coin(), address()};
  }
  wire::Message message() {
    return {word(), some([this] { return region(); }), wide()};
  }
  wire::Exchange exchange() {
    return {text(),
            some([this] {
              return wire::Move{address(),
                                address(),
                                word(),
                                word(),
                                static_cast<std::int32_t>(word()),
                                static_cast<std::int32_t>(word())};
            }),
            coin(),
            some([this] { return message(); }),
            some([this] { return message(); }),
            some([this] {
              return wire::Flow{word(), word(), wide()};
            }),
            some([this] { return word(); }),
            coin()};
  }
  wire::HostView view() {
    return {some([this] { return region(); }), some([this] {
              return wire::HostPiece{wide(), wide()};
            }),
            wide(), wide()};
  }
  wire::CodeSection section() {
    return {word(),
            word(),
            wide(),
            some([this] { return word(); }),
            some([this] {
              return wire::CodeSymbol{text(), word(), word()};
            }),
            some([this] {
              return wire::CodeLine{word(), word(), word()};
            }),
            word() % 2 == 0};
  }
  wire::StreamTransfer transfer() { return {word(), direction(), view()}; }
  wire::Step step() {
    return {static_cast<wire::Op>(word() % 256),
            static_cast<std::uint8_t>(word()),
            word(),
            word(),
            word(),
            word(),
            address()};
  }

  std::mt19937 random_;
};

} // namespace copse::ipud::test
