// Lingering close of stream channels, and connections rejected without descriptors.
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "connected_pair.h"
#include "platform/descriptors.h"
#include "platform/resolver.h"
#include "platform/socket.h"
#include "platform/socket_address.h"
#include "testing/test_orb.h"
#include "transport/stream/lingering.h"

namespace orbtest {
namespace {

namespace platform = orbweaver::platform;

TEST(Closing, LingersInAnotherThread) {
  // A socket lingers for 100 ms at most: the count is repeated if this thread took long to read it.
  for (bool read_in_time = false; !read_in_time;) {
    ConnectedPair pair("tcp", nullptr);
    while (send(*pair.near, 1'000'000, Deadline::in_ms(1))) {  // until the buffers are full
    }
    const Deadline soon = Deadline::in_ms(50);
    pair.near->close();
    const std::size_t lingering = transport::lingering_count();
    read_in_time = !soon.passed();
    if (read_in_time) {
      EXPECT_EQ(lingering, 1u);
    }
    EXPECT_TRUE(becomes_true([] { return transport::lingering_count() == 0; }));
  }
}

TEST(Closing, LimitsLingeringDescriptors) {
  const auto listener = platform::listen_on(platform::resolve_tcp("127.0.0.1", 0, true).addresses.at(0), 64);
  const int small = 4096;
  setsockopt(listener.fd.get(), SOL_SOCKET, SO_RCVBUF, &small,
             sizeof small);  // inherited by accepted sockets
  const auto server_address = platform::local_address(listener.fd);
  std::vector<platform::Fd> near, far;
  const std::vector<std::uint8_t> bytes(4096);
  for (std::size_t i = 0; i < transport::kMaxLingering + 8; ++i) {
    near.push_back(std::move(platform::connect_to(server_address, Deadline::in_ms(30'000)).fd));
    far.push_back(std::move(platform::accept_from(listener.fd, Deadline::in_ms(30'000)).fd));
    setsockopt(near.back().get(), SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
    while (platform::send(near.back(), bytes, platform::Blocking::no).error == 0) {
    }
    platform::shutdown_sending(near.back());
  }
  std::size_t peak = 0;
  for (platform::Fd& socket : near) {
    transport::linger_in_background(std::move(socket));
    peak = std::max(peak, transport::lingering_count());
  }
  EXPECT_GT(peak, 0u);
  EXPECT_LE(peak, transport::kMaxLingering);
  EXPECT_TRUE(becomes_true([] { return transport::lingering_count() == 0; }));
}

TEST(Closing, SendsCommittedFramesAfterDestruction) {
  ConnectedPair pair("tcp", nullptr);
  std::thread receiving([&] {
    int frames = 0;
    while (pair.far->receive(Deadline::in_ms(120'000))) {
      pair.far->release();
      ++frames;
    }
    EXPECT_EQ(frames, 3);
  });
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(send(*pair.near, 100'000, Deadline::in_ms(120'000)));
  pair.near = nullptr;
  receiving.join();
}

TEST(AcceptorWithoutDescriptors, RejectsPeersWithItsReserveDescriptor) {
  transport::ChannelOptions options;
  options.frame_length = &orbweaver::giop::frame_length;
  auto acceptor = std::move(*transport::find("tcp")->listen("127.0.0.1:0", options));
  const std::string address = acceptor->address();
  const auto port = static_cast<std::uint16_t>(std::stoul(address.substr(address.rfind(':') + 1)));
  const auto server_address = platform::resolve_tcp("127.0.0.1", port, false).addresses.at(0);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = descriptors() + 10;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  const auto client = platform::connect_to(server_address, Deadline::in_ms(120'000));
  std::vector<platform::Fd> all;
  while (all.empty() || all.back()) all.push_back(platform::spare_descriptor());
  const auto accepted = acceptor->try_accept();
  ASSERT_TRUE(accepted);
  EXPECT_EQ(*accepted, nullptr);
  EXPECT_NE(platform::poll(client.fd, platform::kReadable, Deadline::in_ms(120'000)),
            0u);  // closed by the server
  all.clear();
  setrlimit(RLIMIT_NOFILE, &before);
  const auto next = platform::connect_to(server_address, Deadline::in_ms(120'000));
  EXPECT_TRUE(becomes_true([&] {
    const auto channel = acceptor->try_accept();
    return channel && *channel != nullptr;
  }));
}

}  // namespace
}  // namespace orbtest
