#include "popc/popc_command.hpp"

#include <iostream>

int main(int argc, char **argv) {
  return copse::popc::runPopc({argv + 1, argv + argc}, std::cin, std::cout, std::cerr);
}
