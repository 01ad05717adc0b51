#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <ostream>
#include <string>
#include <vector>

namespace orbtest {

/// A thread policy of a server, and the transport over which it is called: the parameter of tests of
/// behaviour that is the same in each.
struct ThreadMode {
  std::string threads;    ///< Value of -ORBThreads.
  std::string transport;  ///< Value of -ORBTransportPreference.
};

inline void PrintTo(const ThreadMode& mode, std::ostream* out) {
  *out << mode.threads << " over " << mode.transport;
}

/// Each thread policy over each transport.
inline std::vector<ThreadMode> thread_modes(std::initializer_list<const char*> threads,
                                            std::initializer_list<const char*> transports) {
  std::vector<ThreadMode> all;
  for (const char* policy : threads) {
    for (const char* transport : transports) all.push_back({policy, transport});
  }
  return all;
}

/// A value of options as a part of the name of a test: "pool:2" has a character that such names cannot have.
inline std::string name_of_value(std::string value) {
  std::replace(value.begin(), value.end(), ':', '_');
  return value;
}

/// Names of tests with these parameters: for the second, values of -ORBThreads.
inline std::string thread_mode_name(const ::testing::TestParamInfo<ThreadMode>& info) {
  return name_of_value(info.param.threads + "_" + info.param.transport);
}
inline std::string thread_policy_name(const ::testing::TestParamInfo<std::string>& info) {
  return name_of_value(info.param);
}

}  // namespace orbtest
