#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <orbweaver/sca/stream_metadata.h>

namespace orbweaver::sca {

/// The metadata of a packet's stream.
struct CurrentMetadata {
  std::shared_ptr<const StreamMetadata> metadata;  ///< Null: none.
  bool changed = false;                            ///< This is the first packet with it.
};

/// The present metadata of the streams of one input port. Any thread. A port without metadata costs one load
/// for each packet.
class MetadataTable {
 public:
  /// Replaces the metadata of a stream; no effect for a further stream if there are `limit`.
  void set(std::uint64_t stream_id, StreamMetadata metadata, std::size_t limit) {
    auto shared = std::make_shared<const StreamMetadata>(std::move(metadata));
    const std::lock_guard lock(mutex_);
    Entry* entry = find(stream_id);
    if (entry == nullptr && entries_.size() < limit) {
      entries_.push_back({stream_id, {}});
      entry = &entries_.back();
    }
    if (entry == nullptr) return;
    entry->current = {std::move(shared), true};
    used_.store(true, std::memory_order_release);  // M1: pairs with M2
  }

  /// The metadata of the stream's next packet.
  CurrentMetadata take(std::uint64_t stream_id) {
    if (!used_.load(std::memory_order_acquire)) return {};  // M2
    const std::lock_guard lock(mutex_);
    Entry* const entry = find(stream_id);
    if (entry == nullptr) return {};
    CurrentMetadata current = entry->current;
    entry->current.changed = false;
    return current;
  }

 private:
  struct Entry {
    std::uint64_t stream_id;
    CurrentMetadata current;
  };
  Entry* find(std::uint64_t stream_id) {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& each) { return each.stream_id == stream_id; });
    return found == entries_.end() ? nullptr : &*found;
  }

  std::atomic<bool> used_{false};
  std::mutex mutex_;  // guards entries_
  std::vector<Entry> entries_;
};

}  // namespace orbweaver::sca
