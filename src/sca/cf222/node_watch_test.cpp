#include "sca/cf222/node_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <optional>

#include "platform/testing/becomes_true.h"
#include "sca/cf222/testing/test_node.h"

namespace orbweaver::sca {
namespace {

using platform::testing::becomes_true;
using std::chrono::milliseconds;
using ::testing::HasSubstr;
using testing::TestNode;
using testing::TestOrb;

/// Between two calls: no test lasts as long.
constexpr std::chrono::hours kNever{1};

/// Watches a node of another ORB.
struct NodeWatchTest : ::testing::Test {
  NodeWatchTest() : node(std::in_place, "node-1") {}

  NodeWatch make(const NodeWatchOptions& options) {
    return NodeWatch(
        [this](const std::string&, const NodeWatch::NodeRef&, const std::string& why) {
          {
            const std::lock_guard lock(mutex);
            reason = why;
          }
          ++losses;
          return true;
        },
        [this](const std::string&, const NodeWatch::NodeRef&) { ++returns; }, options);
  }
  NodeWatch::NodeRef reference() { return orb.use<CORBA::Object>(node->manager()); }
  std::string last_reason() {
    const std::lock_guard lock(mutex);
    return reason;
  }

  TestOrb orb;
  std::optional<TestNode> node;
  std::atomic<int> losses{0}, returns{0};
  std::mutex mutex;
  std::string reason;  // mutex
};

TEST_F(NodeWatchTest, TellsTheEndOfAProcessWithoutACall) {
  NodeWatch watch = make({kNever, std::chrono::minutes(2), 3});
  watch.watch("node-1", reference());
  ASSERT_TRUE(becomes_true([&] { return node->questions > 0; })) << "it is connected";
  node.reset();
  EXPECT_TRUE(becomes_true([&] { return losses == 1; }));
  EXPECT_THAT(last_reason(), HasSubstr("its process has ended"));
}

TEST_F(NodeWatchTest, CallsANodeAgainWhoseConnectionHasBeenClosed) {
  NodeWatch watch = make({kNever, std::chrono::minutes(2), 3});
  const auto object = reference();
  watch.watch("node-1", object);
  ASSERT_TRUE(becomes_true([&] { return node->questions == 1; }));
  watch.watch("node-1", object);
  // The first thread asks again, too, if its connection is closed before it has read its answer.
  EXPECT_TRUE(becomes_true([&] { return node->questions >= 2; }));
  EXPECT_EQ(losses, 0);
}

TEST_F(NodeWatchTest, DoesNotTakeALateAnswerForALoss) {
  node->late = milliseconds(100);
  NodeWatch watch = make({milliseconds(1), milliseconds(20), 1'000'000});
  watch.watch("node-1", reference());
  EXPECT_TRUE(becomes_true([&] { return node->questions > 3; })) << "it is called again";
  EXPECT_EQ(losses, 0);
}

TEST_F(NodeWatchTest, EndsWhileItAwaitsTheEndOfAConnection) {
  NodeWatch watch = make({kNever, std::chrono::minutes(2), 3});
  watch.watch("node-1", reference());
  ASSERT_TRUE(becomes_true([&] { return node->questions > 0; }));
  watch.end();
  EXPECT_EQ(losses, 0);
}

TEST_F(NodeWatchTest, ForgetsANode) {
  NodeWatch watch = make({milliseconds(1), std::chrono::minutes(2), 3});
  watch.watch("node-1", reference());
  ASSERT_TRUE(becomes_true([&] { return node->questions > 2; }));
  watch.forget("node-1");
  node.reset();
  watch.end();
  EXPECT_EQ(losses, 0);
}

}  // namespace
}  // namespace orbweaver::sca
