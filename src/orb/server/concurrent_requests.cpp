#include "orb/server/concurrent_requests.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace orbweaver::orb {

void DetachedRequest::import_blocks(BlockReceiver& channel_receiver) {
  constexpr std::size_t kMarkerBytes = sizeof kBlockMarker;
  for (std::size_t at = 0; at + kMarkerBytes <= message_.size(); at += kMarkerBytes) {
    if (std::memcmp(message_.data() + at, &kBlockMarker, kMarkerBytes) != 0) continue;
    cdr::Decoder in(message_.data(), message_.size(), false);
    in.skip(at + kMarkerBytes);
    BlockDescription d;
    d.region = in.get<std::uint32_t>();
    in.get<std::uint32_t>();  // the number of elements
    d.grant = in.get<std::uint64_t>();
    d.block_offset = in.get<std::uint64_t>();
    d.block_bytes = in.get<std::uint64_t>();
    d.view_offset = in.get<std::uint64_t>();
    if (!in.ok() || d.view_offset >= d.block_bytes) continue;
    if (d.block_bytes - d.view_offset < kMinBlockViewBytes || d.block_bytes > SIZE_MAX) continue;
    const auto bytes = static_cast<std::size_t>(d.block_bytes - d.view_offset);
    imported_.reserve(imported_.size() + 1);
    // Null for most data with the value of the marker. Data that also names one of the next grants takes it
    // from the block that it belongs to, whose call then raises MARSHAL (decision 33).
    const void* const data = channel_receiver.import_block(d, bytes, 1);
    if (data == nullptr) continue;
    // The channel drops its own reference when it releases the frame.
    imported_.push_back({d, data, detail::BlockRef::find(data, bytes)});
  }
}

const void* DetachedRequest::import_block(const BlockDescription& d, std::size_t bytes,
                                          std::size_t alignment) noexcept {
  for (const ImportedBlock& each : imported_) {
    const BlockDescription& known = each.description;
    if (known.region != d.region || known.grant != d.grant || known.block_offset != d.block_offset ||
        known.block_bytes != d.block_bytes || known.view_offset != d.view_offset)
      continue;
    const bool fits = bytes <= d.block_bytes - d.view_offset &&
                      reinterpret_cast<std::uintptr_t>(each.data) % alignment == 0;
    return fits && each.block ? each.data : nullptr;
  }
  return nullptr;
}

ConcurrentRequests::ConcurrentRequests(const Settings& settings, transport::Channel& channel,
                                       const Peer& peer, ServiceBudget::Share& budget,
                                       std::atomic<bool>& parked, std::function<bool()> on_idle,
                                       std::function<void()> close)
    : settings_(settings), on_idle_(std::move(on_idle)), close_(std::move(close)), parked_(parked),
      replies_(channel, peer, budget, settings.max_requests, [this] {
        {
          std::unique_lock lock(mutex_);
          if (parts_ == 0 && !replies_.waiting()) become_idle(lock);
        }
        resume();
      }) {}

ConcurrentRequests::Next ConcurrentRequests::next() {
  const std::lock_guard lock(mutex_);
  const auto retried = std::find_if(held_.begin(), held_.end(), [now = resume_count()](const auto& request) {
    return request.resume_count != now;
  });
  if (retried != held_.end()) {
    detached_.splice(detached_.end(), held_, retried);
    return Next::detached;
  }
  const bool parks =
      !held_.empty() || requests_ >= settings_.max_requests || replies_.waiting() || replies_.full();
  parked_.store(parks, std::memory_order_relaxed);
  return parks ? Next::nothing : Next::message;
}

void ConcurrentRequests::begin_turn(const std::function<void()>& before) {
  const std::lock_guard lock(mutex_);
  ++parts_;
  before();
}

void ConcurrentRequests::end_turn() {
  std::unique_lock lock(mutex_);
  end_part(lock);
}

