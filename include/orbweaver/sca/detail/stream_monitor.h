#pragma once

#include <cstdint>
#include <mutex>
#include <string_view>
#include <vector>

#include <orbweaver/sca/detail/latency_histogram.h>
#include <orbweaver/streams/reorder_detector.h>

namespace orbweaver::sca {

/// Stream id of a connection's packets: FNV-1a, 64 bits, of the connection id.
constexpr std::uint64_t stream_id_of(std::string_view connection_id) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : connection_id) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

/// Header of a packet: StreamHeader of Stream.idl as plain data.
struct PacketHeader {
  std::uint64_t stream_id = 0;
  std::uint64_t sequence_number = 0;
  std::int64_t sent_ns = 0;
  double sample_rate_hz = 0;
  bool end_of_stream = false;
};

/// Counters of one stream: StreamStatistics of Stream.idl as plain data.
struct StreamCounts {
  std::uint64_t stream_id = 0;
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;
  std::uint64_t lost = 0;       ///< Missing numbers, from 0 on; not those of a jump of 4096 or more.
  std::uint64_t reordered = 0;  ///< Packets whose number is not higher than that of an earlier one.
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;
  std::uint64_t max_latency_ns = 0;
  std::vector<std::uint64_t> latency;
  bool end_of_stream = false;
};

/// Counters of all streams of one input port. Any thread; in steady state see() does not allocate, and takes
/// one lock, contended only by readers of the counters.
class StreamMonitor {
 public:
  /// Largest number of streams of a port, whatever peers send.
  static constexpr std::size_t kMaxStreams = 64;

  /// What a packet is to its stream.
  struct Seen {
    bool is_known = false;       ///< False: it would open stream kMaxStreams + 1, and is not counted.
    bool has_ended_now = false;  ///< It is the first packet that ends the stream.
  };

  /// Counts a packet taken at `now_ns`. A packet without samples that ends the stream is not counted.
  Seen see(const PacketHeader& header, std::size_t bytes, std::int64_t now_ns);
  /// Whether at least `expected` streams have been received, and all of them have ended.
  bool all_ended(std::size_t expected) const;
  /// Returns the counters, in the order in which the streams were first received.
  std::vector<StreamCounts> figures() const;

 private:
  struct Stream {
    std::uint64_t id = 0;
    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;
    std::int64_t first_ns = 0;
    std::int64_t last_ns = 0;
    bool ended = false;
    streams::ReorderDetector sequence{streams::ReorderDetector::kDefaultWindow, 64, 0};
    LatencyHistogram latency;
  };

  mutable std::mutex mutex_;
  std::vector<Stream> streams_;
};

}  // namespace orbweaver::sca
