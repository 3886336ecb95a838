// print_codelets GROUP: the source of a file of common codelets, for the build.
#include "common_codelets.hpp"

#include <iostream>

int main(int argc, char **argv) {
  using namespace copse::element_expr;
  for (const poplar::Type &type : commonTypes())
    if (argc == 2 && groupOf(type) == argv[1]) {
      std::cout << sourceOf(commonCodelets(type));
      return 0;
    }
  std::cerr << "usage: print_codelets GROUP\n";
  return 2;
}
