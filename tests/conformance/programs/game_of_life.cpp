// Conway's game on a torus of chars, until nothing changes or the generations are used up.
#include "check.hpp"

#include <poplar/Engine.hpp>
#include <vector>

namespace {
constexpr std::size_t kSize = 18;
using Board = std::vector<char>;

Board next(const Board &b) {
  Board result(b.size());
  for (std::size_t r = 0; r < kSize; ++r)
    for (std::size_t c = 0; c < kSize; ++c) {
      int n = 0;
      for (std::size_t dr : {kSize - 1, kSize, kSize + 1})
        for (std::size_t dc : {kSize - 1, kSize, kSize + 1})
          n += (dr != kSize || dc != kSize) && b[(r + dr) % kSize * kSize + (c + dc) % kSize];
      result[r * kSize + c] = n == 3 || (n == 2 && b[r * kSize + c]);
    }
  return result;
}
} // namespace

int main(int argc, char **argv) {
  using namespace poplar;
  using namespace poplar::program;
  auto device = check::device(argc, argv);
  Graph graph(device);
  graph.addCodelets("life_codelets.cpp");
  const auto numTiles = graph.getTarget().getNumTiles();

  const Tensor board = graph.addVariable(CHAR, {kSize, kSize}, "board");
  const Tensor buffer = graph.clone(board, "buffer");
  const Tensor changed = graph.addVariable(BOOL, {kSize}, "changed");
  const Tensor generation = graph.addVariable(INT, {}, "generation");
  const Tensor running = graph.addVariable(BOOL, {}, "running");
  const Tensor limit = graph.addConstant(INT, {}, 40);
  for (unsigned row = 0; row < kSize; ++row)
    for (const auto &t : {board[row], buffer[row], changed[row]})
      graph.setTileMapping(t, row % numTiles);
  for (const auto &t : {generation, running, limit})
    graph.setTileMapping(t, 0);
  graph.setInitialValue(generation, 0);
  graph.setInitialValue(running, true);

  auto life = graph.addComputeSet("life");
  for (unsigned row = 0; row < kSize; ++row) {
    auto rows = concat({board[(row + kSize - 1) % kSize], board[row], board[(row + 1) % kSize]});
    auto v = graph.addVertex(life, "LifeRow",
                             {{"rows", rows}, {"next", buffer[row]}, {"changed", changed[row]}});
    graph.setTileMapping(v, row % numTiles);
  }
  auto count = graph.addComputeSet("count");
  auto v = graph.addVertex(
      count, "Continue",
      {{"changed", changed}, {"generation", generation}, {"limit", limit}, {"running", running}});
  graph.setTileMapping(v, 0);

  const Sequence body{Execute(life), Copy(buffer, board), Execute(count)};
  const RepeatWhileTrue loop(Sequence(), running, body);
  graph.createHostWrite("board", board);
  graph.createHostRead("board", board);
  graph.createHostRead("generation", generation);

  Engine engine(graph, loop);
  engine.load(device);
  Board start(kSize * kSize);
  for (auto [r, c] :
       {std::pair{1, 2}, {2, 3}, {3, 1}, {3, 2}, {3, 3}, {10, 10}, {10, 11}, {11, 10}, {11, 11}})
    start[static_cast<std::size_t>(r) * kSize + static_cast<std::size_t>(c)] = 1;
  engine.writeTensor("board", start.data(), start.data() + start.size());
  engine.run();

  Board expected = start, last;
  int generations = 0;
  do {
    last = expected;
    expected = next(expected);
    ++generations;
  } while (generations < 40 && expected != last);
  Board result(start.size());
  int counted = 0;
  engine.readTensor("board", result.data(), result.data() + result.size());
  engine.readTensor("generation", &counted, &counted + 1);
  return check::differences("board", result, expected) +
         check::differences("generation", std::vector<int>{counted}, {generations});
}