void ConcurrentRequests::cancel(std::uint32_t request_id) {
  const std::lock_guard lock(mutex_);
  if (cancelled_.size() >= requests_ + queued_) return;
  cancelled_.insert(request_id);
  has_cancelled_.store(true, std::memory_order_relaxed);
}

bool ConcurrentRequests::take_cancelled(std::uint32_t request_id) noexcept {
  // A CancelRequest that is read at the same time may as well have been read later.
  if (!has_cancelled_.load(std::memory_order_relaxed)) return false;
  const std::lock_guard lock(mutex_);
  return cancelled_.erase(request_id) != 0;
}

void ConcurrentRequests::end_part(std::unique_lock<std::mutex>& lock) {
  if (requests_ + queued_ == 0 && has_cancelled_.exchange(false, std::memory_order_relaxed))
    cancelled_.clear();
  if (--parts_ == 0 && !replies_.waiting()) become_idle(lock);
}

void ConcurrentRequests::become_idle(std::unique_lock<std::mutex>& lock) {
  if (on_idle_()) return;
  ++closing_;
  lock.unlock();
  close_();  // sends replies, which may call on_sent
  lock.lock();
  --closing_;
  changed_.notify_all();
  // The handler may be parked, until nothing is in progress.
  if (settings_.handler != nullptr) settings_.reactor->resume(*settings_.handler);
}

void ConcurrentRequests::detach(std::list<DetachedRequest>&& request) {
  const std::lock_guard lock(mutex_);
  detached_.splice(detached_.end(), request);
  ++requests_;
  ++parts_;
}

std::list<DetachedRequest> ConcurrentRequests::take() {
  std::list<DetachedRequest> taken;
  const std::lock_guard lock(mutex_);
  taken.splice(taken.end(), detached_, detached_.begin());
  return taken;
}

void ConcurrentRequests::hold(std::list<DetachedRequest>&& request) {
  {
    const std::lock_guard lock(mutex_);
    held_.splice(held_.end(), request);
  }
  // A turn parks until the state of a POA manager changes, or finds that it has.
  resume();
}

void ConcurrentRequests::end_request() {
  bool resumes = false;
  {
    std::unique_lock lock(mutex_);
    --requests_;
    resumes = parked_.load(std::memory_order_relaxed);
    end_part(lock);
  }
  if (resumes) resume();
}

void ConcurrentRequests::begin_queued() {
  const std::lock_guard lock(mutex_);
  ++queued_;
  ++parts_;
}

void ConcurrentRequests::end_queued() {
  std::unique_lock lock(mutex_);
  --queued_;
  ++closing_;  // the connection's thread waits until this one has ended the part
  end_part(lock);
  --closing_;
  changed_.notify_all();
}

void ConcurrentRequests::resume() {
  if (settings_.reactor != nullptr) return settings_.reactor->resume(*settings_.handler);
  const std::lock_guard lock(mutex_);
  resumed_ = true;
  changed_.notify_all();
}

void ConcurrentRequests::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return std::exchange(resumed_, false); });
}

void ConcurrentRequests::wait_for_queued() {
  std::unique_lock lock(mutex_);
  const auto has_ended = [this] { return queued_ == 0 && !replies_.waiting() && closing_ == 0; };
  changed_.wait(lock, has_ended);
  become_idle(lock);  // `on_sent` may not have called it yet
  changed_.wait(lock, has_ended);
}

bool ConcurrentRequests::in_progress() {
  const std::lock_guard lock(mutex_);
  return parts_ != 0 || replies_.waiting() || closing_ != 0;
}

void ConcurrentRequests::drop_held() {
  std::list<DetachedRequest> dropped;
  std::unique_lock lock(mutex_);
  dropped.swap(held_);
  requests_ -= dropped.size();
  for (std::size_t i = dropped.size(); i > 0; --i) end_part(lock);
}

}  // namespace orbweaver::orb
