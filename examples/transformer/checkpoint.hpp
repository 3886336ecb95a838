#pragma once

#include "options.hpp"

#include <cstdint>
#include <optional>
#include <poplar/Engine.hpp>

namespace transformer {

/// Where a training stands, in remote buffers: parameters and moments of each replica in one of two
/// rows, and a record that says which row is whole. The record is written after the row: whatever
/// fails in between, the checkpoint before it stays.
class Checkpoint {
public:
  Checkpoint(poplar::Engine &engine, const Options &options);

  /// Keeps what the engine, which is loaded, has in its IPUs.
  void save(std::uint32_t stepsDone);

  /// Brings the last checkpoint back into the IPUs.
  /// \returns how many steps are done; 0 if there is no checkpoint
  /// \throws std::runtime_error if it is of another training
  std::uint32_t restore();

  /// Removes the checkpoint, because the training is complete.
  void clear();

private:
  struct Record;
  void runWithSlot(ProgramIndex program, std::uint32_t slot);
  Record read();
  void write(const Record &record);

  poplar::Engine &engine_;
  const Options &options_;
};

} // namespace transformer
