// Ports with the standard interfaces of OSSIE, with senders and receivers that know only these, and between
// components of Orbweaver.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <memory>
#include <mutex>

#include <orbweaver/sca/ossie_ports.h>
#include "StandardInterfacesS.h"
#include "platform/testing/becomes_true.h"
#include "platform/testing/waiting_thread.h"
#include "sca/runtime/input_servant.h"
#include "sca/runtime/orb_connection.h"
#include "sca/runtime/ossie_connection.h"
#include "sca/runtime/ossie_types.h"
#include "sca/runtime/testing/object_server.h"

namespace orbweaver::sca {
namespace {

using platform::testing::becomes_true;
using platform::testing::WaitingThread;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ObjectClient;
using testing::ObjectServer;
using ComplexShort = std::complex<std::int16_t>;

template <class Sample>
std::vector<Sample> ramp(int first, int count) {
  std::vector<Sample> samples;
  for (int n = first; n < first + count; ++n) {
    if constexpr (kIsComplex<Sample>) {
      using Part = typename Sample::value_type;
      samples.emplace_back(static_cast<Part>(n), static_cast<Part>(-n - 1));
    } else {
      samples.push_back(static_cast<Sample>(n - 3));
    }
  }
  return samples;
}

template <class Sample>
class Source : public Component {
 public:
  using Component::Component;
  ~Source() override { shut_down(); }
  OssieOutput<Sample> out{*this, "out"};
};

/// Not started: the test takes the packets.
template <class Sample>
class Sink : public Component {
 public:
  explicit Sink(Context& context, std::size_t queue_packets = InputPort::kQueuePackets)
      : Component(context), in(
                                *this, "in", [this](const auto& packet) { hear(packet); }, queue_packets) {
    in.on_stream_end([this](std::uint64_t stream_id) { ended.push_back(stream_id); });
  }
  ~Sink() override { shut_down(); }

  std::vector<std::vector<Sample>> heard;
  std::vector<StreamMetadata> metadata;
  std::vector<std::uint64_t> ended, numbers, streams;
  OssieInput<Sample> in;

 private:
  void hear(const Packet<Sample>& packet) {
    heard.emplace_back(packet.samples.begin(), packet.samples.end());
    metadata.push_back(packet.metadata != nullptr ? *packet.metadata : StreamMetadata());
    numbers.push_back(packet.sequence_number);
    streams.push_back(packet.stream_id);
  }
};

template <class Sample>
struct ServedSink {
  explicit ServedSink(std::size_t queue_packets = InputPort::kQueuePackets)
      : sink(context, queue_packets), server(make_input_servant(sink.in, sink)) {}
  Context context;
  Sink<Sample> sink;
  ObjectServer server;
};

template <class Sample>
using Standard = typename OssieInterface<Sample>::Standard;

/// An input of OSSIE, in a program that knows nothing of Orbweaver. Its calls can be held.
template <class Sample>
class OssieReceiverBase : public virtual CORBA::servant_traits<Standard<Sample>>::base_type {
 public:
  using Part = typename OssieInterface<Sample>::Part;
  std::vector<std::vector<Sample>> received() {
    const std::lock_guard lock(mutex_);
    return received_;
  }
  void hold(bool held) {
    const std::lock_guard lock(mutex_);
    held_ = held;
    changed_.notify_all();
  }

 protected:
  void receive(std::vector<Sample> samples) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !held_; });
    received_.push_back(std::move(samples));
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool held_ = false;
  std::vector<std::vector<Sample>> received_;
};
template <class Sample>
class OssieReceiver final : public OssieReceiverBase<Sample> {
  void pushPacket(std::span<const typename OssieReceiver::Part> i) override {
    this->receive({i.begin(), i.end()});
  }
};
template <class T>
class OssieReceiver<std::complex<T>> final : public OssieReceiverBase<std::complex<T>> {
  using Part = typename OssieReceiver::Part;
  void pushPacket(std::span<const Part> i, std::span<const Part> q) override {
    std::vector<std::complex<T>> samples;
    for (std::size_t n = 0; n < i.size(); ++n)
      samples.emplace_back(static_cast<T>(i[n]), static_cast<T>(q[n]));
    this->receive(std::move(samples));
  }
};

/// Sends a packet as a component of OSSIE does.
template <class Sample>
void push_as_ossie(const IDL::traits<CORBA::Object>::ref_type& target, const std::vector<Sample>& samples) {
  const auto input = IDL::traits<Standard<Sample>>::narrow(target);
  using Part = typename OssieInterface<Sample>::Part;
  std::vector<Part> i, q;
  for (const Sample& sample : samples) {
    if constexpr (kIsComplex<Sample>) {
      i.push_back(static_cast<Part>(sample.real()));
      q.push_back(static_cast<Part>(sample.imag()));
    } else {
      i.push_back(static_cast<Part>(sample));
    }
  }
  if constexpr (kIsComplex<Sample>)
    input->pushPacket(i, q);
  else
    input->pushPacket(i);
}

