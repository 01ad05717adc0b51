// Metadata of streams over the ORB, also to a receiver of an earlier version.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include <mutex>

#include <orbweaver/sca/component.h>
#include "old_streamS.h"
#include "platform/testing/becomes_true.h"
#include "sca/runtime/input_servant.h"
#include "sca/runtime/orb_connection.h"

namespace orbweaver::sca {
namespace {

using platform::testing::becomes_true;
using ::testing::ElementsAre;

IDL::traits<CORBA::ORB>::ref_type make_orb() {
  std::string program = "test", option = "-ORBListen", endpoints = "tcp:127.0.0.1:0";
  char* argv[] = {program.data(), option.data(), endpoints.data(), nullptr};
  int argc = 3;
  return CORBA::ORB_init(argc, argv);
}

/// An ORB that serves one object.
class Server {
 public:
  explicit Server(const CORBA::servant_reference<PortableServer::Servant>& servant) : orb_(make_orb()) {
    const auto poa = IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"));
    poa->the_POAManager()->activate();
    ior_ = orb_->object_to_string(poa->id_to_reference(poa->activate_object(servant)));
  }
  ~Server() { orb_->destroy(); }
  const std::string& ior() const { return ior_; }

 private:
  IDL::traits<CORBA::ORB>::ref_type orb_;
  std::string ior_;
};

class Source : public Component {
 public:
  using Component::Component;
  ~Source() override { shut_down(); }
  Output<float> out{*this, "out"};
};

class Sink : public Component {
 public:
  using Component::Component;
  ~Sink() override { shut_down(); }
  std::vector<StreamMetadata> heard;
  Input<float> in{*this, "in", [this](const Packet<float>& packet) {
                    heard.push_back(packet.metadata != nullptr ? *packet.metadata : StreamMetadata());
                  }};
};

TEST(StreamMetadataOverTheOrb, ArriveUnchangedBeforeTheirPacket) {
  Context sink_context, source_context;
  Sink sink(sink_context);
  const Server server(make_input_servant(sink.in, sink));
  const auto client = make_orb();
  {
    Source source(source_context);
    source.out.connect(make_orb_connection(source.out, "c1", client->string_to_object(server.ior())));
    const StreamMetadata metadata{"fm",
                                  UtcTime{1'700'000'000, 0.25},
                                  {{"live", true},
                                   {"channel", std::int64_t{-7}},
                                   {"CHAN_RF", 101.5e6},
                                   {"antenna", std::string("north")}}};
    source.out.push(std::vector<float>{1});
    source.out.set_metadata(metadata);
    source.out.push(std::vector<float>{2});
    EXPECT_TRUE(becomes_true([&] { return sink.in.queue_depth() == 2; }));
    while (sink.in.process_packet()) {
    }
    EXPECT_EQ(sink.heard, (std::vector<StreamMetadata>{StreamMetadata(), metadata}));
  }
  client->destroy();
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
  const Server server(old);
  const auto client = make_orb();
  {
    Context context;
    Source source(context);
    source.out.connect(make_orb_connection(source.out, "c1", client->string_to_object(server.ior())));
    source.out.set_metadata({"fm", UtcTime{1700, 0}, {{"live", true}}});
    source.out.push(std::vector<float>{1});
    source.out.push(std::vector<float>{2});
    EXPECT_TRUE(becomes_true([&] { return old->received().size() == 2; }));
    EXPECT_THAT(old->received(), ElementsAre(1, 102));
    EXPECT_FALSE(source.out.connections()->front()->broken());
  }
  client->destroy();
}

}  // namespace
}  // namespace orbweaver::sca
