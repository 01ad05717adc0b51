// Addressing dispositions of requests: the object key, until the server replies NEEDS_ADDRESSING_MODE and
// asks for the profile or the whole reference.
#include <gmock/gmock.h>

#include <mutex>

#include "giop/locate.h"
#include "giop/reply.h"
#include "giop/request.h"
#include "orb/minor_codes.h"
#include "testing/raw_peer.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

namespace cdr = orbweaver::cdr;
namespace giop = orbweaver::giop;
namespace minor = orbweaver::minor;
using giop::AddressingDisposition;
using ::testing::ElementsAre;

/// The addressing disposition that a server requires.
struct Demand {
  const char* name;
  AddressingDisposition mode;
};
void PrintTo(const Demand& demand, std::ostream* out) { *out << demand.name; }

/// Serves requests and locate requests with the required addressing disposition, and answers all others with
/// NEEDS_ADDRESSING_MODE.
class AddressingServer : public ::testing::TestWithParam<Demand> {
 protected:
  void TearDown() override { client.destroy(); }
  std::vector<AddressingDisposition> asked_by() {
    const std::lock_guard lock(mutex_);
    return asked_by_;
  }
  CallsRef calls() { return client.unchecked(server_.reference()); }

  TestOrb client{Options{"-ORBCallTimeout", "120000", "-ORBTransportPreference", "tcp"}};
  std::atomic<bool> hangs_up{false};    ///< Closes the connection once, after the next reply.
  std::atomic<bool> insatiable{false};  ///< Answers every request with NEEDS_ADDRESSING_MODE.

 private:
  void serve(RawPeer& peer) {
    while (const auto message = peer.receives()) {
      const auto header = giop::parse_header(*message);
      cdr::Decoder in = giop::open_body(*message, *header);
      giop::RequestHeader request;
      giop::LocateRequest locate;
      const bool locates = header->type == giop::MessageType::locate_request;
      const bool good = locates ? giop::decode_locate_request(in, header->version, locate)
                                : giop::decode_request(in, header->version, request);
      const giop::Target& target = locates ? locate.target : request.target;
      ASSERT_TRUE(good);
      EXPECT_FALSE(target.needs_key);
      EXPECT_THAT(Octets(target.object_key.begin(), target.object_key.end()), ElementsAre(1, 2, 3));
      {
        const std::lock_guard lock(mutex_);
        asked_by_.push_back(target.addressing);
      }
      const bool satisfied = target.addressing == GetParam().mode && !insatiable;
      const auto mode = static_cast<std::uint16_t>(GetParam().mode);
      if (locates) {
        Message answer(giop::MessageType::locate_reply);
        answer.ulong(locate.request_id).ulong(satisfied ? 1 : 5);
        peer.sends((satisfied ? answer : answer.ushort(mode)).bytes());
      } else {
        peer.sends(satisfied ? reply(request.request_id).ulong(7).bytes()
                             : reply(request.request_id, 5).ushort(mode).bytes());
      }
      if (satisfied && hangs_up.exchange(false)) return;
    }
  }

  std::mutex mutex_;
  std::vector<AddressingDisposition> asked_by_;
  RawServer server_{[this](RawPeer& peer) { serve(peer); }};
};

TEST_P(AddressingServer, ReceivesTheRequestedAddressingDisposition) {
  const CallsRef object = calls();
  EXPECT_EQ(object->twice(1), 7);
  EXPECT_EQ(object->value(), 7);
  EXPECT_EQ(object->twice(1), 7);
  EXPECT_THAT(asked_by(),
              ElementsAre(AddressingDisposition::key, GetParam().mode, GetParam().mode, GetParam().mode));
}

TEST_P(AddressingServer, ReceivesTheRequestedDispositionOnANewConnection) {
  const CallsRef object = calls();
  hangs_up = true;
  EXPECT_EQ(object->twice(1), 7);
  std::this_thread::sleep_for(2ms);  // idle long enough for the client to poll the connection
  EXPECT_EQ(object->twice(1), 7);
  EXPECT_THAT(asked_by(), ElementsAre(AddressingDisposition::key, GetParam().mode, GetParam().mode));
}

TEST_P(AddressingServer, ReceivesTheRequestedDispositionInLocateRequests) {
  const CallsRef object = calls();
  CORBA::PolicyList none;
  EXPECT_TRUE(object->_validate_connection(none));
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(object->twice(1), 7);
  EXPECT_THAT(asked_by(), ElementsAre(AddressingDisposition::key, GetParam().mode, GetParam().mode));
}

TEST_P(AddressingServer, IsAbandonedAfterRepeatedNeedsAddressingMode) {
  insatiable = true;
  const CallsRef object = calls();
  raised_by<CORBA::TRANSIENT>([&] { object->twice(1); }, minor::kTooManyForwards);
  EXPECT_THAT(raised_by<CORBA::TRANSIENT>([&] { object->twice(1); }, minor::kTooManyForwards),
              ::testing::HasSubstr("too many forwards or addressing requests"));
  CORBA::PolicyList none;
  EXPECT_THROW(object->_validate_connection(none), CORBA::TRANSIENT);
}

INSTANTIATE_TEST_SUITE_P(Modes, AddressingServer,
                         ::testing::Values(Demand{"Profile", AddressingDisposition::profile},
                                           Demand{"Reference", AddressingDisposition::reference}),
                         [](const auto& i) { return std::string(i.param.name); });

TEST(AddressingDisposition, ServerAcceptsEveryDisposition) {
  TestOrb server;
  const ServantRef servant = CORBA::make_reference<Servant>();
  const std::string text = server.serve(servant);
  const Where at = where(text);
  const auto ior = giop::parse_ior(text);
  ASSERT_TRUE(ior);
  RawPeer peer = RawPeer::to(at.port);
  std::uint32_t id = 0;
  const auto answer = [&](const Octets& request) {
    peer.sends(request);
    const auto message = peer.receives();
    EXPECT_TRUE(message.has_value());
    return message ? Octets(message->end() - 4, message->end()) : Octets();
  };
  // In this machine's byte order, like the replies.
  Octets eight(4), object_here(4);
  const std::size_t low = giop::kThisMachineIsLittleEndian ? 0 : 3;
  eight[low] = 8;
  object_here[low] = 1;
  EXPECT_EQ(answer(request(++id, at.key, "twice").align(8).ulong(4).bytes()), eight);
  for (const AddressingDisposition addressing :
       {AddressingDisposition::profile, AddressingDisposition::reference}) {
    Octets bytes;
    cdr::Encoder out(bytes);
    giop::encode_request(out, ++id, giop::response::kWithTarget, giop::address_of(*ior, 0, addressing),
                         "twice", {}, giop::Body::follows);
    out.put(std::int32_t{4});
    ASSERT_TRUE(giop::finish_message(out));
    out.finish();
    EXPECT_EQ(answer(bytes), eight) << static_cast<int>(addressing);
    Octets locate;
    cdr::Encoder asking(locate);
    giop::encode_locate_request(asking, ++id, giop::address_of(*ior, 0, addressing));
    ASSERT_TRUE(giop::finish_message(asking));
    asking.finish();
    EXPECT_EQ(answer(locate), object_here) << "not OBJECT_HERE";
  }
}

}  // namespace
}  // namespace orbtest
