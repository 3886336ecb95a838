#include "stage.hpp"

#include <poputil/TileMapping.hpp>

namespace transformer {

using poplar::FLOAT;
using poplar::Tensor;
using poplar::UNSIGNED_INT;
using poplar::program::Sequence;

Stage::Stage(poplar::Graph graph, const Shape &shape, Place place, float gradientScale,
             unsigned seed)
    : graph_(std::move(graph)), place_(place), parameters_(graph_, seed),
      context_{graph_, shape, parameters_, plans_} {
  const auto vector = [&](std::size_t elements, const char *name) {
    const Tensor t = graph_.addVariable(UNSIGNED_INT, {elements}, name);
    poputil::mapTensorLinearly(graph_, t);
    return t;
  };
  if (place.first())
    embedding_.emplace(context_);
  const auto boundary = [&](unsigned stage) {
    return static_cast<unsigned>(shape.blocks * stage / place.count);
  };
  for (unsigned b = boundary(place.number); b != boundary(place.number + 1); ++b)
    blocks_.push_back(std::make_unique<Block>(context_, b));
  in_ = addInput(shape.rows(), "in");
  seed_ = vector(2, "seed");
  if (place.last()) {
    head_.emplace(context_);
    labels_ = vector(shape.rows(), "labels");
    lossSum_ = graph_.addVariable(FLOAT, {}, "lossSum");
    graph_.setTileMapping(lossSum_, 0);
  }
  addForward(gradientScale);
  addBackward();
}

Tensor Stage::addInput(std::size_t rows, const std::string &name) {
  const Tensor t = place_.first() ? graph_.addVariable(UNSIGNED_INT, {rows}, name)
                                  : graph_.addVariable(FLOAT, {rows, context_.shape.width}, name);
  poputil::mapTensorLinearly(graph_, t);
  return t;
}

void Stage::addForward(float gradientScale) {
  kept_.resize(blocks_.size());
  out_ = embedding_ ? embedding_->forward(in_, forward_) : in_;
  for (std::size_t b = 0; b != blocks_.size(); ++b)
    out_ = blocks_[b]->forward(out_, &seed_, kept_[b], forward_);
  if (head_)
    head_->addLoss(head_->forward(out_, keptByHead_, forward_), labels_, gradientScale, lossSum_,
                   keptByHead_, forward_);
}

void Stage::addBackward() {
  if (head_) {
    ofIn_ = head_->backward(keptByHead_, backward_);
  } else {
    ofOut_ = graph_.clone(out_, "ofOut");
    ofIn_ = ofOut_;
  }
  for (std::size_t b = blocks_.size(); b-- != 0;)
    ofIn_ = blocks_[b]->backward(kept_[b], seed_, ofIn_, backward_);
  if (embedding_)
    embedding_->backward(in_, ofIn_, backward_);
}

Tensor Stage::evaluate(const Tensor &in, Sequence &prog) {
  Tensor x = embedding_ ? embedding_->forward(in, prog) : in;
  for (const auto &block : blocks_) {
    Block::Kept kept;
    x = block->forward(x, nullptr, kept, prog);
  }
  return x;
}

Tensor Stage::evaluateHead(const Tensor &rows, Sequence &prog) {
  Head::Kept kept;
  return head_->forward(rows, kept, prog);
}

} // namespace transformer
