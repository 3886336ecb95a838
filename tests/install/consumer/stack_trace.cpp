// Where a program is, as PopTorch adds it to its errors.
#include <cstdio>
#include <gccs/StackTrace.hpp>
#include <string>

__attribute__((noinline)) std::string inner(std::size_t skip, std::size_t max) {
  return gccs::getStackTrace(skip, max) + ""; // no tail call
}

int main() {
  const std::string whole = inner(0, 100), rest = inner(1, 100), one = inner(0, 1);
  std::printf("%s", whole.c_str());
  const bool isRight = whole.find("[0] gccs::getStackTrace") == 0 &&
                       rest.find("gccs::getStackTrace") == std::string::npos &&
                       one.find('\n') == one.size() - 1 && whole.size() > rest.size();
  return isRight ? 0 : 1;
}
