// Hostile servers: the caller gets an exception, never a crash or the reply to another call.
#include <gmock/gmock.h>

#include <cstdlib>
#include <optional>

#include "orb/minor_codes.h"
#include "platform/memory.h"
#include "platform/process_identity.h"
#include "testing/raw_peer.h"
#include "testing/test_orb.h"
#include "transport/shm/segment.h"

namespace orbtest {
namespace {

namespace giop = orbweaver::giop;
namespace minor = orbweaver::minor;
namespace platform = orbweaver::platform;
using giop::MessageType;
using ::testing::HasSubstr;

std::uint32_t id_of(const Octets& message) {
  std::uint32_t id;
  std::memcpy(&id, message.data() + 12, 4);
  return id;
}

/// A server that answers every request with the bytes `answer(id)`.
class HostileServer : public ::testing::Test {
 protected:
  CallsRef calls(std::function<Octets(std::uint32_t id)> answer) {
    server_.emplace([answer = std::move(answer)](RawPeer& peer) {
      while (const auto message = peer.receives()) peer.sends(answer(id_of(*message)));
    });
    return client.unchecked(server_->reference());
  }
  TestOrb client{Options{"-ORBCallTimeout", "120000", "-ORBTransportPreference", "tcp"}};

 private:
  std::optional<RawServer> server_;  // ends after the client has closed its connections
 protected:
  void TearDown() override { client.destroy(); }
};

TEST_F(HostileServer, RaisesCommFailureAfterGarbage) {
  const CallsRef peer = calls([](std::uint32_t) { return Octets(64, 'x'); });
  EXPECT_THAT(raised_by<CORBA::COMM_FAILURE>([&] { peer->twice(1); }, minor::kPeerLost), HasSubstr("GIOP"));
}

TEST_F(HostileServer, IsDisconnectedAfterAnUnexpectedReply) {
  const CallsRef peer = calls([](std::uint32_t id) {
    Octets replies = reply(id + 1).ulong(2).bytes();
    const Octets second = reply(id + 2).ulong(2).bytes();
    replies.insert(replies.end(), second.begin(), second.end());
    return replies;
  });
  EXPECT_THAT(raised_by<CORBA::COMM_FAILURE>([&] { peer->twice(1); }, minor::kPeerLost),
              HasSubstr("unexpected reply"));
}

TEST_F(HostileServer, RaisesMarshalForMissingResults) {
  const CallsRef peer = calls([](std::uint32_t id) { return reply(id).bytes(); });
  EXPECT_THROW(peer->twice(1), CORBA::MARSHAL);
  EXPECT_THROW(peer->notes(), CORBA::MARSHAL);
}

TEST_F(HostileServer, RaisesMarshalWhenALengthExceedsTheReply) {
  const CallsRef peer = calls([](std::uint32_t id) { return reply(id).ulong(0xfffffff0).bytes(); });
  EXPECT_THROW(peer->echo({}), CORBA::MARSHAL);
  EXPECT_THROW(peer->notes(), CORBA::MARSHAL);
  EXPECT_THROW(peer->name(), CORBA::MARSHAL);
}

TEST_F(HostileServer, RaisesMarshalForEndlessServiceContexts) {
  const CallsRef peer = calls([](std::uint32_t id) {
    return Message(MessageType::reply)
        .ulong(id)
        .ulong(0)
        .ulong(0xffffffff)
        .ulong(1)
        .ulong(0xffffff00)
        .bytes();
  });
  EXPECT_THROW(peer->twice(1), CORBA::SystemException);
}

TEST_F(HostileServer, RaisesAnExceptionForAnUnknownReplyStatus) {
  const CallsRef peer = calls([](std::uint32_t id) { return reply(id, 4 + id).ulong(0).bytes(); });
  for (int i = 0; i < 10; ++i) EXPECT_THROW(peer->twice(1), CORBA::SystemException);
}

TEST_F(HostileServer, RaisesMarshalForMalformedExceptions) {
  const CallsRef peer = calls([](std::uint32_t id) { return reply(id, 1 + id % 2).ulong(0xffff).bytes(); });
  for (int i = 0; i < 4; ++i) EXPECT_THROW(peer->greet("x"), CORBA::MARSHAL);
}

TEST_F(HostileServer, RaisesUnknownForAnUndeclaredUserException) {
  const CallsRef peer =
      calls([](std::uint32_t id) { return reply(id, 1).text("IDL:Nobody/Knows:1.0").bytes(); });
  EXPECT_THAT(raised_by<CORBA::UNKNOWN>([&] { peer->greet("x"); }, minor::kUndeclaredException),
              HasSubstr("IDL:Nobody/Knows:1.0"));
}

TEST_F(HostileServer, RaisesAnExceptionForAMalformedForward) {
  const CallsRef peer =
      calls([](std::uint32_t id) { return reply(id, 3).text("").ulong(0x7fffffff).bytes(); });
  EXPECT_THROW(peer->twice(1), CORBA::SystemException);
}

TEST_F(HostileServer, RaisesAnExceptionForANilForward) {
  const CallsRef nil = calls([](std::uint32_t id) { return reply(id, 3).text("").ulong(0).bytes(); });
  EXPECT_THROW(nil->twice(1), CORBA::SystemException);
}

TEST_F(HostileServer, RaisesCommFailureAfterAClientOnlyMessage) {
  const CallsRef peer = calls([](std::uint32_t) { return request(1, {1}, "twice").bytes(); });
  EXPECT_THAT(raised_by<CORBA::COMM_FAILURE>([&] { peer->twice(1); }, minor::kPeerLost),
              HasSubstr("unexpected message"));
}

TEST_F(HostileServer, RaisesCommFailureAfterMessageError) {
  const CallsRef peer = calls([](std::uint32_t) { return Message(MessageType::message_error).bytes(); });
  EXPECT_THAT(raised_by<CORBA::COMM_FAILURE>([&] { peer->twice(1); }, minor::kPeerLost),
              HasSubstr("MessageError"));
}

TEST_F(HostileServer, RaisesTransientAfterRepeatedCloseConnection) {
  const CallsRef peer = calls([](std::uint32_t) { return Message(MessageType::close_connection).bytes(); });
  EXPECT_THROW(peer->twice(1), CORBA::TRANSIENT);
}

TEST_F(HostileServer, RaisesCommFailureAfterUnrelatedFragments) {
  const CallsRef peer =
      calls([](std::uint32_t id) { return Message(MessageType::fragment).ulong(id).bytes(); });
  EXPECT_THROW(peer->twice(1), CORBA::COMM_FAILURE);
}

TEST_F(HostileServer, RaisesTimeoutWithoutAReply) {
  const CallsRef peer = calls([](std::uint32_t) { return Octets{}; });
  TestOrb client_with_timeout{Options{"-ORBCallTimeout", "100", "-ORBTransportPreference", "tcp"}};
  const CallsRef call = client_with_timeout.unchecked(client.orb->object_to_string(peer));
  EXPECT_THROW(call->twice(1), CORBA::TIMEOUT);
  client_with_timeout.destroy();
}

/// Calls a shared-memory server which sends `file` and `welcome`. Expects TRANSIENT.
void expect_refused(platform::Fd file, orbweaver::transport::shm::Welcome welcome) {
  const std::string name = "orbweaver-test-" + std::to_string(platform::process_id()) + "-" + free_port();
  auto listener = std::move(platform::listen_on(platform::unix_address("@shm/" + name), 4).fd);
  std::thread serving([&] {
    auto accepted = platform::accept_from(listener, platform::Deadline::in_ms(120'000));
    if (!accepted) return;
    const int fd = file.get();
    (void)platform::send_fds(accepted.fd, {reinterpret_cast<const std::uint8_t*>(&welcome), sizeof welcome},
                             {&fd, 1}, platform::Blocking::yes);
  });
  TestOrb client{Options{"-ORBTransportPreference", "shm"}};
  EXPECT_THAT(raised_by<CORBA::TRANSIENT>([&] { client.unchecked(reference_to(0, {1}, name))->twice(1); },
                                          minor::kNoUsableEndpoint),
              HasSubstr("shm: "));
  serving.join();
}

using namespace orbweaver::transport::shm;
constexpr std::size_t kRing = 65536;

TEST(HostileSegment, IsRejectedWhenNotSealed) {
  char path[] = "/tmp/orbweaver-test-XXXXXX";
  const int fd = ::mkstemp(path);
  ASSERT_GE(fd, 0);
  std::remove(path);
  expect_refused(platform::Fd(fd), {kSegmentMagic, kSegmentVersion, kRing});
}

TEST(HostileSegment, IsRejectedWithAFalseRingSize) {
  for (const std::uint64_t false_size :
       {std::uint64_t{2 * kRing}, std::uint64_t{kRing / 2}, std::uint64_t{12345}, std::uint64_t{0},
        ~std::uint64_t{0}, std::uint64_t{1} << 40}) {
    expect_refused(std::move(platform::make_memory_file("test", kHeaderBytes + 2 * kRing).fd),
                   {kSegmentMagic, kSegmentVersion, false_size});
  }
}

TEST(HostileSegment, IsRejectedWithAnotherMagicOrVersion) {
  expect_refused(std::move(platform::make_memory_file("test", kHeaderBytes + 2 * kRing).fd),
                 {1, kSegmentVersion, kRing});
  expect_refused(std::move(platform::make_memory_file("test", kHeaderBytes + 2 * kRing).fd),
                 {kSegmentMagic, 99, kRing});
}

}  // namespace
}  // namespace orbtest
