#include <poplar/Vertex.hpp>

using namespace poplar;

class LifeRow : public Vertex {
public:
  Input<Vector<char>> rows; // the row before, this one and the one after
  Output<Vector<char>> next;
  Output<bool> changed;

  bool compute() {
    const unsigned n = next.size();
    bool any = false;
    for (unsigned c = 0; c < n; ++c) {
      const unsigned left = (c + n - 1) % n, right = (c + 1) % n;
      int sum = rows[n + left] + rows[n + right];
      for (unsigned r = 0; r < 3 * n; r += 2 * n)
        sum += rows[r + left] + rows[r + c] + rows[r + right];
      const char alive = sum == 3 || (sum == 2 && rows[n + c]);
      any |= alive != rows[n + c];
      next[c] = alive;
    }
    *changed = any;
    return true;
  }
};

class Continue : public Vertex {
public:
  Input<Vector<bool>> changed;
  InOut<int> generation;
  Input<int> limit;
  Output<bool> running;

  void compute() {
    *generation += 1;
    bool any = false;
    for (unsigned i = 0; i < changed.size(); ++i)
      any = any || changed[i];
    *running = any && *generation < limit;
  }
};
