#include "orb/server/concurrent_requests.h"

#include <algorithm>
#include <new>
#include <utility>

namespace orbweaver::orb {

const void* DetachedRequest::import_block(const BlockDescription& description, std::size_t bytes,
                                          std::size_t alignment) noexcept {
  try {
    imported_.reserve(imported_.size() + 1);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  // The channel drops its own reference at the next release of a frame.
  const std::lock_guard lock(blocks_.mutex);
  const void* const data = blocks_.channel_receiver->import_block(description, bytes, alignment);
  if (data == nullptr) return nullptr;
  imported_.push_back(detail::BlockRef::find(data, bytes));
  return imported_.back() ? data : nullptr;
}

ConcurrentRequests::ConcurrentRequests(const Settings& settings, transport::Channel& channel,
                                       const Peer& peer, ServiceBudget::Share& budget,
                                       std::function<void()> on_idle)
    : settings_(settings), on_idle_(std::move(on_idle)), blocks_{channel.capabilities().block_receiver, {}},
      replies_(channel, peer, budget, [this] {
        {
          const std::lock_guard lock(mutex_);
          if (parts_ == 0 && !replies_.waiting()) on_idle_();
        }
        settings_.reactor.resume(settings_.handler);
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
  const bool parks = !held_.empty() || requests_ >= settings_.max_requests || replies_.waiting();
  parked_.store(parks, std::memory_order_relaxed);
  return parks ? Next::nothing : Next::message;
}

void ConcurrentRequests::begin_turn(const std::function<void()>& before) {
  const std::lock_guard lock(mutex_);
  ++parts_;
  before();
}

void ConcurrentRequests::end_turn() {
  const std::lock_guard lock(mutex_);
  end_part();
}

void ConcurrentRequests::end_part() {
  if (--parts_ == 0 && !replies_.waiting()) on_idle_();
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
  settings_.reactor.resume(settings_.handler);
}

void ConcurrentRequests::end_request() {
  bool resumes = false;
  {
    const std::lock_guard lock(mutex_);
    --requests_;
    resumes = parked();
    end_part();
  }
  if (resumes) settings_.reactor.resume(settings_.handler);
}

void ConcurrentRequests::drop_held() {
  std::list<DetachedRequest> dropped;
  const std::lock_guard lock(mutex_);
  dropped.swap(held_);
  requests_ -= dropped.size();
  for (std::size_t i = dropped.size(); i > 0; --i) end_part();
}

void ConcurrentRequests::release_frame(transport::Channel& channel) noexcept {
  if (blocks_.channel_receiver == nullptr) return channel.release();
  const std::lock_guard lock(blocks_.mutex);
  channel.release();
}

}  // namespace orbweaver::orb
