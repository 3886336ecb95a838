#include "checkpoint.hpp"

#include <array>
#include <stdexcept>

namespace transformer {

namespace {

/// Everything that a training which goes on must have in common with the one that was kept.
using Training = std::array<std::uint32_t, 12>;

Training trainingOf(const Options &options) {
  const auto word = [](auto value) { return static_cast<std::uint32_t>(value); };
  const ModelOptions &model = options.model;
  const Shape &shape = model.shape;
  return {word(options.replicas),    word(model.stages),  word(model.microBatches),
          word(model.seed),          word(shape.context), word(shape.width),
          word(shape.heads),         word(shape.blocks),  word(shape.batch),
          word(shape.dropout * 1e6), word(options.steps), word(options.rate * 1e6)};
}

} // namespace

/// The row of kRecordBuffer. A row that was never written is zeros: no steps.
struct Checkpoint::Record {
  std::uint32_t stepsDone = 0;
  std::uint32_t slot = 0;
  Training training{};
  std::array<std::uint32_t, 2> unused{};
};

Checkpoint::Checkpoint(poplar::Engine &engine, const Options &options)
    : engine_(engine), options_(options) {
  static_assert(sizeof(Record) == kRecordWords * sizeof(std::uint32_t), "a record fills its row");
}

void Checkpoint::save(std::uint32_t stepsDone) {
  Record record;
  record.stepsDone = stepsDone;
  record.slot = 1 - read().slot;
  record.training = trainingOf(options_);
  runWithSlot(kSave, record.slot);
  write(record);
}

std::uint32_t Checkpoint::restore() {
  const Record record = read();
  if (record.stepsDone == 0)
    return 0;
  if (record.training != trainingOf(options_))
    throw std::runtime_error("--checkpoint: rbufd keeps a training with other options; go on with "
                             "those, or set COPSE_RBUFD_NAME to another name");
  runWithSlot(kRestore, record.slot);
  return record.stepsDone;
}

void Checkpoint::clear() {
  Record record;
  record.slot = read().slot;
  write(record);
}

void Checkpoint::runWithSlot(ProgramIndex program, std::uint32_t slot) {
  const std::vector<std::uint32_t> slots(options_.model.stages, slot);
  engine_.writeTensor(kSlotHandle, slots.data(), slots.data() + slots.size());
  engine_.run(program);
}

Checkpoint::Record Checkpoint::read() {
  Record record;
  engine_.copyFromRemoteBuffer(kRecordBuffer, &record, 0); // replica 0 keeps it
  if (record.slot > 1)
    throw std::runtime_error("--checkpoint: the record that rbufd keeps is not one of transformer");
  return record;
}

void Checkpoint::write(const Record &record) {
  engine_.copyToRemoteBuffer(&record, kRecordBuffer, 0);
}

} // namespace transformer
