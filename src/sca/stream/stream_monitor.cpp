#include <orbweaver/sca/detail/stream_monitor.h>

#include <algorithm>

namespace orbweaver::sca {

StreamMonitor::Seen StreamMonitor::see(const PacketHeader& header, std::size_t bytes, std::int64_t now_ns) {
  const std::lock_guard lock(mutex_);
  auto stream =
      std::find_if(streams_.begin(), streams_.end(), [&](auto& s) { return s.id == header.stream_id; });
  if (stream == streams_.end()) {
    if (streams_.size() == kMaxStreams) return {};
    stream = streams_.emplace(streams_.end());
    stream->id = header.stream_id;
  }
  stream->sequence.observe(header.sequence_number);
  const bool has_ended_now = header.end_of_stream && !stream->ended;
  stream->ended = stream->ended || header.end_of_stream;
  if (header.end_of_stream && bytes == 0) return {true, has_ended_now};
  if (stream->packets == 0) stream->first_ns = now_ns;
  ++stream->packets;
  stream->bytes += bytes;
  stream->last_ns = now_ns;
  // The clocks of two hosts differ: count zero latency if a packet's time stamp is in the future.
  stream->latency.add(now_ns > header.sent_ns ? static_cast<std::uint64_t>(now_ns - header.sent_ns) : 0);
  return {true, has_ended_now};
}

bool StreamMonitor::all_ended(std::size_t expected) const {
  const std::lock_guard lock(mutex_);
  return streams_.size() >= expected &&
         std::all_of(streams_.begin(), streams_.end(), [](auto& s) { return s.ended; });
}

std::vector<StreamCounts> StreamMonitor::figures() const {
  const std::lock_guard lock(mutex_);
  std::vector<StreamCounts> all;
  for (const Stream& s : streams_) {
    const streams::ReorderDetector::Counts& numbers = s.sequence.counts();
    all.push_back({s.id, s.packets, s.bytes, numbers.missing, numbers.reordered + numbers.duplicates,
                   s.first_ns, s.last_ns, s.latency.max_ns(), s.latency.counts(), s.ended});
  }
  return all;
}

}  // namespace orbweaver::sca
