// Metadata and ends of streams over the ORB, also to a receiver of an earlier version.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <mutex>

#include <orbweaver/sca/component.h>
#include "old_streamS.h"
#include "platform/testing/becomes_true.h"
#include "sca/runtime/input_servant.h"
#include "sca/runtime/orb_connection.h"
#include "sca/runtime/testing/object_server.h"

namespace orbweaver::sca {
namespace {

using platform::testing::becomes_true;
using ::testing::ElementsAre;
using testing::ObjectClient;
using testing::ObjectServer;

class Source : public Component {
 public:
  using Component::Component;
  ~Source() override { shut_down(); }
  Output<float> out{*this, "out"};
};

/// Not started: the test takes the packets.
class Sink : public Component {
 public:
  explicit Sink(Context& context) : Component(context) {
    in.on_stream_end([this](std::uint64_t stream_id) { ended.push_back(stream_id); });
  }
  ~Sink() override { shut_down(); }
  /// Waits for so many packets, ends of streams included, and takes them.
  void take(std::size_t packets) {
    EXPECT_TRUE(becomes_true([&] { return in.queue_depth() == packets; }));
    while (in.process_packet()) {
    }
  }

  std::vector<StreamMetadata> heard;
  std::vector<double> rates;
  std::vector<std::uint64_t> streams, ended;
  Input<float> in{*this, "in", [this](const Packet<float>& packet) {
                    heard.push_back(packet.metadata != nullptr ? *packet.metadata : StreamMetadata());
                    rates.push_back(packet.sample_rate_hz);
                    streams.push_back(packet.stream_id);
                  }};
};

/// A sink that is served by an ORB of its own.
struct ServedSink {
  explicit ServedSink(const std::string& endpoints = "tcp:127.0.0.1:0")
      : sink(context), server(make_input_servant(sink.in, sink), endpoints) {}
  Context context;
  Sink sink;
  ObjectServer server;
};

const StreamMetadata kMetadata{
    "fm",
    UtcTime{1'700'000'000, 0.25},
    {{"live", true}, {"channel", std::int64_t{-7}}, {"CHAN_RF", 101.5e6}, {"antenna", std::string("north")}}};

struct Transport {
  const char* name;
  const char* endpoints;
};
void PrintTo(const Transport& transport, std::ostream* os) { *os << transport.name; }
class StreamOverTheOrb : public ::testing::TestWithParam<Transport> {};

TEST_P(StreamOverTheOrb, HasItsMetadataItsRateAndOneEndAtEachReceiver) {
  std::vector<std::unique_ptr<ServedSink>> sinks;
  for (int i = 0; i < 3; ++i) sinks.push_back(std::make_unique<ServedSink>(GetParam().endpoints));
  const ObjectClient client;
  Context context;
  Source source(context);
  for (std::size_t i = 0; i < sinks.size(); ++i) {
    source.out.connect(
        make_orb_connection(source.out, "c" + std::to_string(i), client.object(sinks[i]->server)));
  }
  source.out.push(std::vector<float>{1}, 8000);
  source.out.set_metadata(kMetadata);
  source.out.push(std::vector<float>{2}, 2.4e6);
  source.out.end();
  source.out.end();
  for (std::size_t i = 0; i < sinks.size(); ++i) {
    Sink& sink = sinks[i]->sink;
    const auto& connection = source.out.connections()->at(i);
    EXPECT_EQ(connection->transport(), GetParam().name);
    sink.take(3);
    EXPECT_EQ(sink.heard, (std::vector<StreamMetadata>{StreamMetadata(), kMetadata}));
    EXPECT_THAT(sink.rates, ElementsAre(8000, 2.4e6));
    EXPECT_THAT(sink.streams, ElementsAre(connection->stream_id(), connection->stream_id()));
    EXPECT_THAT(sink.ended, ElementsAre(connection->stream_id()));
  }
  for (const auto now = source.out.connections(); const auto& connection : *now)
    source.out.disconnect(connection->id());
}

INSTANTIATE_TEST_SUITE_P(Over, StreamOverTheOrb,
                         ::testing::Values(Transport{"shm", "shm"}, Transport{"unix", "unix"},
                                           Transport{"tcp", "tcp:127.0.0.1:0"}),
                         [](const auto& transport) { return std::string(transport.param.name); });

TEST(StreamEnds, OfSeveralSendersAreToldOnceEach) {
  Context context;
  Sink sink(context);
  const std::vector<float> samples{1};
  EXPECT_TRUE(sink.in.accept({7, 0, 0, 0, false}, samples));
  EXPECT_TRUE(sink.in.accept({8, 0, 0, 0, true}, samples));  // with its last samples
  EXPECT_TRUE(sink.in.accept({7, 1, 0, 0, true}, {}));
  EXPECT_TRUE(sink.in.accept({7, 2, 0, 0, true}, {}));  // a sender that repeats it
  sink.take(4);
  EXPECT_THAT(sink.streams, ElementsAre(7, 8));
  EXPECT_THAT(sink.ended, ElementsAre(8, 7));
}

/// A receiver of an earlier version.
class OldInput final : public virtual CORBA::servant_traits<old_stream::FloatInput>::base_type {
 public:
  void pushPacket(const old_stream::StreamHeader& header, const old_stream::Floats& samples) override {
    const std::lock_guard lock(mutex_);
    received_.push_back(samples.at(0) + static_cast<float>(100 * header.sequence_number()));
  }
  std::uint64_t copied_bytes() override { return 0; }
  std::vector<float> received() {
    const std::lock_guard lock(mutex_);
    return received_;
  }

 private:
  std::mutex mutex_;
  std::vector<float> received_;
};

TEST(StreamMetadataOverTheOrb, AreIgnoredByAReceiverOfAnEarlierVersion) {
  const auto old = CORBA::make_reference<OldInput>();
  const ObjectServer server(old);
  const ObjectClient client;
  Context context;
  Source source(context);
  source.out.connect(make_orb_connection(source.out, "c1", client.object(server)));
  source.out.set_metadata({"fm", UtcTime{1700, 0}, {{"live", true}}});
  source.out.push(std::vector<float>{1});
  source.out.push(std::vector<float>{2});
  EXPECT_TRUE(becomes_true([&] { return old->received().size() == 2; }));
  EXPECT_THAT(old->received(), ElementsAre(1, 102));
  EXPECT_FALSE(source.out.connections()->front()->broken());
  source.out.disconnect("c1");
}

}  // namespace
}  // namespace orbweaver::sca
