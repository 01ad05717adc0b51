// _bind_priority_band: what clients tell servers of the bands of their connections.
#include <orbweaver/messaging.h>

#include <array>

#include "giop/control_messages.h"
#include "giop/locate.h"
#include "orb/core.h"
#include "orb/real_time.h"
#include "orb/reference/reference.h"
#include "platform/socket.h"
#include "realtime/testing/banded_connections.h"
#include "realtime/testing/raw_messages.h"

namespace orbtest {
namespace {

using giop::context_id::kRtPriority;
using giop::context_id::kRtPriorityRange;
using ::testing::ElementsAre;
using ::testing::SizeIs;

/// The contexts of a request, with its operation.
using Announced = std::pair<std::string, Contexts>;

/// A server that replies to `twice` and locate requests alone, and does not know _bind_priority_band.
class ServerWithoutBands {
 public:
  /// `calls` requests for `twice` are served over each connection, which is closed in order then.
  /// `before_reply` is called before each reply.
  explicit ServerWithoutBands(int calls = 1000, std::function<void(const std::string&)> before_reply = {})
      : calls_(calls), before_reply_(std::move(before_reply)), raw_([this](RawPeer& peer) { serve(peer); }) {}
  std::string reference() const {
    return with_policies(raw_.reference(), {{40, {1, 0, 0, 0, 0, 0, 0, 0, 5, 0}}});
  }
  /// pre: the connections have ended, or wait for a request.
  std::vector<Announced> requests() {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void serve(RawPeer& peer) {
    for (int served = 0; served < calls_;) {
      const auto message = peer.receives();
      giop::MessageHeader header;
      giop::RequestHeader request;
      if (!message || !giop::read_header(*message, header)) return;
      if (header.type == giop::MessageType::locate_request) {
        answers_locate_request(peer, *message, header);
        continue;
      }
      if (header.type != giop::MessageType::request) return;
      orbweaver::cdr::Decoder in = giop::open_body(*message, header);
      if (!giop::decode_request(in, header.version, request)) return;
      const std::string operation(request.operation);
      {
        const std::lock_guard lock(mutex_);
        requests_.emplace_back(operation, copied(request.contexts));
      }
      if (before_reply_) before_reply_(operation);
      Octets reply;
      orbweaver::cdr::Encoder out(reply);
      const bool is_known = operation == "twice";
      served += is_known;
      giop::encode_reply(out, header.version, request.request_id,
                         is_known ? giop::ReplyStatus::no_exception : giop::ReplyStatus::system_exception, {},
                         giop::Body::follows);
      if (is_known)
        out.put(std::int32_t{42});
      else
        giop::encode(out,
                     giop::SystemException{"IDL:omg.org/CORBA/BAD_OPERATION:1.0", 0, giop::Completed::no});
      EXPECT_TRUE(giop::finish_message(out));
      reply.resize(out.size());
      peer.sends(reply);
    }
    const auto end = giop::close_connection(giop::kGiop12);
    peer.sends(Octets(end.begin(), end.end()));
  }
  static void answers_locate_request(RawPeer& peer, const Octets& message,
                                     const giop::MessageHeader& header) {
    orbweaver::cdr::Decoder in = giop::open_body(message, header);
    giop::LocateRequest request;
    ASSERT_TRUE(giop::decode_locate_request(in, header.version, request));
    Octets reply;
    orbweaver::cdr::Encoder out(reply);
    giop::encode_locate_reply(out, header.version, {request.request_id, giop::LocateStatus::object_here});
    EXPECT_TRUE(giop::finish_message(out));
    reply.resize(out.size());
    peer.sends(reply);
  }

  const int calls_;
  const std::function<void(const std::string&)> before_reply_;
  std::mutex mutex_;
  std::vector<Announced> requests_;
  RawServer raw_;  // last: its thread uses the others
};

const Contexts kAt200 = {{kRtPriority, {1, 0, 200, 0}}};
// _bind_priority_band itself has the priority of its caller, too.
const Announced kAnnouncement{"_bind_priority_band",
                              {{kRtPriorityRange, {1, 0, 100, 0, 0x2c, 0x01}}, kAt200.front()}};
const Announced kCall{"twice", kAt200};

struct BandAnnouncements : BandedConnections {
  /// The reference of the only band that has been called.
  static CORBA::object_reference<orbweaver::Reference> band_of(const CallsRef& calls) {
    const auto bands = calls->_reference()->core().real_time()->band_references(*calls->_reference());
    EXPECT_THAT(bands, SizeIs(1));
    return bands.front();
  }
  /// Waits until the client knows that the connection of the band has been closed.
  static void notices_the_end(const CallsRef& calls) {
    const auto band = band_of(calls);
    const orbweaver::orb::CallScope scope;
    EXPECT_TRUE(becomes_true([&] {
      band->current_binding()->connection.get()->reader().check_for_close();
      return band->usable_binding() == nullptr;
    }));
  }
};

TEST_F(BandAnnouncements, AreMadeBeforeTheFirstCall) {
  ServerWithoutBands raw;
  const CallsRef calls = with(client.unchecked(raw.reference()), bands({{100, 300}}));
  at_priority(client, 200, [&] {
    EXPECT_EQ(calls->twice(21), 42);
    EXPECT_EQ(calls->twice(21), 42);
  });
  EXPECT_THAT(raw.requests(), ElementsAre(kAnnouncement, kCall, kCall));
  client.destroy();
}

TEST_F(BandAnnouncements, AreMadeAgainOverANewConnection) {
  ServerWithoutBands raw(1);
  const CallsRef calls = with(client.unchecked(raw.reference()), bands({{100, 300}}));
  at_priority(client, 200, [&] {
    EXPECT_EQ(calls->twice(21), 42);
    notices_the_end(calls);
    EXPECT_EQ(calls->twice(21), 42);
  });
  EXPECT_THAT(raw.requests(), ElementsAre(kAnnouncement, kCall, kAnnouncement, kCall));
  client.destroy();
}

// The call finds the end of the connection, after it has been found to be that of the announcement.
TEST_F(BandAnnouncements, AreMadeAgainIfACallFindsItsConnectionClosed) {
  ServerWithoutBands raw(1);
  const CallsRef calls = with(client.unchecked(raw.reference()), bands({{100, 300}}));
  at_priority(client, 200, [&] {
    EXPECT_EQ(calls->twice(21), 42);
    const auto band = band_of(calls);
    {
      const orbweaver::orb::CallScope scope;
      auto* const readiness = band->current_binding()->connection.get()->readiness_as_reader();
      ASSERT_NE(readiness, nullptr);
      std::array<orbweaver::platform::PollItem, 1> items{
          {{readiness->descriptor(), orbweaver::platform::kReadable, 0}}};
      EXPECT_NE(orbweaver::platform::poll(items, orbweaver::Deadline::in_ms(120'000)), 0);
      EXPECT_NE(band->usable_binding(), nullptr) << "the client has not read CloseConnection";
    }
    EXPECT_EQ(calls->twice(21), 42);
  });
  EXPECT_THAT(raw.requests(), ElementsAre(kAnnouncement, kCall, kAnnouncement, kCall));
  client.destroy();
}

TEST_F(BandAnnouncements, AreMadeAgainByValidateConnectionWithNoReconnect) {
  ServerWithoutBands raw(1);
  CORBA::Any mode;
  mode <<= Messaging::NO_RECONNECT;
  const CallsRef calls = with(with(client.unchecked(raw.reference()), bands({{100, 300}})),
                              client.orb->create_policy(Messaging::REBIND_POLICY_TYPE, mode));
  CORBA::PolicyList inconsistent;
  at_priority(client, 200, [&] {
    EXPECT_EQ(calls->twice(21), 42);
    for (int n = 0; n < 2; ++n) {
      notices_the_end(calls);
      EXPECT_THROW(calls->twice(21), CORBA::REBIND);
      EXPECT_TRUE(calls->_validate_connection(inconsistent));
      EXPECT_EQ(calls->twice(21), 42);
    }
  });
  EXPECT_THAT(raw.requests(), ElementsAre(kAnnouncement, kCall, kAnnouncement, kCall, kAnnouncement, kCall));
  client.destroy();
}

TEST_F(BandAnnouncements, AreMadeOnceByManyThreads) {
  std::atomic<int> started{0};
  ServerWithoutBands raw(1000, [&](const std::string& operation) {
    if (operation != kAnnouncement.first) return;
    EXPECT_TRUE(becomes_true([&] { return started.load() == 3; }));
    EXPECT_TRUE(becomes_true([] { return orbweaver::platform::testing::other_threads_sleep(); }));
  });
  const CallsRef calls = with(client.unchecked(raw.reference()), bands({{100, 300}}));
  std::vector<std::thread> callers;
  for (int n = 0; n < 3; ++n) {
    callers.emplace_back([&] {
      client.current->the_priority(200);
      ++started;
      EXPECT_EQ(calls->twice(21), 42);
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_THAT(raw.requests(), ElementsAre(kAnnouncement, kCall, kCall, kCall));
  client.destroy();
}

/// A peer that announces bands, and an object without a priority model, whose requests are executed at the
/// priority of the connection's thread.
struct AnnouncedBands : ::testing::TestWithParam<bool> {
  /// An object of a POA with these policies and, if the parameter is true, a thread pool.
  std::string object(CORBA::PolicyList policies) {
    if (GetParam()) {
      policies.push_back(
          server.rt->create_threadpool_policy(server.rt->create_threadpool(0, 1, 0, 5, false, 0, 0)));
    }
    poa = server.poa("banded", policies);
    return server.activate(poa, CORBA::make_reference<PriorityServant>(server.current));
  }
  std::string object_with_bands() {
    return object({server.client_propagated(7),
                   server.rt->create_priority_banded_connection_policy({{0, 99}, {100, 300}})});
  }
  giop::ReplyStatus call(const std::string& to, const Contexts& contexts, const char* operation) {
    peer.sends(request_with(where(to).key, contexts, 2, operation));
    const auto reply = reply_of(peer.receives());
    return reply ? reply->status : giop::ReplyStatus::location_forward;
  }
  giop::ReplyStatus bind(const std::string& to, const Octets& range) {
    return call(to, {{kRtPriorityRange, range}}, "_bind_priority_band");
  }
  Priority executed() {
    EXPECT_EQ(call(plain, {}, "twice"), giop::ReplyStatus::no_exception);
    return other->take_priority();
  }

  RealTimeOrb server{Options{"-ORBListen", "tcp:127.0.0.1:0"}};
  const PriorityServantRef other = CORBA::make_reference<PriorityServant>(server.current);
  const std::string plain = server.activate(server.root, other);
  CORBA::object_reference<RTPortableServer::POA> poa;
  RawPeer peer = RawPeer::to(where(plain).port);
  const Octets published{1, 0, 100, 0, 0x2c, 0x01}, all{1, 0, 0, 0, 0xff, 0x7f}, empty{1, 0, 9, 0, 5, 0};
};

TEST_P(AnnouncedBands, AreThePriorityOfTheThreadOfTheConnection) {
  const std::string reference = object_with_bands();
  EXPECT_EQ(executed(), kNone);
  EXPECT_EQ(call(reference, {}, "_bind_priority_band"), giop::ReplyStatus::system_exception);
  EXPECT_EQ(bind(reference, empty), giop::ReplyStatus::system_exception);
  EXPECT_EQ(executed(), kNone);
  EXPECT_EQ(bind(reference, published), giop::ReplyStatus::no_exception);
  EXPECT_EQ(executed(), 300);
  EXPECT_EQ(call(reference, {}, "twice"), giop::ReplyStatus::no_exception) << "after it, the pool is used";
  EXPECT_EQ(executed(), 300);
  EXPECT_EQ(bind(plain, published), giop::ReplyStatus::system_exception)
      << "an object without a priority model";
}

TEST_P(AnnouncedBands, AreIgnoredUnlessTheyArePublished) {
  EXPECT_EQ(bind(object_with_bands(), all), giop::ReplyStatus::no_exception);
  EXPECT_EQ(executed(), kNone);
}

TEST_P(AnnouncedBands, AreIgnoredByAdaptersWithoutBands) {
  EXPECT_EQ(bind(object({server.client_propagated(7)}), all), giop::ReplyStatus::no_exception);
  EXPECT_EQ(executed(), kNone);
}

TEST_P(AnnouncedBands, DoNotApplyWhileTheManagerDoesNotServe) {
  const std::string reference = object_with_bands();
  poa->the_POAManager()->discard_requests(false);
  EXPECT_EQ(bind(reference, published), giop::ReplyStatus::system_exception);
  EXPECT_EQ(executed(), kNone);
  poa->the_POAManager()->hold_requests(false);
  peer.sends(request_with(where(reference).key, {{kRtPriorityRange, published}}, 2, "_bind_priority_band"));
  EXPECT_TRUE(becomes_true([] { return orbweaver::platform::testing::other_threads_sleep(); }));
  poa->the_POAManager()->activate();
  EXPECT_EQ(reply_of(peer.receives())->status, giop::ReplyStatus::no_exception);
}

INSTANTIATE_TEST_SUITE_P(Pools, AnnouncedBands, ::testing::Bool(),
                         [](const auto& has_pool) { return has_pool.param ? "pool" : "no_pool"; });

TEST_F(BandAnnouncements, DoNotRaiseTheThreadAboveTheHighestLane) {
  const auto lanes = server.rt->create_threadpool_with_lanes(0, {{0, 1, 0}, {200, 1, 0}}, false, false, 0, 0);
  const auto other = CORBA::make_reference<PriorityServant>(server.current);
  const std::string plain = server.activate(server.root, other);
  const std::string reference =
      server.activate(server.poa("lanes", {server.client_propagated(0), bands({{0, 99}, {100, 32767}}),
                                           server.rt->create_threadpool_policy(lanes)}),
                      servant);
  RawPeer peer = RawPeer::to(where(reference).port);
  peer.sends(request_with(where(reference).key, {{kRtPriorityRange, {1, 0, 100, 0, 0xff, 0x7f}}}, 2,
                          "_bind_priority_band"));
  EXPECT_EQ(reply_of(peer.receives())->status, giop::ReplyStatus::no_exception);
  peer.sends(request_with(where(plain).key, {}));
  EXPECT_EQ(reply_of(peer.receives())->status, giop::ReplyStatus::no_exception);
  EXPECT_EQ(other->take_priority(), 200);
}

}  // namespace
}  // namespace orbtest
