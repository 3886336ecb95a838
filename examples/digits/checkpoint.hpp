#pragma once

#include "network.hpp"

#include <cstdint>
#include <optional>
#include <poplar/Engine.hpp>

namespace digits {

/// Where a training stands after an epoch, in remote buffers: weights and momentum of each replica
/// in one of two slots, and a record that says which slot is whole. The record, one row, is written
/// when the slot is: whatever fails in between, the checkpoint before it stays.
class Checkpoint {
public:
  /// The properties that a checkpoint must have in common with a training that continues from it.
  struct Training {
    std::uint32_t replicas = 0, batch = 0, seed = 0;
    friend bool operator==(const Training &a, const Training &b) {
      return a.replicas == b.replicas && a.batch == b.batch && a.seed == b.seed;
    }
  };
  struct Progress {
    std::uint32_t epochs = 0; ///< that are done
    double loss = 0;          ///< loss of the last epoch
  };

  Checkpoint(poplar::Engine &engine, const Training &training)
      : engine_(engine), training_(training) {}

  /// Keeps what the engine, which is loaded, has in its IPUs.
  void save(const Progress &progress);

  /// Brings the last checkpoint back into the IPUs.
  /// \returns where the training stood; nothing if there is no checkpoint
  /// \throws std::runtime_error if it is of another training
  std::optional<Progress> restore();

  /// Removes the checkpoint, because the training is complete.
  void clear();

private:
  struct Record;
  void runWithSlot(ProgramIndex program, std::uint32_t slot);
  Record read();
  void write(const Record &record);

  poplar::Engine &engine_;
  Training training_;
};

} // namespace digits
