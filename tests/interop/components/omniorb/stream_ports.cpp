#include "stream_ports.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace stage {
namespace {

using orbweaver::stream::END_OF_STREAM;

/// A jump of this size or more is not a loss (Stream.idl).
constexpr CORBA::ULongLong kLargestGap = 4096;

/// The bucket of LatencyBuckets that counts `ns`: eight for each power of two.
CORBA::ULong bucket_of(CORBA::ULongLong ns) {
  if (ns < 8) return static_cast<CORBA::ULong>(ns);
  CORBA::ULong power = 0;
  while (ns >> power >= 16) ++power;
  return static_cast<CORBA::ULong>(8 * (power + 1) + (ns >> power) - 8);
}

/// StreamHeader::stream_id: FNV-1a, 64 bits, of the connection id.
CORBA::ULongLong stream_id_of(const std::string& connection_id) {
  CORBA::ULongLong hash = 0xcbf29ce484222325u;
  for (const char c : connection_id) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

}  // namespace

CORBA::LongLong now_ns() {
  // CLOCK_MONOTONIC, as all components of a host use it.
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void StreamCounter::see(const orbweaver::stream::StreamHeader& header, CORBA::ULong samples) {
  const CORBA::ULongLong number = header.sequence_number;
  if (number < next_number_) {
    ++counts_.reordered;
    if (counts_.lost > 0) --counts_.lost;
  } else {
    if (number - next_number_ < kLargestGap) counts_.lost += number - next_number_;
    next_number_ = number + 1;
  }
  counts_.stream_id = header.stream_id;
  if ((header.flags & END_OF_STREAM) != 0) counts_.end_of_stream = true;
  if (counts_.end_of_stream && samples == 0) return;
  counts_.last_ns = now_ns();
  if (counts_.packets++ == 0) counts_.first_ns = counts_.last_ns;
  counts_.bytes += CORBA::ULongLong{samples} * sizeof(CORBA::Float);
  const CORBA::LongLong difference = counts_.last_ns - header.sent_ns;
  const CORBA::ULongLong latency = difference > 0 ? static_cast<CORBA::ULongLong>(difference) : 0;
  counts_.max_latency_ns = std::max(counts_.max_latency_ns, latency);
  const CORBA::ULong bucket = bucket_of(latency);
  for (CORBA::ULong i = counts_.latency.length(); i <= bucket; ++i) {
    counts_.latency.length(i + 1);
    counts_.latency[i] = 0;
  }
  ++counts_.latency[bucket];
}

void StreamInput::pushPacket(const orbweaver::stream::StreamHeader& header,
                             const orbweaver::stream::Floats& samples) {
  const std::lock_guard handling(handling_);
  bool at_end = false;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return started_ || closed_; });
    if (closed_) return;
    auto stream = std::find_if(streams_.begin(), streams_.end(),
                               [&](const auto& each) { return each.first == header.stream_id; });
    if (stream == streams_.end())
      stream = streams_.insert(streams_.end(), {header.stream_id, StreamCounter()});
    stream->second.see(header, samples.length());
    at_end =
        (header.flags & END_OF_STREAM) != 0 &&
        std::all_of(streams_.begin(), streams_.end(), [](const auto& each) { return each.second.ended(); });
  }
  if (samples.length() != 0) handler_(samples, header.sample_rate_hz);
  if (at_end) at_end_();
}

void StreamInput::pushMetadata(CORBA::ULongLong, const orbweaver::stream::StreamMetadata& metadata) {
  const std::lock_guard handling(handling_);
  metadata_(metadata);
}

orbweaver::stream::InputStatistics* StreamInput::statistics() {
  orbweaver::stream::InputStatistics_var all = new orbweaver::stream::InputStatistics();
  // There is no queue, and the thread is the ORB's.
  all->queue_limit = all->queue_depth = all->queue_high_water = 0;
  all->thread_cpu_ns = 0;
  const std::lock_guard lock(mutex_);
  all->streams.length(static_cast<CORBA::ULong>(streams_.size()));
  for (CORBA::ULong i = 0; i < all->streams.length(); ++i) all->streams[i] = streams_[i].second.statistics();
  return all._retn();
}

void StreamInput::start() {
  const std::lock_guard lock(mutex_);
  started_ = true;
  changed_.notify_all();
}

void StreamInput::stop() {
  const std::lock_guard lock(mutex_);
  started_ = false;
}

void StreamInput::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

void StreamOutput::connectPort(CORBA::Object_ptr connection, const char* connectionId) {
  auto added = std::make_shared<Connection>();
  added->id = connectionId;
  added->input = orbweaver::stream::FloatInput::_narrow(connection);
  if (CORBA::is_nil(added->input)) throw CF::Port::InvalidPort(1, "it is not a FloatInput");
  const std::lock_guard lock(mutex_);
  for (const auto& other : connections_) {
    if (other->id == added->id) throw CF::Port::InvalidPort(2, "the connection exists already");
  }
  connections_.push_back(std::move(added));
}

void StreamOutput::disconnectPort(const char* connectionId) {
  const std::lock_guard lock(mutex_);
  const auto removed = std::find_if(connections_.begin(), connections_.end(),
                                    [&](const auto& each) { return each->id == connectionId; });
  if (removed == connections_.end()) throw CF::Port::InvalidPort(3, "there is no such connection");
  connections_.erase(removed);
}

void StreamOutput::push(const orbweaver::stream::Floats& samples, double sample_rate_hz) {
  send(samples, sample_rate_hz, 0);
}

void StreamOutput::push_metadata(const orbweaver::stream::StreamMetadata& metadata) {
  for (const auto& connection : connections()) {
    try {
      connection->input->pushMetadata(stream_id_of(connection->id), metadata);
    } catch (const CORBA::SystemException&) {  // the next packet reports it
    }
  }
}

std::vector<std::shared_ptr<StreamOutput::Connection>> StreamOutput::connections() {
  const std::lock_guard lock(mutex_);
  return connections_;
}

void StreamOutput::end() { send(orbweaver::stream::Floats(), 0, END_OF_STREAM); }

void StreamOutput::send(const orbweaver::stream::Floats& samples, double sample_rate_hz, CORBA::ULong flags) {
  for (const auto& connection : connections()) {
    if (connection->broken) continue;
    orbweaver::stream::StreamHeader header;
    header.stream_id = stream_id_of(connection->id);
    header.sequence_number = connection->next_number++;
    header.sent_ns = now_ns();
    header.sample_rate_hz = sample_rate_hz;
    header.flags = flags;
    try {
      connection->input->pushPacket(header, samples);
    } catch (const CORBA::SystemException& e) {
      std::fprintf(stderr, "connection '%s' is broken: %s\n", connection->id.c_str(), e._name());
      connection->broken = true;
    }
  }
}

}  // namespace stage
