// Tests of clients that ask for smaller rings than those of the server.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "platform/socket.h"
#include "transport/shm/segment.h"
#include "transport/testing/ends.h"

namespace orbweaver::transport::shm {
namespace {

using namespace orbweaver::transport::testing;

constexpr std::size_t kSmall = 16384;
const std::size_t kUsual = ChannelOptions().ring_bytes;

ChannelOptions with_rings(std::size_t bytes) {
  ChannelOptions options = options_for();
  options.ring_bytes = bytes;
  return options;
}

/// Bytes that this process has mapped of segments.
std::size_t mapped_bytes() {
  std::ifstream maps("/proc/self/maps");
  std::size_t bytes = 0;
  for (std::string line; std::getline(maps, line);) {
    if (line.find("orbweaver-shm") == std::string::npos) continue;
    std::size_t begin = 0, end = 0;
    char dash = 0;
    std::istringstream(line) >> std::hex >> begin >> dash >> end;
    bytes += end - begin;
  }
  return bytes;
}

std::size_t mapped_bytes_of_both_ends(std::size_t client, std::size_t server) {
  const std::size_t before = mapped_bytes();
  const Ends ends = connect_ends(shm_transport(), "", with_rings(client), with_rings(server));
  return mapped_bytes() - before;
}

/// The size of rings that a server with usual ones tells a client whose socket has this name.
std::uint64_t told_to(const std::string& name) {
  auto acceptor = shm_transport().listen("", with_rings(kUsual));
  EXPECT_TRUE(ok(acceptor));
  std::thread accepting([&] { EXPECT_TRUE(ok((*acceptor)->accept())); });
  const auto own = platform::unix_address("@shm/" + name);
  const auto socket =
      platform::connect_to(platform::unix_address("@shm/" + (*acceptor)->address()), hang_deadline(), &own);
  EXPECT_TRUE(socket);
  Welcome welcome{};
  platform::recv(socket.fd, {reinterpret_cast<std::uint8_t*>(&welcome), sizeof welcome},
                 platform::Blocking::yes);
  accepting.join();
  return welcome.ring_bytes;
}

TEST(ShmRingRequest, GivesBothEndsTheSmallerRings) {
  constexpr std::size_t ends = 2, mappings_of_a_ring = 2, rings = 2;
  const auto expected = [](std::size_t ring) {
    return ends * (kHeaderBytes + rings * mappings_of_a_ring * ring);
  };
  EXPECT_EQ(mapped_bytes_of_both_ends(kSmall, kUsual), expected(kSmall));
  EXPECT_EQ(mapped_bytes_of_both_ends(kUsual, kSmall), expected(kSmall));
  EXPECT_EQ(mapped_bytes_of_both_ends(kUsual, kUsual), expected(kUsual));
  EXPECT_EQ(mapped_bytes_of_both_ends(kUsual, 2 * kUsual), expected(2 * kUsual)) << "it asks for nothing";
}

TEST(ShmRingRequest, IsTheNameOfTheSocket) {
  EXPECT_EQ(told_to("ring/16384/orbweaver-test"), kSmall);
  EXPECT_EQ(told_to("ring/5000/orbweaver-test"), 8192u);
  EXPECT_EQ(told_to("another/orbweaver-test"), kUsual);
  EXPECT_EQ(told_to("ring/16384"), kUsual);
}

TEST(ShmRingRequest, IsNoMoreThanTheServerGives) {
  EXPECT_EQ(told_to("ring/0/orbweaver-test"), kMinRingBytes);
  EXPECT_EQ(told_to("ring/1073741824/orbweaver-test"), kUsual);
  EXPECT_EQ(told_to("ring/99999999999999999999999/orbweaver-test"), kUsual);
  EXPECT_EQ(told_to("ring/-1/orbweaver-test"), kUsual);
  EXPECT_EQ(told_to("ring//orbweaver-test"), kUsual);
  EXPECT_EQ(told_to("ring/16384x/orbweaver-test"), kUsual);
}

TEST(ShmRingRequest, EchoesFramesLargerThanTheRings) {
  Ends ends = connect_ends(shm_transport(), "", with_rings(kSmall), with_rings(kUsual));
  ASSERT_TRUE(ends.near && ends.far);
  Echo echo(*ends.far);
  std::uint32_t sequence = 0;
  for (const std::size_t bytes : {std::size_t{100}, kSmall, 4 * kSmall}) {
    std::thread sending([&] { EXPECT_TRUE(ok(send_frame(*ends.near, bytes, sequence))); });
    EXPECT_TRUE(receives(*ends.near, bytes, sequence));
    sending.join();
    ++sequence;
  }
  ends.near->close();
}

}  // namespace
}  // namespace orbweaver::transport::shm
