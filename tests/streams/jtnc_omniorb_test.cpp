// The JTNC Packet API with a producer of another ORB.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>
#include <thread>

#include "modem.h"
#include "platform/testing/becomes_true.h"

namespace orbweaver::streams {
namespace {

using platform::testing::becomes_true;

/// Reads a line without its end.
std::string read_line(FILE* from) {
  std::string line;
  for (int c = std::fgetc(from); c != EOF && c != '\n'; c = std::fgetc(from)) line += static_cast<char>(c);
  return line;
}

TEST(PacketApiWithOmniOrb, PacesAProducer) {
  OctetInput input{{{8, 800, WhenFull::reject}, {100, 0, 100}}};
  Orb server{"tcp"};
  const auto receiver = CORBA::make_reference<Receiver>(input);
  server.root->activate_object(receiver);
  const std::string reference = server.orb->object_to_string(server.root->servant_to_reference(receiver));

  FILE* producer = popen((ORBWEAVER_OMNIORB_PRODUCER " " + reference + " 200").c_str(), "r");
  ASSERT_NE(producer, nullptr);
  const auto signals = server.orb->string_to_object(read_line(producer));
  connect_resume_signals(input, "omniORB", IDL::traits<Packet::FlowSignals>::narrow(signals));
  int out_of_order = 0;
  std::thread consumer([&] {
    StreamPacket<std::uint8_t> packet;
    for (int taken = 0; taken < 200;) {
      // Slower than the producer: takes packets when the queue is full, or has the last ones.
      EXPECT_TRUE(becomes_true([&] {
        const QueueCounts counts = input.counts();
        return counts.packets == 8 || counts.accepted == 200;
      }));
      while (input.take(packet, Deadline{0}) == TakeResult::taken) {
        out_of_order += packet.control.stream_id != 7 || packet.payload.view()[0] != taken ||
                        packet.control.sequence_number != taken;
        ++taken;
      }
    }
  });
  EXPECT_EQ(read_line(producer), "packets 200 bad sizes 1 waited 1");
  consumer.join();
  EXPECT_EQ(pclose(producer), 0);
  EXPECT_EQ(out_of_order, 0);
  EXPECT_EQ(input.counts().too_large, 1u);
  EXPECT_EQ(input.counts().rejected, 0u) << "the producer has waited";
  EXPECT_GT(input.signal_counts().resume_sent, 0u);  // the last one may fail: the producer has ended
}

}  // namespace
}  // namespace orbweaver::streams
