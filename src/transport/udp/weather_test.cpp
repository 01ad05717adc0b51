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

/// Bad links between two ends: datagrams are lost, doubled and held back behind later ones.
namespace orbweaver::transport::testing {
namespace {

using namespace datagram;

/// A host on the way to `server`, through which one client speaks to it. Of all datagrams but goodbyes, one in so many
/// is lost, sent twice, held back until the next has gone, or held up for 20 ms with all that come behind it; 0: none is.
class Weather {
 public:
  struct Odds {
    std::uint32_t lost, doubled, held_back, held_up = 0;
  };
  Weather(const std::string& server, const Odds& odds, std::uint32_t seed)
      : front_(std::move(platform::bind_datagrams(resolved("127.0.0.1:0")).fd)),
        back_(std::move(platform::connect_datagrams(resolved(server)).fd)),
        odds_(odds),
        random_(seed),
        relaying_([this] { relay(); }) {}
  ~Weather() {
    over_ = true;
    relaying_.join();
  }
  std::string address() const { return platform::local_address(front_).text(); }

 private:
  using Octets = std::vector<std::uint8_t>;
  static platform::SocketAddress resolved(const std::string& address) {
    const HostPort where = *parse_host_port(address);
    return platform::resolve_tcp(where.host, where.port, true).addresses.at(0);
  }
  bool happens(std::uint32_t one_in) { return one_in != 0 && random_() % one_in == 0; }

