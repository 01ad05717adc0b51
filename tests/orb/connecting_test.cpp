// A server that does not even accept costs those who call it, and nobody else.
#include <gmock/gmock.h>

#include <atomic>
#include <thread>
#include <vector>

#include "orb/minor_codes.h"
#include "platform/socket.h"
#include "testing/broker.h"
#include "testing/raw_peer.h"

namespace orbtest {
namespace {

namespace platform = orbweaver::platform;

/// Listens, and has so many connections waiting already that further ones get no answer at all.
class DeafServer {
 public:
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
  const DeafServer deaf;
  const auto servant = CORBA::make_reference<Servant>();
  Broker server, client{Options{"-ORBTransportPreference", "tcp", "-ORBConnectTimeout", "1500"}};
  std::atomic<bool> trying{false}, given_up{false};
  std::thread caller([&] {
    trying = true;
    EXPECT_THROW(client.unchecked(deaf.reference())->twice(1), CORBA::TRANSIENT);
    given_up = true;
  });
  while (!trying) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // it is connecting by now
  EXPECT_EQ(client.at(server.serve(servant))->twice(2), 4);
  EXPECT_FALSE(given_up);  // the other call went by while this one was still waiting
  caller.join();
}

}  // namespace
}  // namespace orbtest
