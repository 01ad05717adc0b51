#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <utility>

#include "transport/testing/ends.h"

/// Conformance suite: each guarantee in transport.h has a test in contract/, and every transport passes all
/// of them. The tests are compiled once, into the object library `transport_contract`, which a test program
/// links. A new transport joins with a fixture (see fixtures.h) and one line, in contract_test.cpp or in its
/// own program:
///
///   INSTANTIATE_TEST_SUITE_P(Library, TransportContract,
///   ::testing::Values(transport_case<ShmFixture>("Shm")),
///                            transport_case_name);
namespace orbweaver::transport::testing {

/// A transport under test: the static members of its fixture, described in fixtures.h.
struct TransportCase {
  const char* name;
  Transport& (*transport)();
  std::string (*listen_address)();
  std::string (*unavailable)();
  bool crosses_processes;
  bool reliable;
  /// Number of 1,000-byte frames that an end may send before the other receives.
  std::uint32_t max_in_flight;
};

template <class Fixture>
constexpr TransportCase transport_case(const char* name) {
  std::uint32_t max_in_flight = 100;
  if constexpr (requires { Fixture::kMaxInFlight; }) max_in_flight = Fixture::kMaxInFlight;
  return {name,
          &Fixture::transport,
          &Fixture::listen_address,
          &Fixture::unavailable,
          Fixture::kCrossesProcesses,
          Fixture::kReliable,
          max_in_flight};
}

inline void PrintTo(const TransportCase& transport_case, std::ostream* out) { *out << transport_case.name; }
inline std::string transport_case_name(const ::testing::TestParamInfo<TransportCase>& info) {
  return info.param.name;
}

class TransportContract : public ::testing::TestWithParam<TransportCase> {
 protected:
  void SetUp() override {
    if (const std::string why = GetParam().unavailable(); !why.empty()) GTEST_SKIP() << why;
  }

  static Transport& transport() { return GetParam().transport(); }
  static std::uint32_t max_in_flight() { return GetParam().max_in_flight; }
  static Ends connected(WaitStrategy wait = WaitStrategy::adaptive) {
    return connected(options_for(wait), options_for(wait));
  }
  static Ends connected(const ChannelOptions& near_options, const ChannelOptions& far_options) {
    return connect_ends(transport(), GetParam().listen_address(), near_options, far_options);
  }
  static std::unique_ptr<Acceptor> listening(WaitStrategy wait = WaitStrategy::adaptive) {
    Result<std::unique_ptr<Acceptor>> acceptor =
        transport().listen(GetParam().listen_address(), options_for(wait));
    EXPECT_TRUE(ok(acceptor));
    return acceptor ? std::move(*acceptor) : nullptr;
  }
};

/// Skips a test that requires reliable delivery and back-pressure.
#define ORBWEAVER_NEEDS_RELIABILITY() \
  if (!GetParam().reliable) GTEST_SKIP() << "frames may be lost, and no sender is blocked"

/// Skips a test whose peer is another process.
#define ORBWEAVER_NEEDS_PROCESSES() \
  if (!GetParam().crosses_processes) GTEST_SKIP() << "both ends live in one process"

}  // namespace orbweaver::transport::testing
