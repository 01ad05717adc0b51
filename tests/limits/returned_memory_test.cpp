// Memory that a server returns to the system when connections have ended.
#include <gmock/gmock.h>

#include <fstream>

#include "platform/testing/kept_memory.h"
#include "serving.h"

namespace orbtest {
namespace {

/// The anonymous resident memory of this process, in bytes.
std::size_t resident_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssAnon:")) return std::stoul(line.substr(8)) * 1024;
  }
  ADD_FAILURE() << "/proc/self/status has no RssAnon";
  return 0;
}

/// A Request that announces 16,000,000 bytes, of which `bytes` are sent.
Octets half_message(std::size_t bytes) {
  Octets message = {'G', 'I', 'O', 'P', 1, 2, 1, 0, 0, 0x24, 0xf4, 0};
  message.resize(bytes);
  return message;
}

/// The same as GIOP fragments of 64 KiB, of which the last is missing.
Octets half_fragmented_message(std::size_t bytes) {
  Octets message;
  while (message.size() < bytes) {
    const std::uint8_t type = message.empty() ? 0 : 7;
    const Octets header = {'G', 'I', 'O', 'P', 1, 2, 3, type, 0xf4, 0xff, 0, 0, 9, 0, 0, 0};
    const std::size_t at = message.size();
    message.insert(message.end(), header.begin(), header.end());
    message.resize(at + 65536);
  }
  return message;
}

struct Message {
  const char* name;
  Octets (*make)(std::size_t bytes);
};
void PrintTo(const Message& message, std::ostream* out) { *out << message.name; }

class ReturnedMemory : public ::testing::TestWithParam<Message> {};

/// Connections with a thread each have heaps of the C library of their own.
TEST_P(ReturnedMemory, OfIncompleteMessages) {
  constexpr int kPeers = 8;
  constexpr std::size_t kBytes = 15'000'000, kBound = kPeers * kBytes / 2;
  TestServer server("connection", {"-ORBTune", "receive-bytes=400000000"});
  const Octets message = GetParam().make(kBytes);
  orbweaver::platform::testing::let_free_keep_large_blocks();
  const std::size_t before = resident_bytes();
  for (int round = 0; round < 3; ++round) {
    std::vector<RawPeer> peers;
    for (int i = 0; i < kPeers; ++i) {
      peers.push_back(server.raw());
      peers.back().sends(message);
    }
    ASSERT_TRUE(becomes_true([&] { return server.bytes_held() >= kPeers * (kBytes - 100'000); }));
    peers.clear();
    ASSERT_TRUE(becomes_true([&] { return server.connections() == 0; }));
  }
  EXPECT_TRUE(becomes_true([&] { return resident_bytes() < before + kBound; }))
      << resident_bytes() - before << " bytes more than before";
}

INSTANTIATE_TEST_SUITE_P(Messages, ReturnedMemory,
                         ::testing::Values(Message{"whole", half_message},
                                           Message{"fragmented", half_fragmented_message}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace orbtest
