#include "checkpoint.hpp"

#include <stdexcept>
#include <string>

namespace digits {

/// The row of kRecordBuffer. A row that was never written is zeroes: no epochs.
struct Checkpoint::Record {
  std::uint32_t epochs = 0;
  std::uint32_t slot = 0;
  Training training;
  std::uint32_t unused = 0;
  double loss = 0;
};

void Checkpoint::save(const Progress &progress) {
  static_assert(sizeof(Record) == kRecordWords * sizeof(std::uint32_t), "a record fills its row");
  const Record before = read();
  Record record{progress.epochs, 1 - before.slot, training_, 0, progress.loss};
  runWithSlot(kSave, record.slot);
  write(record);
}

std::optional<Checkpoint::Progress> Checkpoint::restore() {
  const Record record = read();
  if (record.epochs == 0)
    return std::nullopt;
  if (!(record.training == training_))
    throw std::runtime_error("--checkpoint: rbufd keeps a training of --replicas " +
                             std::to_string(record.training.replicas) + " --batch " +
                             std::to_string(record.training.batch) + " --seed " +
                             std::to_string(record.training.seed) +
                             "; go on with these, or set COPSE_RBUFD_NAME to another name");
  runWithSlot(kRestore, record.slot);
  return Progress{record.epochs, record.loss};
}

void Checkpoint::clear() {
  Record record;
  record.slot = read().slot;
  write(record);
}

void Checkpoint::runWithSlot(ProgramIndex program, std::uint32_t slot) {
  engine_.writeTensor(kSlotHandle, &slot, &slot + 1);
  engine_.run(program);
}

Checkpoint::Record Checkpoint::read() {
  Record record;
  engine_.copyFromRemoteBuffer(kRecordBuffer, &record, 0); // replica 0 keeps it
  if (record.slot > 1)
    throw std::runtime_error("--checkpoint: the record that rbufd keeps is not one of digits");
  return record;
}

void Checkpoint::write(const Record &record) {
  engine_.copyToRemoteBuffer(&record, kRecordBuffer, 0);
}

} // namespace digits
