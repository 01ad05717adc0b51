// An unresponsive server delays only the calls to itself.
#include <gmock/gmock.h>

#include <atomic>
#include <thread>
#include <vector>

#include "orb/minor_codes.h"
#include "platform/resolver.h"
#include "platform/socket.h"
#include "platform/testing/waiting_thread.h"
#include "testing/raw_peer.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

namespace platform = orbweaver::platform;

/// A listening socket with a full backlog: further connection attempts get no answer.
class UnresponsiveServer {
 public:
  /// Closes the listener: new attempts are refused at once, pending ones when they are repeated after a
  /// second.
  void closes() {
    waiting_.clear();
    listener_ = {};
  }
  UnresponsiveServer() {
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

TEST(Connecting, DoesNotDelayCallsToOtherServersWhileOneIsUnresponsive) {
  UnresponsiveServer unresponsive;
  const auto servant = CORBA::make_reference<Servant>();
  TestOrb server, client{Options{"-ORBTransportPreference", "tcp", "-ORBTune", "connect-timeout-ms=120000"}};
  std::atomic<bool> has_failed{false};
  platform::testing::WaitingThread caller([&] {
    EXPECT_THROW(client.unchecked(unresponsive.reference())->twice(1), CORBA::TRANSIENT);
    has_failed = true;
  });
  ASSERT_TRUE(caller.waits());  // for its connection
  EXPECT_EQ(client.at(server.serve(servant))->twice(2), 4);
  EXPECT_FALSE(has_failed);  // the call to the other server did not wait for this one
  unresponsive.closes();
  caller.join();
}

}  // namespace
}  // namespace orbtest
