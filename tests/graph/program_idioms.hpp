#pragma once

#include <map>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <vector>

std::vector<poplar::program::Program> sequenceIdioms(poplar::Graph &graph);
std::vector<poplar::program::Program> programIdioms(poplar::Graph &graph);
std::vector<poplar::Tensor> graphIdioms(poplar::Graph &graph);
void vertexIdioms(poplar::Graph &graph, const poplar::Tensor &t);
std::map<poplar::Type, poplar::Tensor> keyedByType(const poplar::Tensor &t);
