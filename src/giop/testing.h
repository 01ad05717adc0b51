#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "cdr/testing.h"
#include "giop/message.h"

/// Helpers for tests of GIOP.
namespace orbweaver::giop::testing {

using cdr::testing::hex;
using cdr::testing::Octets;

inline Octets octets(std::string_view text) { return {text.begin(), text.end()}; }
inline Octets octets(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

/// A received message, opened at its body.
struct ReceivedMessage {
  explicit ReceivedMessage(std::string_view text) : ReceivedMessage(hex(text)) {}
  explicit ReceivedMessage(Octets message)
      : bytes(std::move(message)), good(read_header(bytes, header)), body(open_body(bytes, header)) {
    EXPECT_TRUE(good);
    EXPECT_EQ(header.message_bytes(), bytes.size());
  }
  ReceivedMessage(const ReceivedMessage&) = delete;

  Octets bytes;
  MessageHeader header;
  bool good;
  cdr::Decoder body;
};

/// The complete message that `write(Encoder&)` encodes.
template <class Write>
Octets encode_message(Write&& write) {
  Octets bytes;
  cdr::Encoder out(bytes);
  write(out);
  EXPECT_TRUE(finish_message(out));
  out.finish();
  return bytes;
}

/// The bytes with padding set to 0, given as pairs of offset and length.
inline Octets with_cleared_padding(Octets bytes,
                                   std::initializer_list<std::pair<std::size_t, std::size_t>> padding) {
  for (const auto& [at, n] : padding) std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), n, 0);
  return bytes;
}

}  // namespace orbweaver::giop::testing
