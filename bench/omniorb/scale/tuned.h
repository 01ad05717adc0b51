// The ORB of omniORB's programs of `orbweaver bench scale`.
#pragma once

#include <string>
#include <vector>

#include "bench/omniorb/setup.h"

namespace orbweaver::bench {

/// An ORB with the settings of the other experiments, over TCP, and with `more` options.
inline CORBA::ORB_var tuned_orb(const std::vector<std::string>& more) {
  std::vector<std::string> options = {
      "-ORBscanGranularity",           "0", "-ORBsupportPerThreadTimeOut", "0",
      "-ORBverifyObjectExistsAndType", "0", "-ORBclientTransportRule",     "* tcp"};
  options.insert(options.end(), more.begin(), more.end());
  return omniorb_with(std::move(options));
}

}  // namespace orbweaver::bench