template <class Sample>
class OssiePorts : public ::testing::Test {};
struct SampleNames {
  template <class Sample>
  static std::string GetName(int) {
    const std::string id = Standard<Sample>::_static_interface().repository_id;
    return id.substr(id.find('/') + 1, id.rfind(':') - id.find('/') - 1);
  }
};
using Samples = ::testing::Types<std::int8_t, std::int16_t, std::int32_t, float, double,
                                 std::complex<std::int8_t>, std::complex<std::int16_t>,
                                 std::complex<std::int32_t>, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(OssiePorts, Samples, SampleNames);

TYPED_TEST(OssiePorts, BufferPacketsOfOssieForTheComponent) {
  ServedSink<TypeParam> served;
  const ObjectClient client;
  const auto object = client.object(served.server);
  push_as_ossie(object, ramp<TypeParam>(0, 5));  // returns, although the component does not run
  push_as_ossie(object, ramp<TypeParam>(5, 100));
  while (served.sink.in.process_packet()) {
  }
  EXPECT_THAT(served.sink.heard, ElementsAre(ramp<TypeParam>(0, 5), ramp<TypeParam>(5, 100)));
  EXPECT_THAT(served.sink.numbers, ElementsAre(0, 1));
  EXPECT_THAT(served.sink.streams, ElementsAre(0, 0));
}

TYPED_TEST(OssiePorts, FanOutToReceiversOfOssie) {
  std::vector<CORBA::servant_reference<OssieReceiver<TypeParam>>> receivers;
  std::vector<std::unique_ptr<ObjectServer>> servers;
  const ObjectClient client;
  Context context;
  Source<TypeParam> source(context);
  for (int i = 0; i < 3; ++i) {
    receivers.push_back(CORBA::make_reference<OssieReceiver<TypeParam>>());
    servers.push_back(std::make_unique<ObjectServer>(receivers.back()));
    source.out.connect(
        make_orb_connection(source.out, "c" + std::to_string(i), client.object(*servers.back())));
  }
  source.out.set_metadata({"fm", {}, {}});
  source.out.push(ramp<TypeParam>(0, 5));
  source.out.push(ramp<TypeParam>(5, 100));
  source.out.end();
  for (const auto& receiver : receivers)
    EXPECT_THAT(receiver->received(), ElementsAre(ramp<TypeParam>(0, 5), ramp<TypeParam>(5, 100)));
  for (const auto now = source.out.connections(); const auto& connection : *now) {
    EXPECT_EQ(connection->packets(), 2);
    EXPECT_EQ(connection->copied_bytes(), 105 * sizeof(TypeParam));
    EXPECT_FALSE(connection->broken());
    source.out.disconnect(connection->id());
  }
}

TYPED_TEST(OssiePorts, PassAStreamBetweenComponentsOfOrbweaver) {
  ServedSink<TypeParam> served;
  const ObjectClient client;
  Context context;
  Source<TypeParam> source(context);
  source.out.connect(make_orb_connection(source.out, "c1", client.object(served.server)));
  const StreamMetadata metadata{"fm", UtcTime{1700, 0.5}, {{"CHAN_RF", 101.5e6}}};
  source.out.set_metadata(metadata);
  source.out.push(ramp<TypeParam>(0, 5), 8000);
  source.out.push(ramp<TypeParam>(5, 100), 8000);
  source.out.end();
  EXPECT_TRUE(becomes_true([&] { return served.sink.in.queue_depth() == 3; }));
  while (served.sink.in.process_packet()) {
  }
  EXPECT_THAT(served.sink.heard, ElementsAre(ramp<TypeParam>(0, 5), ramp<TypeParam>(5, 100)));
  EXPECT_THAT(served.sink.metadata, ElementsAre(metadata, metadata));
  EXPECT_THAT(served.sink.ended, ElementsAre(stream_id_of("c1")));
  EXPECT_TRUE(served.sink.in.at_end());
  source.out.disconnect("c1");
}

TEST(OssieInterfaces, HaveTheRepositoryIdsOfOssie) {
  EXPECT_STREQ(::standardInterfaces::realChar::_static_interface().repository_id,
               "IDL:standardInterfaces/realChar:1.0");
  EXPECT_STREQ(::standardInterfaces::complexShort::_static_interface().repository_id,
               "IDL:standardInterfaces/complexShort:1.0");
}

