// Out of memory in a thread that waits for a reply: its call fails and a connection closes; the process
// continues.
#include <gtest/gtest.h>

#include <orbweaver/any.h>
#include <orbweaver/messaging.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>

#include "testing/raw_peer.h"
#include "testing/test_orb.h"

namespace {
/// Number of allocations of this thread until one fails, counted down; 0: none fails.
thread_local int fails_in = 0;
}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  void* const block = fails_in != 0 && --fails_in == 0 ? nullptr : std::malloc(bytes != 0 ? bytes : 1);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
[[gnu::noinline]] void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { operator delete(block); }

namespace orbtest {
namespace {

constexpr int kMaxAllocations = 40;

/// Makes the call while the `nth` allocation of this thread fails. A CORBA system exception or bad_alloc is
/// accepted.
template <class Call>
void without_memory(int nth, Call&& call) {
  fails_in = nth;
  try {
    call();
  } catch (const CORBA::SystemException&) {
  } catch (const std::bad_alloc&) {
  }
  fails_in = 0;
}

class NoMemoryFor : public ::testing::TestWithParam<std::string> {};

TEST_P(NoMemoryFor, ATimedOutCallClosesAtMostItsConnection) {
  const ServantRef servant = CORBA::make_reference<Servant>();
  TestOrb server{Options{"-ORBListen", GetParam(), "-ORBLog", "off"}};
  const std::string reference = server.serve(servant);
  TestOrb another{Options{"-ORBTransportPreference", GetParam()}};
  const CallsRef calls = another.at(reference);
  for (int nth = 1; nth <= kMaxAllocations; ++nth) {
    TestOrb client{Options{"-ORBTransportPreference", GetParam()}};
    const CallsRef connected = client.at(reference);
    EXPECT_EQ(connected->twice(2), 4);
    CORBA::Any limit;
    limit <<= TimeBase::TimeT{10'000};  // a millisecond
    const auto policy = client.orb->create_policy(Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, limit);
    const auto with_timeout =
        connected->_set_policy_overrides({policy}, CORBA::SetOverrideType::ADD_OVERRIDE);
    const auto waiting = CallsRef::adopt(OrbTest::Calls::_make(with_timeout->_reference()));
    without_memory(nth, [&] { waiting->wait_at_gate(nth); });
    EXPECT_EQ(calls->twice(3), 6);
    servant->gate.open(nth);  // until the call returns, the server keeps the connection and its queues
  }
}

INSTANTIATE_TEST_SUITE_P(Transports, NoMemoryFor,
                         ::testing::Values("inproc", "shm", "unix", "tcp", "mqueue", "udp"),
                         [](const auto& i) { return i.param; });

/// Replies arrive whole, in fragments, after an unexpected reply, or truncated; or the server reports an
/// error instead.
TEST(NoMemoryForAReply, ClosesAtMostItsConnection) {
  enum Kind { kWhole, kFragments, kOfAnotherFirst, kHalf, kError, kKinds };
  std::atomic<int> kind{kWhole};
  RawServer server([&](RawPeer& peer) {
    while (const auto message = peer.receives()) {
      std::uint32_t id = 0;
      std::memcpy(&id, message->data() + 12, 4);
      Octets bytes = reply(id).octets(Octets(10'000)).bytes();
      if (kind == kFragments) {
        bytes.resize(bytes.size() / 8 * 8);
        const auto body = static_cast<std::uint32_t>(bytes.size() - 12);
        std::memcpy(bytes.data() + 8, &body, 4);
        bytes[6] |= 2;
        peer.sends(bytes);
        bytes = Message(orbweaver::giop::MessageType::fragment).ulong(id).ulong(0).ulong(0).bytes();
      } else if (kind == kOfAnotherFirst) {
        peer.sends(reply(id + 1).octets(Octets(10'000)).bytes());  // an unexpected reply
      } else if (kind == kHalf) {
        bytes.resize(5'000);
        peer.sends(bytes);
        return;
      } else if (kind == kError) {
        peer.sends(Message(orbweaver::giop::MessageType::message_error).bytes());
        return;
      }
      peer.sends(bytes);
    }
  });
  for (int tested = kWhole; tested != kKinds; ++tested) {
    for (int nth = 1; nth <= kMaxAllocations; ++nth) {
      TestOrb client{Options{"-ORBTransportPreference", "tcp", "-ORBCallTimeout", "60000", "-ORBLog", "off"}};
      const CallsRef calls = client.unchecked(server.reference());
      kind = kWhole;
      EXPECT_EQ(calls->echo({}).size(), 10'000u);
      kind = tested;
      without_memory(nth, [&] { calls->echo({}); });
      kind = kWhole;
      EXPECT_EQ(calls->echo({}).size(), 10'000u) << "kind " << tested << ", allocation " << nth;
      client.destroy();
    }
  }
}

/// A thread reads the replies of other threads when memory runs out: their calls fail, and none waits
/// forever.
TEST(NoMemoryForAReply, OfAnotherThreadClosesAtMostTheirConnection) {
  const ServantRef servant = CORBA::make_reference<Servant>();
  TestOrb server{Options{"-ORBListen", "tcp", "-ORBLog", "off"}};
  const std::string reference = server.serve(servant);
  for (int nth = 1; nth <= 12; ++nth) {
    TestOrb client{Options{"-ORBTransportPreference", "tcp", "-ORBCallTimeout", "60000", "-ORBLog", "off"}};
    const CallsRef calls = client.at(reference);
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 4; ++caller) {
      callers.emplace_back([&, caller] {
        for (int i = 0; i < 50; ++i) {
          without_memory(0, [&] { calls->echo(Octets(100)); });  // connects if necessary
          if (caller == 0) without_memory(nth, [&] { calls->echo(Octets(100)); });
        }
      });
    }
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(calls->twice(3), 6) << nth;
  }
}

}  // namespace
}  // namespace orbtest
