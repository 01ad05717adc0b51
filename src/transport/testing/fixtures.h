#pragma once

#include <fstream>
#include <string>

#include "transport/testing/decorators.h"
#include "transport/transport.h"

/// What the conformance suite must know of a transport: the transport itself, an address to listen on that
/// is free, whether the peer can be another process, whether every frame arrives, and why it cannot run on
/// this machine, if so.
namespace orbweaver::transport::testing {

struct InprocFixture {
  static Transport& transport() { return inproc(); }
  static std::string listen_address() { return ""; }
  static constexpr bool kCrossesProcesses = false;
  static constexpr bool kReliable = true;
  static std::string unavailable() { return ""; }
};

struct ShmFixture {
  static Transport& transport() { return shm(); }
  static std::string listen_address() { return ""; }
  static constexpr bool kCrossesProcesses = true;
  static constexpr bool kReliable = true;
  static std::string unavailable() { return ""; }
};

struct UnixFixture {
  static Transport& transport() { return unix_sockets(); }
  static std::string listen_address() { return ""; }
  static constexpr bool kCrossesProcesses = true;
  static constexpr bool kReliable = true;
  static std::string unavailable() { return ""; }
};

/// A user's queues hold few bytes: 10 messages of 2 KiB each way.
struct MqueueFixture {
  static Transport& transport() { return mqueue(); }
  static std::string listen_address() { return ""; }
  static constexpr bool kCrossesProcesses = true;
  static constexpr bool kReliable = true;
  static constexpr std::uint32_t kHolds = 8;
  static std::string unavailable() {
    return std::ifstream("/proc/sys/fs/mqueue/msg_max") ? "" : "this machine has no POSIX message queues";
  }
};

struct TcpV4Fixture {
  static Transport& transport() { return tcp(); }
  static std::string listen_address() { return ""; }
  static constexpr bool kCrossesProcesses = true;
  static constexpr bool kReliable = true;
  static std::string unavailable() { return ""; }
};

struct TcpV6Fixture {
  static Transport& transport() { return tcp(); }
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
  static Transport& transport() { return udp(); }
  static std::string listen_address() { return ""; }
  static constexpr bool kCrossesProcesses = true;
  static constexpr bool kReliable = false;
  static std::string unavailable() { return ""; }
};

struct UdpV6Fixture : UdpV4Fixture {
  static std::string listen_address() { return "[::1]:0"; }
  static std::string unavailable() { return TcpV6Fixture::unavailable(); }
};

/// The transport of another fixture with every frame leaving a little late.
template <class Fixture>
struct DelayedFixture : Fixture {
  static Transport& transport() {
    const auto wrap = [](std::unique_ptr<Channel> channel) -> std::unique_ptr<Channel> {
      return std::make_unique<Delayed>(std::move(channel), std::chrono::microseconds(20), 1);
    };
    static DecoratedTransport decorated(Fixture::transport(), wrap);
    return decorated;
  }
};

}  // namespace orbweaver::transport::testing
