#pragma once

#include <gtest/gtest.h>
#include <orbweaver/detail/cdr/codec.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

/// Helpers for tests that encode and decode values.
using Octets = std::vector<std::uint8_t>;

template <class T>
Octets encoded(const T& value) {
  Octets bytes;
  orbweaver::cdr::Encoder out(bytes);
  orbweaver::cdr::encode(out, value);
  out.finish();
  return bytes;
}

template <class T>
T decoded(const Octets& bytes, bool swap = false) {
  T value{};
  orbweaver::cdr::Decoder in(bytes.data(), bytes.size(), swap);
  orbweaver::cdr::decode(in, value);
  EXPECT_TRUE(in.ok()) << orbweaver::cdr::describe(in.fault());
  return value;
}

template <class T>
std::string printed(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}
