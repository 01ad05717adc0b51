#pragma once

#include <fstream>
#include <string>

#include "transport/testing/decorators.h"
#include "transport/transport.h"

/// Fixtures of the conformance suite. Each has the transport, a free address to listen at, whether the peer
/// can be another process, whether every frame arrives, and the reason if it cannot run on this machine.
namespace orbweaver::transport::testing {

struct InprocFixture {
  static Transport& transport() { return inproc_transport(); }
  static std::string listen_address() { return ""; }
  static constexpr bool kCrossesProcesses = false;
  static constexpr bool kReliable = true;
  static std::string unavailable() { return ""; }
};

struct ShmFixture {
  static Transport& transport() { return shm_transport(); }
  static std::string listen_address() { return ""; }
  static constexpr bool kCrossesProcesses = true;
  static constexpr bool kReliable = true;
  static std::string unavailable() { return ""; }
};

struct UnixFixture {
  static Transport& transport() { return unix_transport(); }
  static std::string listen_address() { return ""; }
  static constexpr bool kCrossesProcesses = true;
  static constexpr bool kReliable = true;
  static std::string unavailable() { return ""; }
};

/// A user's queues hold few bytes: 10 messages of 2 KiB in each direction.
struct MqueueFixture {
  static Transport& transport() { return mqueue_transport(); }
  static std::string listen_address() { return ""; }
  static constexpr bool kCrossesProcesses = true;
  static constexpr bool kReliable = true;
  static constexpr std::uint32_t kMaxInFlight = 8;
  static std::string unavailable() {
    return std::ifstream("/proc/sys/fs/mqueue/msg_max") ? "" : "this machine has no POSIX message queues";
  }
};

struct TcpV4Fixture {
  static Transport& transport() { return tcp_transport(); }
  static std::string listen_address() { return ""; }
  static constexpr bool kCrossesProcesses = true;
  static constexpr bool kReliable = true;
  static std::string unavailable() { return ""; }
};

struct TcpV6Fixture {
  static Transport& transport() { return tcp_transport(); }
  static std::string listen_address() { return "[::1]:0"; }
  static constexpr bool kCrossesProcesses = true;
  static constexpr bool kReliable = true;
  static std::string unavailable() {
    std::ifstream interfaces("/proc/net/if_inet6");
    for (std::string line; std::getline(interfaces, line);) {
      if (line.starts_with("00000000000000000000000000000001 ")) return "";
    }
    return "this machine has no IPv6 loopback";
  }
};

struct UdpV4Fixture {
  static Transport& transport() { return udp_transport(); }
  static std::string listen_address() { return ""; }
  static constexpr bool kCrossesProcesses = true;
  static constexpr bool kReliable = false;
  static std::string unavailable() { return ""; }
};

struct UdpV6Fixture : UdpV4Fixture {
  static std::string listen_address() { return "[::1]:0"; }
  static std::string unavailable() { return TcpV6Fixture::unavailable(); }
};

/// The transport of another fixture, with a small delay before each frame.
template <class Fixture>
struct DelayingFixture : Fixture {
  static Transport& transport() {
    const auto wrap = [](std::unique_ptr<Channel> channel) -> std::unique_ptr<Channel> {
      return std::make_unique<DelayingChannel>(std::move(channel), std::chrono::microseconds(20), 1);
    };
    static DecoratedTransport decorated(Fixture::transport(), wrap);
    return decorated;
  }
};

}  // namespace orbweaver::transport::testing
