#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <random>
#include <thread>

#include "transport/tcp/address.h"
#include "transport/testing/ends.h"
#include "transport/udp/udp_channel.h"

/// Tests over an impaired link: datagrams are lost, duplicated and delayed.
namespace orbweaver::transport::testing {
namespace {

using namespace udp;

/// A relay on the path to `server`, used by one client. Of all datagrams except goodbyes, one in each given
/// number is lost, sent twice, delayed until the next was sent, or delayed by 20 ms with all behind it; 0:
/// none.
class ImpairedLink {
 public:
  struct Impairments {
    std::uint32_t lost, duplication, reordering, delay = 0;
  };
  ImpairedLink(const std::string& server, const Impairments& impairments, std::uint32_t seed)
      : client_socket_(std::move(platform::bind_udp(resolved("127.0.0.1:0")).fd)),
        server_socket_(std::move(platform::connect_udp(resolved(server)).fd)), impairments_(impairments),
        random_(seed), relaying_([this] { relay(); }) {}
  ~ImpairedLink() {
    over_ = true;
    relaying_.join();
  }
  std::string address() const { return platform::local_address(client_socket_).text(); }

 private:
  using Octets = std::vector<std::uint8_t>;
  static platform::SocketAddress resolved(const std::string& address) {
    const HostPort where = *parse_host_port(address);
    return platform::resolve_tcp(where.host, where.port, true).addresses.at(0);
  }
  bool occurs(std::uint32_t one_in) { return one_in != 0 && random_() % one_in == 0; }

