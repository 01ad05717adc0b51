// Servers that are none: the caller gets an exception, never a crash or another's reply.
#include <gmock/gmock.h>

#include <cstdlib>
#include <optional>

#include "orb/minor_codes.h"
#include "platform/memory.h"
#include "platform/process_identity.h"
#include "testing/broker.h"
#include "testing/raw_peer.h"
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

/// Answers every request with what `answer(id)` says.
class HostileServer : public ::testing::Test {
 protected:
  CallsRef calls(std::function<Octets(std::uint32_t id)> answer) {
    server_.emplace([answer = std::move(answer)](RawPeer& peer) {
      while (const auto message = peer.receives()) peer.sends(answer(id_of(*message)));
    });
    return client.unchecked(server_->reference());
  }
  Broker client{Options{"-ORBCallTimeout", "120000", "-ORBTransportPreference", "tcp"}};

 private:
  std::optional<RawServer> server_;  // ends after the client has closed its connections
 protected:
  void TearDown() override { client.destroy(); }
};

TEST_F(HostileServer, RubbishIsACommunicationFailure) {
  const CallsRef peer = calls([](std::uint32_t) { return Octets(64, 'x'); });
  EXPECT_THAT(raised_by<CORBA::COMM_FAILURE>([&] { peer->twice(1); }, minor::kPeerLost), HasSubstr("GIOP"));
}

TEST_F(HostileServer, AReplyThatNobodyAskedForEndsTheConnection) {
  const CallsRef peer = calls([](std::uint32_t id) {
    Octets replies = reply(id + 1).ulong(2).bytes();
    const Octets second = reply(id + 2).ulong(2).bytes();
    replies.insert(replies.end(), second.begin(), second.end());
    return replies;
  });
  EXPECT_THAT(raised_by<CORBA::COMM_FAILURE>([&] { peer->twice(1); }, minor::kPeerLost), HasSubstr("which nobody made"));
}

TEST_F(HostileServer, AReplyWithoutItsResultsIsAMarshalError) {
  const CallsRef peer = calls([](std::uint32_t id) { return reply(id).bytes(); });
  EXPECT_THROW(peer->twice(1), CORBA::MARSHAL);
  EXPECT_THROW(peer->notes(), CORBA::MARSHAL);
}

TEST_F(HostileServer, ResultsThatAnnounceMoreThanArrivedAreAMarshalError) {
  const CallsRef peer = calls([](std::uint32_t id) { return reply(id).ulong(0xfffffff0).bytes(); });
  EXPECT_THROW(peer->echo({}), CORBA::MARSHAL);
  EXPECT_THROW(peer->notes(), CORBA::MARSHAL);
  EXPECT_THROW(peer->name(), CORBA::MARSHAL);
}

TEST_F(HostileServer, ServiceContextsWithoutEndAreAMarshalError) {
  const CallsRef peer = calls([](std::uint32_t id) {
    return Message(MessageType::reply).ulong(id).ulong(0).ulong(0xffffffff).ulong(1).ulong(0xffffff00).bytes();
  });
  EXPECT_THROW(peer->twice(1), CORBA::SystemException);
}

TEST_F(HostileServer, AStatusThatDoesNotExistIsAnException) {
  const CallsRef peer = calls([](std::uint32_t id) { return reply(id, 4 + id).ulong(0).bytes(); });
  for (int i = 0; i < 10; ++i) EXPECT_THROW(peer->twice(1), CORBA::SystemException);
}

TEST_F(HostileServer, ExceptionsThatAreNoneAreMarshalErrors) {
  const CallsRef peer = calls([](std::uint32_t id) { return reply(id, 1 + id % 2).ulong(0xffff).bytes(); });
  for (int i = 0; i < 4; ++i) EXPECT_THROW(peer->greet("x"), CORBA::MARSHAL);
}

TEST_F(HostileServer, AnUnknownUserExceptionIsUnknown) {
  const CallsRef peer = calls([](std::uint32_t id) { return reply(id, 1).text("IDL:Nobody/Knows:1.0").bytes(); });
  EXPECT_THAT(raised_by<CORBA::UNKNOWN>([&] { peer->greet("x"); }, minor::kUndeclaredException),
              HasSubstr("IDL:Nobody/Knows:1.0"));
}

TEST_F(HostileServer, AForwardToRubbishIsAnException) {
  const CallsRef peer = calls([](std::uint32_t id) { return reply(id, 3).text("").ulong(0x7fffffff).bytes(); });
  EXPECT_THROW(peer->twice(1), CORBA::SystemException);
}

