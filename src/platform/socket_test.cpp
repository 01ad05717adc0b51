#include "platform/socket.h"
#include "platform/resolver.h"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "platform/process_identity.h"

namespace orbweaver::platform {
namespace {

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string read(const Fd& socket) {
  std::array<std::uint8_t, 64> buffer{};
  const IoResult got = recv(socket, buffer, Blocking::yes);
  EXPECT_EQ(got.error, 0);
  return {buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(got.bytes)};
}

struct Ends {
  Fd listener, near, far;
};
Ends connected(const SocketAddress& where) {
  Ends ends;
  ends.listener = std::move(listen_on(where, 8).fd);
  ends.near = std::move(connect_to(local_address(ends.listener), Deadline::in_ms(120'000)).fd);
  ends.far = std::move(accept_from(ends.listener, Deadline::in_ms(120'000)).fd);
  EXPECT_TRUE(ends.near && ends.far);
  return ends;
}
Ends unix_ends() { return connected(unix_address("")); }
Ends tcp_ends() { return connected(resolve_tcp("127.0.0.1", 0, true).addresses.at(0)); }

TEST(SocketAddress, FormatsAddresses) {
  EXPECT_EQ(resolve_tcp("127.0.0.1", 4711, false).addresses.at(0).text(), "127.0.0.1:4711");
  EXPECT_EQ(resolve_tcp("::1", 4711, false).addresses.at(0).text(), "[::1]:4711");
  EXPECT_EQ(unix_address("@radio").text(), "@radio");
  EXPECT_EQ(unix_address("/tmp/radio").text(), "/tmp/radio");
  EXPECT_EQ(SocketAddress{}.text(), "(unknown)");
}

TEST(SocketAddress, RejectsALongUnixName) {
  EXPECT_EQ(unix_address(std::string(108, 'x')).length, 0u);
  EXPECT_EQ(listen_on(unix_address(std::string(108, 'x')), 1).error, EAFNOSUPPORT);
}

TEST(Socket, SendsGatheredPiecesInOrder) {
  const Ends ends = unix_ends();
  const std::array<std::span<const std::uint8_t>, 3> pieces{bytes_of("one "), bytes_of("gathered "),
                                                            bytes_of("write")};
  EXPECT_EQ(send(ends.near, pieces, Blocking::yes).bytes, 18u);
  EXPECT_EQ(read(ends.far), "one gathered write");
}

TEST(Socket, ReturnsEagainInsteadOfBlocking) {
  const Ends ends = tcp_ends();
  std::array<std::uint8_t, 8> buffer{};
  EXPECT_EQ(recv(ends.near, buffer, Blocking::no).error, EAGAIN);
  const std::vector<std::uint8_t> much(1 << 20);
  IoResult sent;
  while (sent.error == 0) sent = send(ends.near, much, Blocking::no);
  EXPECT_EQ(sent.error, EAGAIN);
  EXPECT_GT(unsent(ends.near), 0u);
}

TEST(Socket, FailsWithEpipeAfterThePeerClosed) {
  Ends ends = unix_ends();
  ends.far.reset();
  EXPECT_EQ(send(ends.near, bytes_of("anybody?"), Blocking::yes).error, EPIPE);
}

TEST(Socket, WakesWaitersOnShutdown) {
  const Ends ends = tcp_ends();
  std::thread reading([&] { EXPECT_EQ(read(ends.near), ""); });
  std::thread accepting([&] { EXPECT_EQ(accept_from(ends.listener, Deadline::never()).error, EINVAL); });
  Deadline soon = Deadline::in_ms(20);
  while (!soon.passed()) std::this_thread::yield();
  shutdown_both(ends.near);
  shutdown_both(ends.listener);
  reading.join();
  accepting.join();
}

TEST(Socket, DeliversReceivedBytesAfterAnAbort) {
  const Ends ends = tcp_ends();
  send(ends.near, bytes_of("last words"), Blocking::yes);
  abort_tcp(ends.near);
  EXPECT_EQ(read(ends.far), "last words");
  std::array<std::uint8_t, 8> buffer{};
  EXPECT_EQ(recv(ends.far, buffer, Blocking::yes).error, ECONNRESET);
}

TEST(Socket, PassesDescriptors) {
  const Ends ends = unix_ends();
  WakeupFd passed;
  const std::array<int, 2> fds{passed.fd().get(), ends.near.get()};
  EXPECT_EQ(send_fds(ends.near, bytes_of("two"), fds, Blocking::yes).bytes, 3u);
  std::array<std::uint8_t, 8> buffer{};
  std::array<Fd, 3> received;
  EXPECT_EQ(recv_fds(ends.far, buffer, received, Blocking::yes).bytes, 3u);
  EXPECT_TRUE(received[0] && received[1] && !received[2]);
  passed.notify();
  EXPECT_EQ(poll(received[0], kReadable, Deadline::in_ms(1'000)), kReadable);
}

TEST(Socket, ClosesExcessDescriptors) {
  const Ends ends = unix_ends();
  Ends passed = unix_ends();
  const std::array<int, 2> fds{passed.near.get(), passed.near.get()};
  send_fds(ends.near, bytes_of("two"), fds, Blocking::yes);
  passed.near.reset();
  std::array<std::uint8_t, 8> buffer{};
  std::array<Fd, 1> received;
  EXPECT_EQ(recv_fds(ends.far, buffer, received, Blocking::yes).error, EPROTO);
  EXPECT_FALSE(received[0]);
  EXPECT_EQ(read(passed.far), "");  // all descriptors of its other end are closed
}

TEST(Socket, ReportsPeerCredentials) {
  const Ends ends = unix_ends();
  EXPECT_EQ(peer_credentials(ends.far).pid, process_id());
  EXPECT_EQ(peer_credentials(ends.far).uid, user_id());
  EXPECT_EQ(peer_credentials(tcp_ends().far).pid, -1);
}

TEST(Socket, StopsWaitingAtTheDeadline) {
  const Ends ends = tcp_ends();
  EXPECT_EQ(poll(ends.near, kReadable, Deadline::in_ms(10)), 0u);
  EXPECT_EQ(poll(ends.near, kReadable | kWritable, Deadline::in_ms(10)), kWritable);
  EXPECT_EQ(accept_from(ends.listener, Deadline::in_ms(10)).error, EAGAIN);
}

TEST(WakeupFd, IsReadableBetweenNotifyAndDrain) {
  WakeupFd wake_up;
  EXPECT_EQ(poll(wake_up.fd(), kReadable, Deadline{0}), 0u);
  wake_up.notify();
  wake_up.notify();
  EXPECT_EQ(poll(wake_up.fd(), kReadable, Deadline{0}), kReadable);
  wake_up.drain();
  EXPECT_EQ(poll(wake_up.fd(), kReadable, Deadline{0}), 0u);
}

TEST(Fd, MovesAndClosesOnce) {
  WakeupFd a;
  Fd moved(a.fd().get());
  Fd other = std::move(moved);
  EXPECT_FALSE(moved);
  moved = std::move(other);
  EXPECT_EQ(moved.release(), a.fd().get());  // `a` closes it
  EXPECT_FALSE(moved);
}

}  // namespace
}  // namespace orbweaver::platform
