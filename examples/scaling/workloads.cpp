#include "workloads.hpp"

#include "digits_workload.hpp"
#include "synthetic_workloads.hpp"
#include "transformer_workload.hpp"

#include <map>

namespace scaling {
namespace {

const std::map<std::string, Workload> kWorkloads{{"training", training},
                                                 {"stencil", stencil},
                                                 {"streamed", streamed},
                                                 {"digits-gcl", digitsWithGcl},
                                                 {"transformer", transformerStep}};

} // namespace

std::vector<std::string> workloadNames() {
  std::vector<std::string> names;
  for (const auto &[name, workload] : kWorkloads)
    names.push_back(name);
  return names;
}

Workload workloadNamed(const std::string &name) { return kWorkloads.at(name); }

} // namespace scaling
