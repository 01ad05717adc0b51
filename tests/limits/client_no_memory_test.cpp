// Out of memory in a thread that connects, listens or waits for a reply: its call fails, a connection may
// close; the process continues.
#include <gtest/gtest.h>

#include <orbweaver/any.h>
#include <orbweaver/messaging.h>

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <thread>
#include <utility>

#include "orb/minor_codes.h"
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

enum class Outcome { all_allocated, done, no_memory, failed };

/// Makes the call while the `nth` allocation of this thread fails. A CORBA system exception or bad_alloc is
/// accepted. `all_allocated`: the call has fewer allocations.
template <class Call>
Outcome without_memory(int nth, Call&& call) {
  Outcome outcome = Outcome::done;
  fails_in = nth;
  try {
    call();
  } catch (const CORBA::NO_MEMORY& e) {
    fails_in = 0;
    EXPECT_EQ(e.minor(), orbweaver::minor::kNoMemory);
    EXPECT_EQ(e.completed(), CORBA::CompletionStatus::COMPLETED_NO);
    outcome = Outcome::no_memory;
  } catch (const CORBA::SystemException&) {
    outcome = Outcome::failed;
  } catch (const std::bad_alloc&) {
    outcome = Outcome::failed;
  }
  return std::exchange(fails_in, 0) > 0 ? Outcome::all_allocated : outcome;
}

/// Whether this machine does not have the transport.
bool is_missing(const std::string& transport) {
  return transport == "mqueue" && !std::ifstream("/proc/sys/fs/mqueue/msg_max");
}

class NoMemoryTo : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (is_missing(GetParam())) GTEST_SKIP() << "this machine has no POSIX message queues";
  }
};

TEST_P(NoMemoryTo, ConnectRaisesNoMemoryAndLeavesNothing) {
  TestOrb server{Options{"-ORBListen", GetParam(), "-ORBLog", "off"}};
  const std::string reference = server.serve(CORBA::make_reference<Servant>());
  const auto connect = [&](int nth) {
    TestOrb client{Options{"-ORBTransportPreference", GetParam(), "-ORBLog", "off"}};
    const CallsRef calls = client.unchecked(reference);
    const Outcome outcome = without_memory(nth, [&] { calls->twice(2); });
    EXPECT_EQ(calls->twice(3), 6) << "allocation " << nth;
    return outcome;
  };
  connect(0);
  const std::size_t open = descriptors();
  int no_memory = 0, nth = 0;
  for (Outcome outcome = Outcome::done; outcome != Outcome::all_allocated;) {
    outcome = connect(++nth);
    no_memory += outcome == Outcome::no_memory ? 1 : 0;
  }
  EXPECT_GT(no_memory, 0);
  EXPECT_TRUE(becomes_true([&] { return descriptors() <= open; })) << descriptors() << " of " << open;
}

TEST_P(NoMemoryTo, ListenRaisesNoMemoryAndLeavesNothing) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("no-memory-to-listen-" + std::to_string(getpid()));
  const std::string at = GetParam() == "unix" ? GetParam() + ":" + path.string() : GetParam();
  const auto listen = [&](int nth) {
    TestOrb server{Options{"-ORBListen", at, "-ORBLog", "off"}};
    const ServantRef servant = CORBA::make_reference<Servant>();
    server.root->activate_object(servant);
    const Outcome outcome = without_memory(nth, [&] { server.root->servant_to_reference(servant); });
    if (outcome == Outcome::no_memory) {
      EXPECT_FALSE(exists(path)) << "allocation " << nth;
    }
    TestOrb client{Options{"-ORBTransportPreference", GetParam()}};
    EXPECT_EQ(client.at(server.reference(server.root, servant))->twice(3), 6) << "allocation " << nth;
    return outcome;
  };
  listen(0);
  const std::size_t open = descriptors();
  int no_memory = 0, nth = 0;
  for (Outcome outcome = Outcome::done; outcome != Outcome::all_allocated;) {
    outcome = listen(++nth);
    no_memory += outcome == Outcome::no_memory ? 1 : 0;
  }
  EXPECT_GT(no_memory, 0);
  EXPECT_FALSE(exists(path));
  EXPECT_TRUE(becomes_true([&] { return descriptors() <= open; })) << descriptors() << " of " << open;
}

INSTANTIATE_TEST_SUITE_P(Transports, NoMemoryTo,
                         ::testing::Values("inproc", "shm", "unix", "tcp", "mqueue", "udp"),
                         [](const auto& i) { return i.param; });

/// Calls `target` twice, the first time without memory.
class NestedCaller final : public virtual CORBA::servant_traits<OrbTest::Watcher>::base_type {
 public:
  std::int32_t twice(std::int32_t n) override {
    outcome = without_memory(nth, [&] { target->twice(n); });
    return target->twice(n);
  }

  CallsRef target;
  int nth = 0;
  std::atomic<Outcome> outcome{Outcome::done};
};

/// The call needs the one auxiliary connection, as the reply to the call that led to it is outstanding.
TEST(NoMemoryToConnect, LeavesTheAuxiliaryConnectionsOfANestedCallUsable) {
  TestOrb server{Options{"-ORBListen", "tcp", "-ORBLog", "off"}};
  const std::string reference = server.serve(CORBA::make_reference<Servant>());
  int no_memory = 0, nth = 0;
  for (Outcome outcome = Outcome::done; outcome != Outcome::all_allocated;) {
    TestOrb client{
        Options{"-ORBTune", "auxiliary-connections=1", "-ORBCallTimeout", "60000", "-ORBLog", "off"}};
    const auto caller = CORBA::make_reference<NestedCaller>();
    caller->target = client.at(reference);
    caller->nth = ++nth;
    client.root->activate_object(caller);
    const auto watcher = IDL::traits<OrbTest::Watcher>::narrow(client.root->servant_to_reference(caller));
    EXPECT_EQ(caller->target->ask(watcher, 4), 8) << "allocation " << nth;
    outcome = caller->outcome;
    no_memory += outcome == Outcome::no_memory ? 1 : 0;
    caller->target = nullptr;
  }
  EXPECT_GT(no_memory, 0);
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
/// error, or closes the connection instead, after which the call is repeated.
TEST(NoMemoryForAReply, ClosesAtMostItsConnection) {
  enum Kind { kWhole, kFragments, kOfAnotherFirst, kHalf, kError, kClose, kKinds };
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
      } else if (kind == kClose) {
        kind = kWhole;
        peer.sends(Message(orbweaver::giop::MessageType::close_connection).bytes());
        return;
      }
      peer.sends(bytes);
    }
  });
  for (int tested = kWhole; tested != kKinds; ++tested) {
    // With kClose, the call connects again.
    for (int nth = 1; nth <= (tested == kClose ? 3 : 1) * kMaxAllocations; ++nth) {
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