  void relay() {
    Octets room(65'536);
    while (!over_) {
      std::array<platform::PollItem, 2> items{
          {{client_socket_.get(), platform::kReadable, 0}, {server_socket_.get(), platform::kReadable, 0}}};
      const int ready = platform::poll(items, Deadline::in_ms(5));
      for (; !queue_.empty() && blocked_until_.passed(); queue_.pop_front())
        send(queue_.front().datagram, queue_.front().to_server);
      if (ready == 0) continue;
      if (items[0].ready != 0) {
        const auto got = platform::recv_from(client_socket_, room, client_, platform::Blocking::no);
        if (got.error == 0) pass({room.begin(), room.begin() + static_cast<std::ptrdiff_t>(got.bytes)}, true);
      }
      if (items[1].ready != 0) {
        const auto got = platform::recv(server_socket_, room, platform::Blocking::no);
        if (got.error == 0)
          pass({room.begin(), room.begin() + static_cast<std::ptrdiff_t>(got.bytes)}, false);
      }
    }
  }
  void pass(Octets datagram, bool to_server) {
    if (!queue_.empty()) return queue_.push_back({std::move(datagram), to_server});
    Octets& held = held_[to_server ? 0 : 1];
    const bool is_bye = datagram.size() > 4 && datagram[4] == static_cast<std::uint8_t>(DatagramKind::bye);
    if (!is_bye) {
      if (occurs(impairments_.lost)) return;
      if (occurs(impairments_.delay)) {
        blocked_until_ = Deadline::in_ms(20);
        queue_.push_back({std::move(datagram), to_server});
        return;
      }
      if (occurs(impairments_.duplication)) send(datagram, to_server);
      if (held.empty() && occurs(impairments_.reordering)) {
        held = std::move(datagram);
        return;
      }
    }
    if (is_bye && !held.empty()) send(std::exchange(held, {}), to_server);
    send(datagram, to_server);
    if (!held.empty()) send(std::exchange(held, {}), to_server);
  }
  void send(const Octets& datagram, bool to_server) {
    if (to_server)
      platform::send(server_socket_, datagram, platform::Blocking::yes);
    else if (client_.length != 0)
      platform::send_to(client_socket_, datagram, client_);
  }

  const platform::Fd client_socket_, server_socket_;
  const Impairments impairments_;
  std::mt19937 random_;
  platform::SocketAddress client_;
  Octets held_[2];
  struct DelayedDatagram {
    Octets datagram;
    bool to_server;
  };
  std::deque<DelayedDatagram> queue_;  // until blocked_until_
  Deadline blocked_until_;
  std::atomic<bool> over_{false};
  std::thread relaying_;  // last: starts when the other members exist
};

struct DeliveryCounts {
  std::uint32_t frames = 0;
  std::uint64_t lost = 0, too_old = 0;  // counted by the receiver
};

/// Sends 200 frames over an impaired link and closes; each one received must be complete and later than the
/// one before. At most \p window frames are ahead of the last received one: eight fit into the buffers of any
/// socket.
DeliveryCounts deliver_200(const ImpairedLink::Impairments& impairments, std::uint32_t seed,
                           const Parameters& more = {}, std::uint32_t window = 200) {
  ChannelOptions options = options_for();
  Parameters parameters{{"datagram-bytes", "600"}};
  parameters.insert(more.begin(), more.end());
  options.parameters = std::make_shared<const Parameters>(parameters);
  auto acceptor = std::move(*udp_transport().listen("", options));
  const ImpairedLink link(acceptor->address(), impairments, seed);
  std::atomic<std::uint32_t> taken{0};  // the number of the last received frame and one, or 200: no more come
  std::thread sending([&] {
    const auto near = udp_transport().connect(link.address(), options, Deadline::in_ms(120'000));
    ASSERT_TRUE(ok(near));
    FrameSizes sizes(seed, 8'000);
    for (std::uint32_t i = 0; i < 200; ++i) {
      for (std::uint32_t t = taken; i >= t + window; t = taken) taken.wait(t);
      EXPECT_TRUE(ok(send_frame(**near, sizes.next(), i)));
      if (i % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));  // no faster than the link
    }
    (*near)->close();
  });
  const std::unique_ptr<Channel> far = std::move(*acceptor->accept());
  std::vector<std::size_t> bytes(200);
  FrameSizes sizes(seed, 8'000);
  for (std::size_t& each : bytes) each = sizes.next();
  DeliveryCounts passed;
  std::int64_t last = -1;
  for (;;) {
    const Result<Bytes> frame = far->receive(Deadline::in_ms(120'000));
    if (!frame) {
      EXPECT_TRUE(fails_with(ErrorKind::disconnected, frame));
      taken = 200;
      taken.notify_one();
      break;
    }
    std::uint32_t number = 0;
    std::memcpy(&number, frame->data() + 8, sizeof number);
    EXPECT_GT(std::int64_t{number}, last);
    EXPECT_TRUE(number < 200 && is_frame(*frame, bytes[number], number));
    last = number;
    taken = number + 1;
    taken.notify_one();
    ++passed.frames;
    far->release();
  }
  sending.join();
  passed.lost = dynamic_cast<UdpChannel&>(*far).counters().frames_lost;
  passed.too_old = dynamic_cast<UdpChannel&>(*far).counters().too_old;
  return passed;
}

TEST(UdpImpairedLink, CountsEveryLostFrame) {
  const DeliveryCounts passed = deliver_200({10, 0, 0}, 1);
  EXPECT_GT(passed.lost, 0u);
  EXPECT_GT(passed.frames, 0u);
  EXPECT_EQ(passed.frames + passed.lost, 200u);
}

TEST(UdpImpairedLink, DeliversDuplicatesOnce) {
  const DeliveryCounts passed = deliver_200({0, 3, 0}, 2, {}, 8);
  EXPECT_EQ(passed.frames, 200u);
  EXPECT_EQ(passed.lost, 0u);
}

TEST(UdpImpairedLink, DropsLateFramesAndKeepsOrder) {
  const DeliveryCounts passed = deliver_200({0, 0, 5}, 3);
  EXPECT_GT(passed.frames, 0u);
  EXPECT_EQ(passed.frames + passed.lost, 200u);
}

/// Frames that are late together keep their order and would be delivered without this limit.
TEST(UdpImpairedLink, DropsFramesBeyondMaxAge) {
  const DeliveryCounts passed = deliver_200({0, 0, 0, 8}, 4, {{"max-age-ms", "5"}});
  EXPECT_GT(passed.too_old, 0u);
  EXPECT_GT(passed.lost, 0u);
  EXPECT_EQ(passed.frames + passed.lost, 200u);
}

TEST(UdpImpairedLink, DeliversWholeFramesInOrderUnderAllImpairments) {
  for (std::uint32_t seed = 10; seed < 14; ++seed) {
    SCOPED_TRACE(seed);
    const DeliveryCounts passed = deliver_200({20, 10, 10, 40}, seed);
    EXPECT_EQ(passed.frames + passed.lost, 200u);
  }
}

}  // namespace
}  // namespace orbweaver::transport::testing
