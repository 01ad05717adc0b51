#include "giop/message.h"

#include <algorithm>
#include <limits>
#include <string>

#include "giop/control_messages.h"
#include "giop/omniorb_captures.h"
#include "giop/testing.h"

namespace orbweaver::giop::testing {
namespace {

std::string header_error(std::string_view text) {
  const auto header = parse_header(hex(text));
  EXPECT_FALSE(header);
  if (header) return "";
  EXPECT_EQ(header.error().kind, ErrorKind::disconnected);
  return header.error().message;
}

TEST(GiopHeader, ParsesVersionTypeByteOrderAndLength) {
  const auto header = parse_header(hex("47494f50 01 02 02 01 00000010"));
  ASSERT_TRUE(header);
  EXPECT_EQ(header->version, kGiop12);
  EXPECT_EQ(header->type, MessageType::reply);
  EXPECT_FALSE(header->little_endian);
  EXPECT_TRUE(header->more_fragments);
  EXPECT_EQ(header->body_bytes, 16u);
  EXPECT_EQ(*frame_length(hex("47494f50 01 00 01 00 10000000")), 28u);
}

TEST(GiopHeader, RejectsInvalidHeadersWithAReason) {
  EXPECT_EQ(header_error("47494f5001020100 000000"), "GIOP header incomplete: 11 of 12 bytes");
  EXPECT_EQ(header_error("48545450 2f312e31 20323030"),
            "not a GIOP message: starts with 48 54 54 50 instead of 47 49 4f 50");
  EXPECT_EQ(header_error("47494f50 01 03 01 00 00000000"),
            "unsupported GIOP version 1.3 (supported: 1.0, 1.1, 1.2)");
  EXPECT_EQ(header_error("47494f50 02 00 01 00 00000000"),
            "unsupported GIOP version 2.0 (supported: 1.0, 1.1, 1.2)");
  EXPECT_EQ(header_error("47494f50 01 02 05 00 00000000"), "GIOP 1.2 header: undefined flags 05");
  EXPECT_EQ(header_error("47494f50 01 00 02 00 00000000"), "GIOP 1.0 header: undefined flags 02");
  EXPECT_EQ(header_error("47494f50 01 02 01 08 00000000"), "GIOP 1.2 header: unknown message type 8");
  EXPECT_EQ(header_error("47494f50 01 00 01 07 00000000"), "GIOP 1.0 header: unknown message type 7");
}

TEST(GiopHeader, ReportsTheLengthOfUnsupportedMessages) {
  EXPECT_EQ(*frame_length(hex("47494f50 01 03 01 00 00000000")), 12u);
  EXPECT_EQ(*frame_length(hex("47494f50 01 02 01 63 04000000")), 16u);
  EXPECT_EQ(*frame_length(hex("47494f50 01 02 84 00 00000004")), 16u);
  // The largest size_t where that has 32 bits.
  constexpr std::uint64_t kLargest = std::numeric_limits<std::size_t>::max();
  for (const char* const header : {"47494f50 01 02 01 00 ffffffff", "47494f50 01 02 00 00 ffffffff"})
    EXPECT_EQ(*frame_length(hex(header)), std::min(std::uint64_t{0xffffffff} + 12, kLargest));
  EXPECT_FALSE(frame_length(hex("47494f50 02 00 01 00 00000000")));
  EXPECT_FALSE(frame_length(hex("47494f51 01 02 01 00 00000000")));
  EXPECT_FALSE(frame_length(hex("47494f50 01 02 01 00 000000")));
}

TEST(GiopHeader, RejectsMessagesBeyondTheLimit) {
  EXPECT_TRUE(parse_header(hex("47494f50 01 02 00 00 3ffffff4")));
  EXPECT_EQ(header_error("47494f50 01 02 00 00 3ffffff5"),
            "Request of 1073741825 bytes: the limit is 1073741824");
  EXPECT_EQ(header_error("47494f50 01 02 01 01 ffffffff"),
            "Reply of 4294967307 bytes: the limit is 1073741824");
}

TEST(GiopHeader, LimitsTheBodyToTheReceivedBytes) {
  const Octets bytes = hex("47494f50 01 02 01 00 ff000000 0102030405");
  MessageHeader header;
  ASSERT_TRUE(read_header(bytes, header));
  EXPECT_EQ(open_body(bytes, header).remaining(), 5u);
  const Octets longer = hex("47494f50 01 02 01 00 02000000 0102030405");
  ASSERT_TRUE(read_header(longer, header));
  EXPECT_EQ(open_body(longer, header).remaining(), 2u);
}

TEST(GiopHeader, WritesTheSizeWhenFinished) {
  const Octets bytes = encode_message([](cdr::Encoder& out) {
    begin_message(out, kGiop11, MessageType::reply);
    out.put(std::uint32_t{7});
  });
  const auto header = parse_header(bytes);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->version, kGiop11);
  EXPECT_EQ(header->body_bytes, 4u);
  EXPECT_FALSE(header->swaps());
}

TEST(GiopHeader, CannotBeFinishedAfterAnOverflow) {
  std::uint8_t buffer[14];
  cdr::Encoder out(buffer, sizeof buffer);
  begin_message(out, kGiop12, MessageType::reply);
  out.put(std::uint32_t{7});
  EXPECT_FALSE(finish_message(out));
}

TEST(GiopControl, RoundTripsControlMessages) {
  const auto cancel = cancel_request(kGiop12, 41);
  ReceivedMessage received(octets(Bytes(cancel)));
  EXPECT_EQ(received.header.type, MessageType::cancel_request);
  std::uint32_t id = 0;
  EXPECT_TRUE(decode_cancel_request(received.body, id));
  EXPECT_EQ(id, 41u);

  const ReceivedMessage close(octets(Bytes(close_connection(kGiop10))));
  EXPECT_EQ(close.header.type, MessageType::close_connection);
  EXPECT_EQ(close.header.version, kGiop10);
  const ReceivedMessage error(octets(Bytes(message_error(kGiop12))));
  EXPECT_EQ(error.header.type, MessageType::message_error);
}

TEST(GiopControl, RejectsACancelRequestWithoutAnId) {
  ReceivedMessage received("47494f50 01 02 01 02 02000000 0000");
  std::uint32_t id = 0;
  EXPECT_FALSE(decode_cancel_request(received.body, id));
  EXPECT_EQ(malformed("CancelRequest", received.body).message, "CancelRequest: truncated at byte 12");
}

}  // namespace
}  // namespace orbweaver::giop::testing
