#pragma once

#include "rbufd_process.hpp"

#include <memory>

namespace copse::test {

/// An rbufd that can be killed and started again with its stored rows.
class KeptRows {
public:
  KeptRows() { start(); }

  void start() {
    rbufd_ = std::make_unique<Rbufd>(std::vector<std::string>{
        "--listen", "ipc://" + folder_.file("socket"), "--directory", folder_.file("rows")});
  }
  ChildProcess &process() { return rbufd_->process(); }
  std::map<std::string, std::string> environment() const {
    return {{"COPSE_RBUFD", rbufd_->endpoint()}};
  }

private:
  TemporaryFolder folder_;
  std::unique_ptr<Rbufd> rbufd_;
};

} // namespace copse::test
