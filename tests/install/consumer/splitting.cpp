// Chooses how many tiles share rows and columns, as PopLibs does, and checks the choice.
#include <gccs/popsolver/Model.hpp>
#include <iostream>
#include <poplar_test/Util.hpp>
#include <string>

int main(int argc, char **argv) {
  const unsigned tiles = argc > 1 ? std::stoul(argv[1]) : 1472;
  gccs::popsolver::Model m;
  const auto rows = m.addVariable(1, tiles, "rows"), columns = m.addVariable(1, tiles, "columns");
  m.lessOrEqual(m.product({rows, columns}), m.addConstant(tiles));
  const auto work =
      m.product({m.ceildiv(m.addConstant(1000), rows), m.ceildiv(m.addConstant(30), columns)});
  const auto solution = m.minimize({work});
  std::cout << "work of a tile: " << solution[work] << "\n";

  // A device that an option chooses, as tests of PopLibs have it.
  const std::string last = argc > 3 ? argv[argc - 1] : "";
  const bool sound = poplar_test::HostMemories().empty() && solution[work].getAs<unsigned>() == 21;
  return sound && (argc < 3 || last == "IpuModel2") ? 0 : 1;
}
