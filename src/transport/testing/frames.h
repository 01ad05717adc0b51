#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>

#include "transport/transport.h"

/// Frames of the transport tests: writing, sending and checking.
namespace orbweaver::transport::testing {

/// Deadline of events that must happen; only a hang exceeds it, on any machine. Durations are measured by the
/// benches, not tested.
inline constexpr std::int64_t kHangTimeout_ns = 120'000'000'000;
inline Deadline hang_deadline() { return Deadline::in_ms(kHangTimeout_ns / 1'000'000); }

/// Length of a test frame. A frame has 'TEST', its length, its sequence number and bytes derived from that
/// number.
inline Result<std::size_t> test_frame_length(Bytes header) {
  if (std::memcmp(header.data(), "TEST", 4) != 0)
    return Error{ErrorKind::disconnected, "no 'TEST' where a frame begins"};
  std::uint32_t bytes = 0;
  std::memcpy(&bytes, header.data() + 4, sizeof bytes);
  return std::size_t{bytes};
}

inline std::uint64_t body_word(std::uint32_t sequence, std::size_t index) {
  return (std::uint64_t{sequence} + 1) * 0x9E3779B97F4A7C15u + index * 0xD1B54A32D192ED03u;
}

inline void write_header(std::uint8_t* to, std::size_t bytes, std::uint32_t sequence) {
  const auto length = static_cast<std::uint32_t>(bytes);
  std::memcpy(to, "TEST", 4);
  std::memcpy(to + 4, &length, sizeof length);
  std::memcpy(to + 8, &sequence, sizeof sequence);
}

/// Fills `frame` with test frame number `sequence`.
inline void write_frame(MutableBytes frame, std::uint32_t sequence) {
  write_header(frame.data(), frame.size(), sequence);
  for (std::size_t at = kFrameHeaderBytes, i = 0; at < frame.size(); at += 8, ++i) {
    const std::uint64_t word = body_word(sequence, i);
    std::memcpy(frame.data() + at, &word, std::min<std::size_t>(8, frame.size() - at));
  }
}

/// Checks that `frame` is test frame number `sequence`; the failure names the first difference.
inline ::testing::AssertionResult is_frame(Bytes frame, std::size_t bytes, std::uint32_t sequence) {
  const auto no = [&] {
    return ::testing::AssertionFailure() << "frame " << sequence << " of " << bytes << " bytes: ";
  };
  if (frame.size() != bytes) return no() << "has " << frame.size() << " bytes";
  std::uint8_t header[kFrameHeaderBytes];
  write_header(header, bytes, sequence);
  if (std::memcmp(header, frame.data(), sizeof header) != 0) {
    std::uint32_t found = 0;
    std::memcpy(&found, frame.data() + 8, sizeof found);
    return no() << "has another header, with number " << found;
  }
  for (std::size_t at = kFrameHeaderBytes, i = 0; at < bytes; at += 8, ++i) {
    const std::uint64_t word = body_word(sequence, i);
    if (std::memcmp(frame.data() + at, &word, std::min<std::size_t>(8, bytes - at)) != 0) {
      return no() << "differs at byte " << at;
    }
  }
  return ::testing::AssertionSuccess();
}

template <class T>
::testing::AssertionResult ok(const Result<T>& result) {
  if (result) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << result.error().message;
}

inline const char* to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::disconnected: return "disconnected";
    case ErrorKind::transient: return "transient";
    case ErrorKind::timed_out: return "timed_out";
    case ErrorKind::invalid: return "invalid";
    case ErrorKind::unavailable: return "unavailable";
    case ErrorKind::permission_denied: return "permission_denied";
  }
  return "?";
}

/// Checks that the result failed with this kind and a message.
template <class T>
::testing::AssertionResult fails_with(ErrorKind kind, const Result<T>& result) {
  if (result) return ::testing::AssertionFailure() << "succeeded, and should fail with " << to_string(kind);
  if (result.error().message.empty()) return ::testing::AssertionFailure() << "failed without a message";
  if (result.error().kind == kind) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "failed with " << to_string(result.error().kind) << " instead of "
                                       << to_string(kind) << ": " << result.error().message;
}

inline Result<void> send_frame(Channel& channel, std::size_t bytes, std::uint32_t sequence,
                               Deadline deadline = Deadline::never()) {
  Result<MutableBytes> room = channel.claim(bytes, deadline);
  if (!room) return room.take_error();
  write_frame(room->first(bytes), sequence);
  return channel.commit(bytes, deadline);
}

/// Claims and queues a frame, which is sent with the next commit or flush.
inline Result<void> queue_frame(Channel& channel, std::size_t bytes, std::uint32_t sequence) {
  Result<MutableBytes> room = channel.claim(bytes, Deadline::never());
  if (!room) return room.take_error();
  write_frame(room->first(bytes), sequence);
  BatchedSending* const batching = channel.capabilities().batching;
  return batching != nullptr ? batching->queue(bytes, Deadline::never())
                             : channel.commit(bytes, Deadline::never());
}

inline Result<void> flush(Channel& channel, Deadline deadline) {
  BatchedSending* const batching = channel.capabilities().batching;
  return batching != nullptr ? batching->flush(deadline) : Result<void>();
}

/// pre: the channel can be polled.
inline Readiness& readiness(const Channel& channel) { return *channel.capabilities().readiness; }

inline ::testing::AssertionResult receives(Channel& channel, std::size_t bytes, std::uint32_t sequence,
                                           Deadline deadline = hang_deadline()) {
  const Result<Bytes> frame = channel.receive(deadline);
  if (!frame) return ::testing::AssertionFailure() << "frame " << sequence << ": " << frame.error().message;
  const ::testing::AssertionResult same = is_frame(*frame, bytes, sequence);
  channel.release();
  return same;
}

/// Sizes of a seeded sequence of frames, equal for equal seeds: many small, some odd, some of several times
/// `ring_bytes`.
class FrameSizes {
 public:
  FrameSizes(std::uint32_t seed, std::size_t ring_bytes) : random_(seed), ring_bytes_(ring_bytes) {}
  std::size_t next() {
    const std::uint32_t kind = random_() % 16;
    const std::size_t most = kind < 10 ? 256 : kind < 15 ? ring_bytes_ / 2 : 4 * ring_bytes_;
    return kFrameHeaderBytes + random_() % most;
  }

 private:
  std::mt19937 random_;
  std::size_t ring_bytes_;
};

}  // namespace orbweaver::transport::testing
