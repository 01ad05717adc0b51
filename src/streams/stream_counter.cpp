#include <orbweaver/streams/detail/stream_counter.h>

namespace orbweaver::streams::detail {

StreamCounter::Entry::Entry(StreamCounter& streams, std::uint16_t stream_id) : streams_(&streams) {
  const std::lock_guard lock(streams.mutex_);
  counter_ = streams.counters_.try_emplace(stream_id).first;
  ++counter_->second.references;
}

StreamCounter::Entry::~Entry() {
  if (streams_ == nullptr) return;
  const std::lock_guard lock(streams_->mutex_);
  if (--counter_->second.references == 0) streams_->counters_.erase(counter_);
}

}  // namespace orbweaver::streams::detail
