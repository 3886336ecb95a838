#include "scale.hpp"

namespace scaling {
namespace {

Scale scaleAt(const Options &options, unsigned value) {
  Scale scale{options.replicas, options.ipusPerReplica, options.batch, options.accumulate};
  switch (options.sweep) {
  case SweepKind::Replicas:
    scale.replicas = value;
    if (options.strong) // the largest number of replicas does what was asked for, fewer do more
      scale.accumulate *= options.most / value;
    break;
  case SweepKind::IpusPerReplica: // the IPUs and the samples of a step stay the same
    scale.ipusPerReplica = value;
    scale.replicas = options.replicas / value;
    scale.accumulate *= value;
    break;
  case SweepKind::Batch:
    scale.batch = value;
    break;
  case SweepKind::Accumulation:
    scale.accumulate = value;
    break;
  }
  return scale;
}

} // namespace

Sweep sweepOf(const Options &options) {
  Sweep sweep{};
  switch (options.sweep) {
  case SweepKind::Replicas:
    sweep = {"replicas", [](const Scale &s) { return s.replicas; }, {}};
    break;
  case SweepKind::IpusPerReplica:
    sweep = {"IPUs per replica", [](const Scale &s) { return s.ipusPerReplica; }, {}};
    break;
  case SweepKind::Batch:
    sweep = {"samples per micro-batch", [](const Scale &s) { return s.batch; }, {}};
    break;
  case SweepKind::Accumulation:
    sweep = {"micro-batches per step", [](const Scale &s) { return s.accumulate; }, {}};
    break;
  }
  for (unsigned value = 1; value <= options.most; value *= 2)
    sweep.scales.push_back(scaleAt(options, value));
  return sweep;
}

} // namespace scaling
