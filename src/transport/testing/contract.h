#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <utility>

#include "transport/testing/ends.h"

/// The conformance suite: every bullet of transport.h is a test in contract/, and every transport passes all of them.
/// The tests are compiled once, into the object library `transport_contract`; a program of tests links it. A new
/// transport joins with a fixture (see fixtures.h) and one line, in contract_test.cpp or in a program of its own:
///
///   INSTANTIATE_TEST_SUITE_P(Library, TransportContract, ::testing::Values(subject<ShmFixture>("Shm")), subject_name);
namespace orbweaver::transport::testing {

/// A transport as the suite sees it: the static members of its fixture, which fixtures.h describes.
struct Subject {
  const char* name;
  Transport& (*transport)();
  std::string (*listen_address)();
  std::string (*unavailable)();
  bool crosses_processes;
  bool reliable;
  /// How many frames of 1,000 bytes an end may send before the other receives.
  std::uint32_t holds;
};

template <class Fixture>
constexpr Subject subject(const char* name) {
  std::uint32_t holds = 100;
  if constexpr (requires { Fixture::kHolds; }) holds = Fixture::kHolds;
  return {name,  &Fixture::transport, &Fixture::listen_address, &Fixture::unavailable, Fixture::kCrossesProcesses,
          Fixture::kReliable, holds};
}

inline void PrintTo(const Subject& subject, std::ostream* out) { *out << subject.name; }
inline std::string subject_name(const ::testing::TestParamInfo<Subject>& info) { return info.param.name; }

class TransportContract : public ::testing::TestWithParam<Subject> {
 protected:
  void SetUp() override {
    if (const std::string why = GetParam().unavailable(); !why.empty()) GTEST_SKIP() << why;
  }

  static Transport& transport() { return GetParam().transport(); }
  static std::uint32_t holds() { return GetParam().holds; }
  static Ends connected(Wait wait = Wait::adaptive) { return connected(options_for(wait), options_for(wait)); }
  static Ends connected(const ChannelOptions& near_options, const ChannelOptions& far_options) {
    return connect_ends(transport(), GetParam().listen_address(), near_options, far_options);
  }
  static std::unique_ptr<Acceptor> listening(Wait wait = Wait::adaptive) {
    Result<std::unique_ptr<Acceptor>> acceptor =
        transport().listen(GetParam().listen_address(), options_for(wait));
    EXPECT_TRUE(ok(acceptor));
    return acceptor ? std::move(*acceptor) : nullptr;
  }
};

/// First in a test that only a transport can pass which loses nothing and makes the sender wait.
#define ORBWEAVER_NEEDS_RELIABILITY() \
  if (!GetParam().reliable) GTEST_SKIP() << "frames may be lost, and no sender waits for room"

/// First in a test whose peer is another process.
#define ORBWEAVER_NEEDS_PROCESSES() \
  if (!GetParam().crosses_processes) GTEST_SKIP() << "both ends live in one process"

}  // namespace orbweaver::transport::testing
