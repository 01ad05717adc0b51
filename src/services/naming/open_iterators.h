#pragma once

#include <orbweaver/poa.h>

#include <algorithm>
#include <list>
#include <mutex>
#include <optional>

namespace orbweaver::naming {

/// The iterators of a naming service that clients have not destroyed, least recently used first. Clients may
/// never destroy theirs: beyond the limit, the first is. Thread-safe.
class OpenIterators {
 public:
  using Id = PortableServer::ObjectId;

  explicit OpenIterators(std::size_t limit) : limit_(limit) {}

  /// Adds an iterator. Returns the one to be destroyed, if there are too many.
  std::optional<Id> add(Id id) {
    const std::lock_guard lock(mutex_);
    ids_.push_back(std::move(id));
    if (ids_.size() <= limit_) return std::nullopt;
    Id oldest = std::move(ids_.front());
    ids_.pop_front();
    return oldest;
  }
  /// Records the use of an iterator.
  void touch(const Id& id) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find(ids_.rbegin(), ids_.rend(), id);
    if (found != ids_.rend()) ids_.splice(ids_.end(), ids_, std::prev(found.base()));
  }
  void remove(const Id& id) {
    const std::lock_guard lock(mutex_);
    ids_.remove(id);
  }

 private:
  const std::size_t limit_;
  std::mutex mutex_;
  std::list<Id> ids_;
};

}  // namespace orbweaver::naming