  void relay() {
    Octets room(65'536);
    while (!over_) {
      std::array<platform::PollItem, 2> items{{{front_.get(), platform::kReadable, 0}, {back_.get(), platform::kReadable, 0}}};
      const int ready = platform::poll(items, Deadline::in_ms(5));
      for (; !queue_.empty() && goes_on_.passed(); queue_.pop_front()) send(queue_.front().datagram, queue_.front().to_server);
      if (ready == 0) continue;
      if (items[0].ready != 0) {
        const auto got = platform::recv_from(front_, room, client_, platform::Block::no);
        if (got.error == 0) pass({room.begin(), room.begin() + static_cast<std::ptrdiff_t>(got.bytes)}, true);
      }
      if (items[1].ready != 0) {
        const auto got = platform::recv(back_, room, platform::Block::no);
        if (got.error == 0) pass({room.begin(), room.begin() + static_cast<std::ptrdiff_t>(got.bytes)}, false);
      }
    }
  }
  void pass(Octets datagram, bool to_server) {
    if (!queue_.empty()) return queue_.push_back({std::move(datagram), to_server});
    Octets& held = held_[to_server ? 0 : 1];
    const bool is_bye = datagram.size() > 4 && datagram[4] == static_cast<std::uint8_t>(Kind::bye);
    if (!is_bye) {
      if (happens(odds_.lost)) return;
      if (happens(odds_.held_up)) {
        goes_on_ = Deadline::in_ms(20);
        queue_.push_back({std::move(datagram), to_server});
        return;
      }
      if (happens(odds_.doubled)) send(datagram, to_server);
      if (held.empty() && happens(odds_.held_back)) {
        held = std::move(datagram);
        return;
      }
    }
    if (is_bye && !held.empty()) send(std::exchange(held, {}), to_server);
    send(datagram, to_server);
    if (!held.empty()) send(std::exchange(held, {}), to_server);
  }
  void send(const Octets& datagram, bool to_server) {
    if (to_server) platform::send(back_, datagram, platform::Block::yes);
    else if (client_.length != 0) platform::send_to(front_, datagram, client_);
  }

  const platform::Fd front_, back_;
  const Odds odds_;
  std::mt19937 random_;
  platform::SocketAddress client_;
  Octets held_[2];
  struct Waiting {
    Octets datagram;
    bool to_server;
  };
  std::deque<Waiting> queue_;  // until goes_on_
  Deadline goes_on_;
  std::atomic<bool> over_{false};
  std::thread relaying_;  // last: starts when the rest is there
};

struct Passed {
  std::uint32_t frames = 0;
  std::uint64_t lost = 0, too_old = 0;  // as the receiver counted
};

/// Sends 200 frames through the weather and closes; each that arrives must be whole and later than the one before.
Passed pass_200(const Weather::Odds& odds, std::uint32_t seed, const Parameters& more = {}) {
  ChannelOptions options = options_for();
  Parameters parameters{{"datagram_bytes", "600"}};
  parameters.insert(more.begin(), more.end());
  options.parameters = std::make_shared<const Parameters>(parameters);
  auto acceptor = std::move(*udp().listen("", options));
  const Weather weather(acceptor->address(), odds, seed);
  std::thread sending([&] {
    const auto near = udp().connect(weather.address(), options, Deadline::in_ms(120'000));
    ASSERT_TRUE(ok(near));
    Sizes sizes(seed, 8'000);
    for (std::uint32_t i = 0; i < 200; ++i) {
      EXPECT_TRUE(ok(send_frame(**near, sizes.next(), i)));
      if (i % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));  // no more than the weather can pass
    }
    (*near)->close();
  });
  const std::unique_ptr<Channel> far = std::move(*acceptor->accept());
  std::vector<std::size_t> bytes(200);
  Sizes sizes(seed, 8'000);
  for (std::size_t& each : bytes) each = sizes.next();
  Passed passed;
  std::int64_t last = -1;
  for (;;) {
    const Result<Bytes> frame = far->receive(Deadline::in_ms(120'000));
    if (!frame) {
      EXPECT_TRUE(fails_with(Remedy::reconnect, frame));
      break;
    }
    std::uint32_t number = 0;
    std::memcpy(&number, frame->data() + 8, sizeof number);
    EXPECT_GT(std::int64_t{number}, last);
    EXPECT_TRUE(number < 200 && is_frame(*frame, bytes[number], number));
    last = number;
    ++passed.frames;
    far->release();
  }
  sending.join();
  passed.lost = dynamic_cast<UdpChannel&>(*far).counters().frames_lost;
  passed.too_old = dynamic_cast<UdpChannel&>(*far).counters().too_old;
  return passed;
}

TEST(UdpWeather, WhatIsLostOnTheWayIsCountedToTheLast) {
  const Passed passed = pass_200({10, 0, 0}, 1);
  EXPECT_GT(passed.lost, 0u);
  EXPECT_GT(passed.frames, 0u);
  EXPECT_EQ(passed.frames + passed.lost, 200u);
}

TEST(UdpWeather, WhatIsDoubledArrivesOnce) {
  const Passed passed = pass_200({0, 3, 0}, 2);
  EXPECT_EQ(passed.frames, 200u);
  EXPECT_EQ(passed.lost, 0u);
}

TEST(UdpWeather, WhatComesLateIsDroppedAndTheRestKeepsItsOrder) {
  const Passed passed = pass_200({0, 0, 5}, 3);
  EXPECT_GT(passed.frames, 0u);
  EXPECT_EQ(passed.frames + passed.lost, 200u);
}

/// Those that are late together overtake nobody and would arrive, were it not for the policy.
TEST(UdpWeather, WhatIsLaterThanThePolicyAllowsIsDroppedAndCounted) {
  const Passed passed = pass_200({0, 0, 0, 8}, 4, {{"max_age_ms", "5"}});
  EXPECT_GT(passed.too_old, 0u);
  EXPECT_GT(passed.lost, 0u);
  EXPECT_EQ(passed.frames + passed.lost, 200u);
}

TEST(UdpWeather, EverythingAtOnceLeavesWholeFramesInOrder) {
  for (std::uint32_t seed = 10; seed < 14; ++seed) {
    SCOPED_TRACE(seed);
    const Passed passed = pass_200({20, 10, 10, 40}, seed);
    EXPECT_EQ(passed.frames + passed.lost, 200u);
  }
}

}  // namespace
}  // namespace orbweaver::transport::testing
