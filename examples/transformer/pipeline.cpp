#include "pipeline.hpp"

#include <algorithm>
#include <poputil/TileMapping.hpp>

namespace transformer {

using poplar::Tensor;
using poplar::program::Call;
using poplar::program::Copy;
using poplar::program::Repeat;
using poplar::program::Sequence;

bool Pipeline::Tick::full() const {
  const auto all = [](const std::vector<bool> &flags) {
    return std::all_of(flags.begin(), flags.end(), [](bool flag) { return flag; });
  };
  return all(forward) && all(backward);
}

Pipeline::Pipeline(poplar::Graph &graph, const std::vector<std::unique_ptr<Stage>> &stages,
                   const poplar::DataStream &characters, const poplar::DataStream &labels)
    : stages_(stages), characters_(characters), labels_(labels) {
  for (unsigned s = 0; s != stageCount(); ++s) {
    Stage &stage = *stages[s];
    StagePrograms programs;
    programs.forward = graph.addFunction(stage.forward());
    programs.backward = graph.addFunction(stage.backward());
    const unsigned ticksBetweenPasses = 2 * (stageCount() - 1 - s);
    for (unsigned k = 0; k != ticksBetweenPasses; ++k)
      programs.kept.push_back(addInput(stage, "kept" + std::to_string(k)));
    programs.arrived =
        programs.kept.empty() ? Input{stage.in(), stage.seed()} : addInput(stage, "arrived");
    programs_.push_back(std::move(programs));
  }
}

Pipeline::Input Pipeline::addInput(Stage &stage, const std::string &name) const {
  return {stage.graph().clone(stage.in(), name + "/in"),
          stage.graph().clone(stage.seed(), name + "/seed")};
}

void Pipeline::addCopy(const Input &from, const Input &to, Sequence &prog) {
  prog.add(Copy(from.in, to.in));
  prog.add(Copy(from.seed, to.seed));
}

Pipeline::Tick Pipeline::tickAt(unsigned time, unsigned microBatches) const {
  Tick tick;
  const unsigned last = stageCount() - 1;
  const auto inProgress = [&](unsigned begin) {
    return time >= begin && time < begin + microBatches;
  };
  for (unsigned s = 0; s <= last; ++s) {
    tick.forward.push_back(inProgress(s));
    tick.backward.push_back(inProgress(2 * last - s));
  }
  return tick;
}

void Pipeline::addPasses(unsigned microBatches, Sequence &prog) const {
  const unsigned ticks = microBatches + 2 * (stageCount() - 1);
  for (unsigned time = 0; time != ticks;) {
    const Tick tick = tickAt(time, microBatches);
    unsigned same = 1;
    while (tick.full() && time + same != ticks && tickAt(time + same, microBatches).full())
      ++same;
    prog.add(Repeat(same, programOf(tick)));
    time += same;
  }
}

Sequence Pipeline::programOf(const Tick &tick) const {
  Sequence prog;
  addExchange(tick, prog);
  for (unsigned s = 0; s != stageCount(); ++s)
    addStage(s, tick, prog);
  return prog;
}

/// Adds the copies of the host's rows, and of the previous tick's results to the next stages.
void Pipeline::addExchange(const Tick &tick, Sequence &prog) const {
  const unsigned last = stageCount() - 1;
  if (tick.forward.front())
    prog.add(Copy(characters_,
                  poplar::concat(programs_.front().arrived.in, programs_.front().arrived.seed)));
  if (tick.forward.back())
    prog.add(Copy(labels_, stages_[last]->labels()));
  for (unsigned s = 0; s != last; ++s) {
    const Stage &stage = *stages_[s], &next = *stages_[s + 1];
    if (tick.forward[s + 1])
      addCopy({stage.out(), stage.seed()}, programs_[s + 1].arrived, prog);
    if (tick.backward[s])
      prog.add(Copy(next.ofIn(), stage.ofOut()));
  }
}

void Pipeline::addStage(unsigned s, const Tick &tick, Sequence &prog) const {
  const Stage &stage = *stages_[s];
  const StagePrograms &programs = programs_[s];
  if (programs.kept.empty()) { // both passes are of the same micro-batch
    if (tick.forward[s])
      prog.add(Call(programs.forward));
    if (tick.backward[s])
      prog.add(Call(programs.backward));
    return;
  }
  const Input current{stage.in(), stage.seed()};
  if (tick.backward[s]) {
    addCopy(programs.kept.back(), current, prog);
    prog.add(Call(programs.forward));
    prog.add(Call(programs.backward));
  }
  for (std::size_t k = programs.kept.size(); --k != 0;)
    addCopy(programs.kept[k - 1], programs.kept[k], prog);
  addCopy(programs.arrived, programs.kept.front(), prog);
  if (tick.forward[s]) { // last, so that out() is what the next tick passes on
    addCopy(programs.arrived, current, prog);
    prog.add(Call(programs.forward));
  }
}

} // namespace transformer