TEST_F(HostileServer, AForwardToNilIsAnException) {
  const CallsRef nil = calls([](std::uint32_t id) { return reply(id, 3).text("").ulong(0).bytes(); });
  EXPECT_THROW(nil->twice(1), CORBA::SystemException);
}

TEST_F(HostileServer, WhatOnlyClientsSendIsACommunicationFailure) {
  const CallsRef peer = calls([](std::uint32_t) { return request(1, {1}, "twice").bytes(); });
  EXPECT_THAT(raised_by<CORBA::COMM_FAILURE>([&] { peer->twice(1); }, minor::kPeerLost), HasSubstr("only clients send"));
}

TEST_F(HostileServer, AMessageErrorIsACommunicationFailure) {
  const CallsRef peer = calls([](std::uint32_t) { return Message(MessageType::message_error).bytes(); });
  EXPECT_THAT(raised_by<CORBA::COMM_FAILURE>([&] { peer->twice(1); }, minor::kPeerLost), HasSubstr("did not understand"));
}

TEST_F(HostileServer, ACloseConnectionWithoutEndIsTransient) {
  const CallsRef peer = calls([](std::uint32_t) { return Message(MessageType::close_connection).bytes(); });
  EXPECT_THROW(peer->twice(1), CORBA::TRANSIENT);
}

TEST_F(HostileServer, FragmentsOfNothingAreACommunicationFailure) {
  const CallsRef peer = calls([](std::uint32_t id) { return Message(MessageType::fragment).ulong(id).bytes(); });
  EXPECT_THROW(peer->twice(1), CORBA::COMM_FAILURE);
}

TEST_F(HostileServer, SilenceEndsWithTheCallTimeout) {
  const CallsRef peer = calls([](std::uint32_t) { return Octets{}; });
  Broker patient{Options{"-ORBCallTimeout", "100", "-ORBTransportPreference", "tcp"}};
  const CallsRef call = patient.unchecked(client.orb->object_to_string(peer));
  EXPECT_THROW(call->twice(1), CORBA::TIMEOUT);
  patient.destroy();
}

/// A shared-memory server that hands over `file` with what `welcome` says.
void expect_refused(platform::Fd file, orbweaver::transport::shmem::Welcome welcome) {
  const std::string name = "orbweaver-test-" + std::to_string(platform::process_id()) + "-" + free_port();
  auto listener = std::move(platform::listen_on(platform::unix_address("@shm/" + name), 4).fd);
  std::thread serving([&] {
    auto accepted = platform::accept_from(listener, platform::Deadline::in_ms(120'000));
    if (!accepted) return;
    const int fd = file.get();
    (void)platform::send_fds(accepted.fd, {reinterpret_cast<const std::uint8_t*>(&welcome), sizeof welcome}, {&fd, 1},
                             platform::Block::yes);
  });
  Broker client{Options{"-ORBTransportPreference", "shm"}};
  EXPECT_THAT(raised_by<CORBA::TRANSIENT>([&] { client.unchecked(reference_to(0, {1}, name))->twice(1); }, minor::kNoRoad),
              HasSubstr("shm: "));
  serving.join();
}

using namespace orbweaver::transport::shmem;
constexpr std::size_t kRing = 65536;

TEST(HostileSegment, OneThatIsNotSealedIsRefused) {
  char path[] = "/tmp/orbweaver-test-XXXXXX";
  const int fd = ::mkstemp(path);
  ASSERT_GE(fd, 0);
  std::remove(path);
  expect_refused(platform::Fd(fd), {kSegmentMagic, kSegmentVersion, kRing});
}

TEST(HostileSegment, ARingSizeThatIsALieIsRefused) {
  for (const std::uint64_t lie : {std::uint64_t{2 * kRing}, std::uint64_t{kRing / 2}, std::uint64_t{12345}, std::uint64_t{0},
                                  ~std::uint64_t{0}, std::uint64_t{1} << 40}) {
    expect_refused(std::move(platform::make_memory_file("test", kHeaderBytes + 2 * kRing).fd),
                   {kSegmentMagic, kSegmentVersion, lie});
  }
}

TEST(HostileSegment, AnotherMagicOrVersionIsRefused) {
  expect_refused(std::move(platform::make_memory_file("test", kHeaderBytes + 2 * kRing).fd), {1, kSegmentVersion, kRing});
  expect_refused(std::move(platform::make_memory_file("test", kHeaderBytes + 2 * kRing).fd), {kSegmentMagic, 99, kRing});
}

}  // namespace
}  // namespace orbtest
