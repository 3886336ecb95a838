// Names of later releases (compiled only, also as C++11).
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/PrintTensor.hpp>
#include <poplar/TypeConversion.hpp>

namespace later {

using namespace poplar;
using namespace poplar::program;

Sequence printed(const Tensor &t) {
  const PrintTensorFmt few(100, 2), plain(1000, 3, 0, 0, PrintTensorFmt::FloatFormat::None);
  Sequence all{PrintTensor(t), PrintTensor(t, {}), PrintTensor("t", t, {}), PrintTensor(t, few)};
  all.add(PrintTensor("t", t, plain, "named"));
  return all;
}

void converted(float value, unsigned char *out) {
  convertToDeviceType(HALF, gccs::ArrayRef<const float>(&value, 1U), out);
  convertToDeviceType(QUARTER, QuarterMetadata(QuarterMetadata::Format::F143, 0),
                      gccs::ArrayRef<const float>(&value, 1U), out);
}

struct Doubler : HostCallback {
  void operator()(ArrayRef<const void *> inputs, ArrayRef<void *> outputs) override {
    *static_cast<float *>(outputs[0]) = 2 * *static_cast<const float *>(inputs[0]);
  }
};
void connected(Engine &engine) {
  engine.connectHostFunction("double", std::unique_ptr<Doubler>(new Doubler));
}

unsigned depths(const Target &target) {
  return target.getFp32ConvUnitMaxPipelineDepth() + target.getFp16ConvUnitMaxPipelineDepth() +
         target.getFp8ConvUnitMaxPipelineDepth() + target.getQuarterVectorWidth();
}

// What only SDK examples ask of a profile.
bool plain(const pva::Block &block) {
  return block.isCommon() && !block.isOverflow() && !block.isBlockFlush();
}

} // namespace later
