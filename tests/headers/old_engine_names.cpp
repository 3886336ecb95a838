// Names that programs of earlier releases use, and forms that are documented, but rare (compiled
// only, also as C++11).
#include <poplar/Engine.hpp>
#include <poplar/VersionString.hpp>

namespace old {

poplar::Engine::TimerTimePoint now(poplar::Engine &engine) { return engine.getTimeStamp(); }

void connectByStream(poplar::Engine &engine, const poplar::DataStream &stream, float *data) {
  engine.connectStream(stream, data);
  engine.connectStream(stream, data, data + 4);
  engine.connectStreamToCallback(stream, [](void *) {});
  engine.connectStreamToCallback(stream, 1, [](void *) {});
}

poplar::Executable later(poplar::Executable &&made) {
  poplar::Executable executable;
  executable = std::move(made);
  return executable;
}

std::uint16_t bits() {
  static_assert(poplar::TypeTraits::isSimpleType<float>(), "");
  return poplar::TypeTraits::make<poplar::IeeeHalf>().isFloat ? poplar::IeeeHalf(1.0f).bit16() : 0;
}

static_assert(std::is_same<decltype(poplar::versionString()), std::string>::value, "");

} // namespace old
