// The vertices of the two-layer perceptron. Activations are feature-major: row f holds feature f of
// every image of the batch, so that the inner loops run over the batch.
#include <cmath>
#include <poplar/Vertex.hpp>

using namespace poplar;

// y[b] = bias + sum over k of w[k] * x[k][b], then max(0, y[b]) if asked for: one unit of a dense
// layer.
template <bool relu> class Dense : public Vertex {
public:
  Input<Vector<float>> x; // shape [inputs * batch]
  Input<Vector<float>> w; // shape [inputs]
  Input<float> bias;
  Output<Vector<float>> y; // shape [batch]

  bool compute() {
    const unsigned batch = y.size();
    for (unsigned b = 0; b < batch; ++b)
      y[b] = *bias;
    for (unsigned k = 0; k < w.size(); ++k) {
      const float weight = w[k];
      for (unsigned b = 0; b < batch; ++b)
        y[b] += weight * x[k * batch + b];
    }
    if (relu)
      for (unsigned b = 0; b < batch; ++b)
        y[b] = y[b] > 0.0f ? y[b] : 0.0f;
    return true;
  }
};
template class Dense<true>;
template class Dense<false>;

// Softmax, cross-entropy loss and its gradient for one image.
class SoftmaxCrossEntropy : public Vertex {
public:
  Input<Vector<float>> logits; // shape [classes]
  Input<int> label;
  Output<Vector<float>> gradient; // shape [classes]: softmax - one-hot
  Output<float> loss;
  float scale; // factor of the gradient: 1 / images in the whole batch

  bool compute() {
    const unsigned classes = logits.size();
    float largest = logits[0];
    for (unsigned c = 1; c < classes; ++c)
      largest = logits[c] > largest ? logits[c] : largest;
    float sum = 0.0f;
    for (unsigned c = 0; c < classes; ++c)
      sum += std::exp(logits[c] - largest);
    for (unsigned c = 0; c < classes; ++c) {
      const float softmax = std::exp(logits[c] - largest) / sum;
      gradient[c] = scale * (softmax - (static_cast<int>(c) == *label ? 1.0f : 0.0f));
    }
    *loss = std::log(sum) + largest - logits[*label];
    return true;
  }
};

// The most likely class of one image.
class ArgMax : public Vertex {
public:
  Input<Vector<float>> logits; // shape [classes]
  Output<int> label;

  bool compute() {
    int best = 0;
    for (unsigned c = 1; c < logits.size(); ++c)
      if (logits[c] > logits[best])
        best = static_cast<int>(c);
    *label = best;
    return true;
  }
};

// Adds up the losses of the images of a batch.
class Sum : public Vertex {
public:
  Input<Vector<float>> in;
  Output<float> out;

  bool compute() {
    float sum = 0.0f;
    for (unsigned i = 0; i < in.size(); ++i)
      sum += in[i];
    *out = sum;
    return true;
  }
};

// dw[k] = sum over b of delta[b] * x[k][b], and the same for the bias: the gradient of one unit's
// weights.
class WeightGradient : public Vertex {
public:
  Input<Vector<float>> x;     // shape [inputs * batch]
  Input<Vector<float>> delta; // shape [batch]
  Output<Vector<float>> dw;   // shape [inputs]
  Output<float> dbias;

  bool compute() {
    const unsigned batch = delta.size();
    for (unsigned k = 0; k < dw.size(); ++k) {
      float sum = 0.0f;
      for (unsigned b = 0; b < batch; ++b)
        sum += delta[b] * x[k * batch + b];
      dw[k] = sum;
    }
    float sum = 0.0f;
    for (unsigned b = 0; b < batch; ++b)
      sum += delta[b];
    *dbias = sum;
    return true;
  }
};

// dx[b] = sum over u of w[u] * delta[u][b], where the ReLU let x through: the gradient of one
// hidden unit's output.
class ReluGradient : public Vertex {
public:
  Input<Vector<float>>
      w; // shape [units]: the weights that this hidden unit's output is multiplied with
  Input<Vector<float>> delta; // shape [units * batch]
  Input<Vector<float>> x;     // shape [batch]: the hidden unit's output
  Output<Vector<float>> dx;   // shape [batch]

  bool compute() {
    const unsigned batch = x.size();
    for (unsigned b = 0; b < batch; ++b)
      dx[b] = 0.0f;
    for (unsigned u = 0; u < w.size(); ++u)
      for (unsigned b = 0; b < batch; ++b)
        dx[b] += w[u] * delta[u * batch + b];
    for (unsigned b = 0; b < batch; ++b)
      dx[b] = x[b] > 0.0f ? dx[b] : 0.0f;
    return true;
  }
};

// Adds up the gradients of all replicas. slots[s] came from replica (self - s) mod R; adding them
// in the order of their senders gives every replica the same bits.
class SumReplicas : public Vertex {
public:
  Vector<Input<Vector<float>>> slots; // shape [replicas][n]
  Input<unsigned> self;
  Output<Vector<float>> sum; // shape [n]

  bool compute() {
    const unsigned replicas = slots.size();
    for (unsigned sender = 0; sender < replicas; ++sender) {
      const auto &slot = slots[(*self + replicas - sender) % replicas];
      for (unsigned i = 0; i < sum.size(); ++i)
        sum[i] = sender == 0 ? slot[i] : sum[i] + slot[i];
    }
    return true;
  }
};

// Gradient descent with momentum.
class Update : public Vertex {
public:
  Input<Vector<float>> gradient;
  InOut<Vector<float>> momentum;
  InOut<Vector<float>> weights;
  float rate;
  float decay;

  bool compute() {
    for (unsigned i = 0; i < weights.size(); ++i) {
      momentum[i] = decay * momentum[i] + gradient[i];
      weights[i] -= rate * momentum[i];
    }
    return true;
  }
};
