#include "platform/peer_event.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "platform/pipe.h"
#include "platform/socket.h"

namespace orbweaver::platform {
namespace {

bool is_signalled(const Fd& event) { return (poll(event, kReadable, Deadline::in_ns(0)) & kReadable) != 0; }

TEST(PeerEvent, IsReadableFromASignalUntilItIsCleared) {
  const Fd event = make_peer_event();
  ASSERT_TRUE(event);
  EXPECT_FALSE(is_signalled(event));
  signal_peer_event(event);
  signal_peer_event(event);
  EXPECT_TRUE(is_signalled(event));
  clear_peer_event(event);
  EXPECT_FALSE(is_signalled(event));
  clear_peer_event(event);
  signal_peer_event(event);
  EXPECT_TRUE(is_signalled(event));
}

TEST(PeerEvent, IsSharedByItsCopies) {
  const Fd event = make_peer_event(), copy(dup(event.get()));
  signal_peer_event(copy);
  EXPECT_TRUE(is_signalled(event));
}

TEST(PeerEvent, IsToldFromOtherDescriptors) {
  EXPECT_TRUE(is_peer_event(make_peer_event()));
  const Pipe pipe = make_pipe();
  EXPECT_FALSE(is_peer_event(pipe.read));
  EXPECT_FALSE(is_peer_event(pipe.write));
  EXPECT_FALSE(is_peer_event(make_socket_pair().first));
  EXPECT_FALSE(is_peer_event(Fd(eventfd(0, EFD_CLOEXEC))));
  EXPECT_FALSE(is_peer_event(Fd()));
}

/// Hangs if an operation waits for the peer.
TEST(PeerEvent, DoesNotBlockWhateverThePeerDoesWithItsCopy) {
  const Fd event = make_peer_event(), copy(dup(event.get()));
  ASSERT_EQ(fcntl(copy.get(), F_SETFL, 0), 0);  // the flags belong to both copies
  for (int i = 0; i < 1000; ++i) signal_peer_event(event);
  std::uint64_t expirations = 0;
  EXPECT_EQ(read(copy.get(), &expirations, sizeof expirations), 8) << "the peer takes the signal away";
  clear_peer_event(event);
  const itimerspec in_an_hour{{0, 0}, {3600, 0}};
  EXPECT_EQ(timerfd_settime(copy.get(), 0, &in_an_hour, nullptr), 0);
  signal_peer_event(event);
  EXPECT_TRUE(is_signalled(event));
  clear_peer_event(event);
  EXPECT_FALSE(is_signalled(event));
}

}  // namespace
}  // namespace orbweaver::platform
