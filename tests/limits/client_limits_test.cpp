// Incomplete replies at a client without a server side: memory and timeouts.
#include <gmock/gmock.h>

#include <optional>

#include "orb/core.h"
#include "orb/minor_codes.h"
#include "orb/orb_impl.h"
#include "testing/raw_peer.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

using ::testing::HasSubstr;

struct Case {
  const char* name;
  const char* threads;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

/// The first fragment of a reply to request `id`.
Octets first_fragment(std::uint32_t id) {
  Octets first = reply(id).octets(Octets(200)).bytes();
  first.resize(first.size() / 8 * 8);
  const auto body = static_cast<std::uint32_t>(first.size() - 12);
  std::memcpy(first.data() + 8, &body, 4);
  first[6] |= 2;  // another fragment follows
  return first;
}

/// A server that sends only the beginning of each reply. The timeout of the calls is far longer than the
/// message timeout.
class PartialReply : public ::testing::TestWithParam<Case> {
 protected:
  std::string error_after(std::function<Octets(std::uint32_t id)> half) {
    RawServer server([half = std::move(half)](RawPeer& peer) {
      while (const auto message = peer.receives()) {
        std::uint32_t id = 0;
        std::memcpy(&id, message->data() + 12, 4);
        peer.sends(half(id));
      }
    });
    TestOrb client{Options{"-ORBThreads", GetParam().threads, "-ORBTransportPreference", "tcp", "-ORBTune",
                           "message-timeout-ms=40", "-ORBCallTimeout", "120000", "-ORBLog", "off"}};
    const CallsRef calls = client.unchecked(server.reference());
    const std::string raised =
        raised_by<CORBA::COMM_FAILURE>([&] { calls->notes(); }, orbweaver::minor::kPeerLost);
    client.destroy();
    return raised;
  }
};

TEST_P(PartialReply, ClosesItsConnectionAtTheMessageTimeout) {
  EXPECT_THAT(error_after([](std::uint32_t id) {
                Octets bytes = reply(id).octets(Octets(200)).bytes_announcing(100'000);
                return bytes;
              }),
              HasSubstr("lost"));
}

TEST_P(PartialReply, InFragmentsClosesItsConnectionAtTheMessageTimeout) {
  EXPECT_THAT(error_after(first_fragment), HasSubstr("closed at this end"));
}

/// A reference keeps the connection until it is used again.
TEST_P(PartialReply, IsNotCountedAfterItsConnectionHasClosed) {
  for (const bool in_fragments : {false, true}) {
    RawServer server([&](RawPeer& peer) {
      const auto message = peer.receives();
      if (!message) return;
      std::uint32_t id = 0;
      std::memcpy(&id, message->data() + 12, 4);
      peer.sends(in_fragments ? first_fragment(id)
                              : reply(id).octets(Octets(200'000)).bytes_announcing(1'000'000));
    });
    TestOrb client{Options{"-ORBThreads", GetParam().threads, "-ORBTransportPreference", "tcp",
                           "-ORBCallTimeout", "120000", "-ORBLog", "off"}};
    const CallsRef calls = client.unchecked(server.reference());
    EXPECT_THAT(raised_by<CORBA::COMM_FAILURE>([&] { calls->notes(); }, orbweaver::minor::kPeerLost),
                HasSubstr("closed the connection"));
    const auto core = dynamic_cast<orbweaver::orb::OrbImpl&>(*client.orb).core();
    EXPECT_EQ(core->receive_budget()->bytes() + core->receive_budget()->cached_bytes(), 0u) << in_fragments;
    EXPECT_FALSE(core->receive_budget()->receiving()) << in_fragments;
    client.destroy();
  }
}

INSTANTIATE_TEST_SUITE_P(ThreadModes, PartialReply,
                         ::testing::Values(Case{"Threads", "connection"}, Case{"APool", "pool:2"},
                                           Case{"ASingleThread", "single"}),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace orbtest
