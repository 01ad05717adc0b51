// Metadata of streams beside their samples.
#include <orbweaver/sca/stream_metadata.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <orbweaver/sca/component.h>
#include <orbweaver/sca/direct_connection.h>

namespace orbweaver::sca {
namespace {

using ::testing::ElementsAre;

/// What a handler has got with its packets: "-" without metadata; otherwise the name, "!" if they are new,
/// and the seconds of the start.
using Heard = std::vector<std::string>;

/// A component with both ends of a stream. It is not started: the test sends and takes the packets itself.
class Loop : public Component {
 public:
  explicit Loop(Context& context) : Component(context) {}
  ~Loop() override { shut_down(); }

  /// Sends a packet.
  void push() { out.push(std::vector<float>{1}); }
  /// Takes all packets from the queue, and returns what has been heard since the last call.
  Heard heard() {
    while (in.process_packet()) {
    }
    return std::exchange(heard_, {});
  }

  Output<float> out{*this, "out"};
  Input<float> in{*this, "in", [this](const Packet<float>& packet) { hear(packet); }};

 private:
  void hear(const Packet<float>& packet) {
    if (packet.metadata == nullptr) return heard_.push_back("-");
    std::string text = packet.metadata->name + (packet.metadata_changed ? "!" : "");
    if (packet.metadata->start) text += " " + std::to_string(packet.metadata->start->seconds);
    heard_.push_back(text);
  }

  Heard heard_;
};

TEST(StreamMetadata, ApplyToLaterPackets) {
  Context context;
  Loop loop(context);
  connect_directly<float>(loop.out, loop.in, "c1");
  loop.push();
  loop.out.set_metadata({"fm", UtcTime{1700, 0.5}, {}});
  loop.push();
  loop.push();
  loop.out.set_metadata({"am", {}, {}});
  loop.push();
  EXPECT_THAT(loop.heard(), ElementsAre("-", "fm! 1700", "fm 1700", "am!"));
}

TEST(StreamMetadata, AreThoseOfTheirStream) {
  Context context, other_context;
  Loop loop(context), other(other_context);
  connect_directly<float>(loop.out, loop.in, "c1");
  connect_directly<float>(other.out, loop.in, "c2");
  loop.out.set_metadata({"fm", {}, {}});
  loop.push();
  other.push();
  EXPECT_THAT(loop.heard(), ElementsAre("fm!", "-"));
}

TEST(StreamMetadata, ReachALaterConnectionWithoutTheStart) {
  Context context, other_context;
  Loop loop(context), other(other_context);
  connect_directly<float>(loop.out, loop.in, "c1");
  loop.out.set_metadata({"fm", UtcTime{1700, 0}, {}});
  loop.push();
  connect_directly<float>(loop.out, other.in, "c2");
  loop.push();
  EXPECT_THAT(other.heard(), ElementsAre("fm!"));
  EXPECT_THAT(loop.heard(), ElementsAre("fm! 1700", "fm 1700"));
}

TEST(StreamMetadata, AreIgnoredWithTooManyKeywords) {
  Context context;
  Loop loop(context);
  connect_directly<float>(loop.out, loop.in, "c1");
  StreamMetadata metadata{"fm", {}, {}};
  metadata.keywords.resize(InputPort::kMaxKeywords + 1);
  loop.out.set_metadata(metadata);
  loop.push();
  metadata.keywords.pop_back();
  loop.out.set_metadata(metadata);
  loop.push();
  EXPECT_THAT(loop.heard(), ElementsAre("-", "fm!"));
}

TEST(StreamMetadata, AreLimitedInStreams) {
  Context context;
  Loop loop(context);
  for (std::uint64_t stream = 0; stream < 2 * StreamMonitor::kMaxStreams; ++stream)
    loop.in.accept_metadata(stream, {"fm", {}, {}});
  const std::vector<float> samples{1};
  for (const std::uint64_t stream : {std::uint64_t{0}, std::uint64_t{StreamMonitor::kMaxStreams}})
    EXPECT_TRUE(loop.in.accept({stream, 0, 0, 0, false}, samples));
  EXPECT_THAT(loop.heard(), ElementsAre("fm!", "-"));
}

}  // namespace
}  // namespace orbweaver::sca
