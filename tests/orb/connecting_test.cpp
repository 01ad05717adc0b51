// A server that does not even accept costs those who call it, and nobody else.
#include <gmock/gmock.h>

#include <atomic>
#include <thread>
#include <vector>

#include "orb/minor_codes.h"
#include "platform/socket.h"
#include "platform/testing/waiting_thread.h"
#include "testing/broker.h"
#include "testing/raw_peer.h"

namespace orbtest {
namespace {

namespace platform = orbweaver::platform;

/// Listens, and has so many connections waiting already that further ones get no answer at all.
class DeafServer {
 public:
  /// Refuses those that try to connect from now on, and when they try again, after a second.
  void closes() {
    waiting_.clear();
    listener_ = {};
  }
  DeafServer() {
    const auto loopback = platform::resolve_tcp("127.0.0.1", 0, true).addresses.at(0);
    listener_ = std::move(platform::listen_on(loopback, 0).fd);
    const auto address = platform::local_address(listener_);
    port_ = address.port();
    for (int i = 0; i < 8; ++i) {
      auto waiting = platform::connect_to(address, platform::Deadline::in_ms(50));
      if (!waiting) return;
      waiting_.push_back(std::move(waiting.fd));
    }
  }
  std::string reference() const { return reference_to(port_, {1, 2, 3}); }

 private:
  platform::Fd listener_;
  std::uint16_t port_ = 0;
  std::vector<platform::Fd> waiting_;
};

TEST(Connecting, ToADeafServerDelaysNoCallToAnother) {
  DeafServer deaf;
  const auto servant = CORBA::make_reference<Servant>();
  Broker server, client{Options{"-ORBTransportPreference", "tcp", "-ORBConnectTimeout", "120000"}};
  std::atomic<bool> given_up{false};
  platform::testing::WaitingThread caller([&] {
    EXPECT_THROW(client.unchecked(deaf.reference())->twice(1), CORBA::TRANSIENT);
    given_up = true;
  });
  ASSERT_TRUE(caller.waits());  // for its connection
  EXPECT_EQ(client.at(server.serve(servant))->twice(2), 4);
  EXPECT_FALSE(given_up);  // the other call went by while this one was still waiting
  deaf.closes();
  caller.join();
}

}  // namespace
}  // namespace orbtest
