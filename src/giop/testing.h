#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "cdr/testing.h"
#include "giop/message.h"

/// The words in which GIOP's tests are written.
namespace orbweaver::giop::testing {

using cdr::testing::hex;
using cdr::testing::Octets;

inline Octets octets(std::string_view text) { return {text.begin(), text.end()}; }
inline Octets octets(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

/// A received message, opened at its body.
struct Received {
  explicit Received(std::string_view text) : Received(hex(text)) {}
  explicit Received(Octets message)
      : bytes(std::move(message)), good(read_header(bytes, header)), body(open_body(bytes, header)) {
    EXPECT_TRUE(good);
    EXPECT_EQ(header.message_bytes(), bytes.size());
  }
  Received(const Received&) = delete;

  Octets bytes;
  MessageHeader header;
  bool good;
  cdr::Decoder body;
};

/// What `write(Encoder&)` makes of a message, finished.
template <class Write>
Octets sent(Write&& write) {
  Octets bytes;
  cdr::Encoder out(bytes);
  write(out);
  EXPECT_TRUE(finish_message(out));
  out.finish();
  return bytes;
}

/// The same bytes with the other ORB's padding cleared, which begins at these offsets.
inline Octets cleared(Octets bytes, std::initializer_list<std::pair<std::size_t, std::size_t>> padding) {
  for (const auto& [at, n] : padding) std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), n, 0);
  return bytes;
}

}  // namespace orbweaver::giop::testing
