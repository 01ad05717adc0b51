// Either end killed while both ends wait for each other: the calls of the other one end, and nothing remains.
#include <gtest/gtest.h>

#include <filesystem>
#include <future>

#include "node.h"
#include "orb/minor_codes.h"
#include "platform/process.h"

namespace bidirtest {
namespace {

namespace platform = orbweaver::platform;
using CORBA::CompletionStatus;

constexpr int kRounds = 5;  // the first one creates what exists once per process

/// A process of node_main.cpp. The destructor kills it.
class NodeProcess {
 public:
  explicit NodeProcess(const std::vector<std::string>& arguments) {
    const auto folder = std::filesystem::path(platform::executable_path()).parent_path();
    EXPECT_EQ(process_.spawn({(folder / "bidirectional-test-node").string(), arguments, {}}), 0);
    bool at_end = false;
    EXPECT_TRUE(orbtest::becomes_true([&] {
      line_ += platform::read_available(process_.output(), at_end);
      return at_end || line_.ends_with('\n');
    }));
    if (!line_.empty()) line_.pop_back();
  }
  ~NodeProcess() { kill(); }
  const std::string& reference() const { return line_; }
  /// kill -9.
  void kill() {
    if (!process_.running()) return;
    process_.kill();
    process_.reap();
  }

 private:
  platform::ChildProcess process_;
  std::string line_;
};

/// Descriptors and threads of this process.
struct Resources {
  std::size_t descriptors = orbtest::descriptors(), threads = orbtest::threads();
  bool are_restored() const {
    return orbtest::becomes_true(
        [&] { return orbtest::descriptors() <= descriptors && orbtest::threads() <= threads; });
  }
};

/// Whether the call, which had reached the peer, ends with COMM_FAILURE: it may have been executed.
bool is_lost(std::future<std::int32_t> call) {
  try {
    call.get();
    return false;
  } catch (const CORBA::COMM_FAILURE& e) {
    EXPECT_EQ(e.minor(), orbweaver::minor::kPeerLost);
    return e.completed() == CompletionStatus::COMPLETED_MAYBE;
  }
}

/// Whether a new call is not made: there is no connection to the peer.
template <class Call>
bool is_not_made(Call&& call) {
  try {
    call();
    return false;
  } catch (const CORBA::TRANSIENT& e) {
    return e.completed() == CompletionStatus::COMPLETED_NO;
  }
}

TEST(KilledBidirectionalClient, LeavesNothingAndEndsItsCallbacks) {
  NodeOrb server(accepting(), BiDirPolicy::NORMAL);
  std::optional<Resources> before;
  for (int round = 1; round <= kRounds; ++round) {
    NodeProcess client({"client", server.stringified()});
    ASSERT_TRUE(server.node->gate.reached_by(1));
    auto callback = std::async(std::launch::async, [&] { return server.node->twice_there(1); });
    ASSERT_TRUE(orbtest::becomes_true([&] { return server.node->notes().size() == std::size_t(round); }));
    client.kill();
    EXPECT_TRUE(is_lost(std::move(callback)));
    EXPECT_TRUE(is_not_made([&] { server.node->twice_there(1); }));
    server.node->gate.open();  // the reply of this upcall has no receiver
    ASSERT_TRUE(orbtest::becomes_true([&] { return server.node->gate.waiting() == 0; }));
    server.node->gate.open(0);
    if (!before)
      before.emplace();
    else
      EXPECT_TRUE(before->are_restored())
          << round << ": " << orbtest::descriptors() << " descriptors, " << orbtest::threads() << " threads";
  }
}

TEST(KilledBidirectionalServer, LeavesNothingAndEndsTheCallsOfItsClient) {
  NodeOrb client(listening_nowhere(), BiDirPolicy::BOTH);
  std::optional<Resources> before;
  for (int round = 1; round <= kRounds; ++round) {
    NodeProcess server({"server"});
    const NodeRef there = client.offering(server.reference());
    there->attach(client.reference());
    auto call = std::async(std::launch::async, [&] { return there->wait_there(1); });
    ASSERT_TRUE(client.node->gate.reached_by(1)) << "the server calls back";
    server.kill();
    EXPECT_TRUE(is_lost(std::move(call)));
    EXPECT_TRUE(is_not_made([&] { there->twice(1); }));
    client.node->gate.open();
    ASSERT_TRUE(orbtest::becomes_true([&] { return client.node->gate.waiting() == 0; }));
    client.node->gate.open(0);
    if (!before)
      before.emplace();
    else
      EXPECT_TRUE(before->are_restored())
          << round << ": " << orbtest::descriptors() << " descriptors, " << orbtest::threads() << " threads";
  }
}

}  // namespace
}  // namespace bidirtest