TEST(OssieInputs, CountThePacketsOfTheirOnlySender) {
  ServedSink<ComplexShort> served;
  const ObjectClient client;
  const auto object = client.object(served.server);
  EXPECT_EQ(find_stream(statistics_of(served.sink.in, served.sink), 7), nullptr);
  push_as_ossie(object, ramp<ComplexShort>(0, 5));
  EXPECT_TRUE(served.sink.in.process_packet());
  const auto statistics = statistics_of(served.sink.in, served.sink);
  const auto* const stream = find_stream(statistics, 7);
  ASSERT_NE(stream, nullptr);
  EXPECT_EQ(stream->packets(), 1);
  EXPECT_EQ(stream->bytes(), 5 * sizeof(ComplexShort));
  // With another sender, stream 0 can be that of any connection.
  EXPECT_TRUE(served.sink.in.accept({8, 0, 0, 0, false}, ramp<ComplexShort>(0, 1)));
  EXPECT_TRUE(served.sink.in.process_packet());
  const auto of_both = statistics_of(served.sink.in, served.sink);
  EXPECT_EQ(find_stream(of_both, 7), nullptr);
  EXPECT_NE(find_stream(of_both, 8), nullptr);
}

TEST(OssieInputs, HoldTheSenderWhileTheQueueIsFull) {
  ServedSink<ComplexShort> served(1);
  const ObjectClient client;
  const auto object = client.object(served.server);
  push_as_ossie(object, ramp<ComplexShort>(0, 1));
  WaitingThread sender([&] { push_as_ossie(object, ramp<ComplexShort>(1, 1)); });
  EXPECT_TRUE(sender.waits());
  EXPECT_TRUE(served.sink.in.process_packet());
  sender.join();
  EXPECT_TRUE(served.sink.in.process_packet());
  EXPECT_THAT(served.sink.heard, ElementsAre(ramp<ComplexShort>(0, 1), ramp<ComplexShort>(1, 1)));
}

TEST(OssieInputs, ReleaseAWaitingSenderAtTheEndOfTheComponent) {
  ServedSink<ComplexShort> served(1);
  const ObjectClient client;
  const auto object = client.object(served.server);
  push_as_ossie(object, ramp<ComplexShort>(0, 1));
  WaitingThread sender([&] { push_as_ossie(object, ramp<ComplexShort>(1, 1)); });
  EXPECT_TRUE(sender.waits());
  served.sink.shut_down();
}

TEST(OssieInputs, RefuseAPacketWhosePartsDifferInLength) {
  ServedSink<ComplexShort> served;
  const ObjectClient client;
  const auto input = IDL::traits<::standardInterfaces::complexShort>::narrow(client.object(served.server));
  const std::vector<std::int16_t> i{1, 2, 3}, q{4, 5};
  EXPECT_THROW(input->pushPacket(i, q), CORBA::BAD_PARAM);
  EXPECT_EQ(served.sink.in.queue_depth(), 0);
}

TEST(OssieOutputs, RefuseInputsWithAnotherInterface) {
  class FloatSink : public Component {
   public:
    using Component::Component;
    ~FloatSink() override { shut_down(); }
    Input<float> in{*this, "in", [](const Packet<float>&) {}};
  };
  Context context, stream_context, source_context;
  FloatSink stream(stream_context);
  const ObjectServer stream_server(make_input_servant(stream.in, stream));
  ServedSink<std::int16_t> real;
  const ObjectClient client;
  Source<ComplexShort> source(source_context);
  EXPECT_EQ(make_orb_connection(source.out, "c1", client.object(real.server)), nullptr);
  Source<float> floats(context);
  EXPECT_EQ(make_orb_connection(floats.out, "c1", client.object(stream_server)), nullptr);
}

TEST(OssieOutputs, BreakTheConnectionToAReceiverThatHangs) {
  const auto receiver = CORBA::make_reference<OssieReceiver<ComplexShort>>();
  receiver->hold(true);
  const ObjectServer server(receiver);
  const ObjectClient client;
  Context context;
  Source<ComplexShort> source(context);
  source.out.connect(
      make_ossie_connection(source.out.type(), "c1", client.object(server), std::chrono::seconds(1)));
  ::testing::internal::CaptureStderr();
  source.out.push(ramp<ComplexShort>(0, 1));
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("connection 'c1' is broken: "));
  EXPECT_TRUE(source.out.connections()->front()->broken());
  source.out.push(ramp<ComplexShort>(1, 1));  // is not sent
  receiver->hold(false);
  EXPECT_TRUE(becomes_true([&] { return receiver->received().size() == 1; }));
  source.out.disconnect("c1");
}

}  // namespace
}  // namespace orbweaver::sca
