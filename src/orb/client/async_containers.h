#pragma once

#include <orbweaver/detail/async_call.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

/// Containers of asynchronous calls. They own nothing, and need a lock of their user.
namespace orbweaver::orb {

/// First in, first out; a call is in one list at a time. Allocates nothing.
class CallList {
 public:
  bool empty() const noexcept { return first_ == nullptr; }
  void push_back(AsyncCall& call) noexcept {
    call.next_ = nullptr;
    call.previous_ = last_;
    (last_ != nullptr ? last_->next_ : first_) = &call;
    last_ = &call;
  }
  /// Null if the list is empty.
  AsyncCall* pop_front() noexcept {
    AsyncCall* const call = first_;
    if (call != nullptr) erase(*call);
    return call;
  }
  /// Moves all calls of `other` behind those of this list.
  void append(CallList&& other) noexcept {
    if (other.empty()) return;
    other.first_->previous_ = last_;
    (last_ != nullptr ? last_->next_ : first_) = other.first_;
    last_ = std::exchange(other.last_, nullptr);
    other.first_ = nullptr;
  }
  void erase(AsyncCall& call) noexcept {
    (call.previous_ != nullptr ? call.previous_->next_ : first_) = call.next_;
    (call.next_ != nullptr ? call.next_->previous_ : last_) = call.previous_;
    call.next_ = call.previous_ = nullptr;
  }

 private:
  AsyncCall* first_ = nullptr;
  AsyncCall* last_ = nullptr;
};

/// Calls by their request ids, a hash table with chains: ids are consecutive numbers, so that their low bits
/// are the hash.
class CallTable {
 public:
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  /// May throw std::bad_alloc; the call is not inserted then.
  void insert(AsyncCall& call) {
    if (size_ == buckets_.size()) grow();
    AsyncCall*& bucket = bucket_of(call.request_id_);
    call.next_ = std::exchange(bucket, &call);
    ++size_;
  }
  /// Removes and returns the call of that id; null: there is none.
  AsyncCall* take(std::uint32_t id) noexcept {
    if (size_ == 0) return nullptr;
    for (AsyncCall** at = &bucket_of(id); *at != nullptr; at = &(*at)->next_) {
      if ((*at)->request_id_ != id) continue;
      AsyncCall* const call = std::exchange(*at, (*at)->next_);
      call->next_ = nullptr;
      --size_;
      return call;
    }
    return nullptr;
  }
  /// Removes and returns all calls, in the order of their ids, except when the ids overflow.
  std::vector<AsyncCall*> take_all() {
    std::vector<AsyncCall*> all;
    all.reserve(size_);
    for (AsyncCall*& bucket : buckets_) {
      while (bucket != nullptr) {
        all.push_back(bucket);
        bucket = std::exchange(all.back()->next_, nullptr);
      }
    }
    size_ = 0;
    std::sort(all.begin(), all.end(),
              [](const AsyncCall* a, const AsyncCall* b) { return a->request_id_ < b->request_id_; });
    return all;
  }

 private:
  AsyncCall*& bucket_of(std::uint32_t id) noexcept { return buckets_[id & (buckets_.size() - 1)]; }
  void grow() {
    constexpr std::size_t kFirstBuckets = 64;
    std::vector<AsyncCall*> before(std::max(kFirstBuckets, 2 * buckets_.size()), nullptr);
    before.swap(buckets_);
    for (AsyncCall* chain : before) {
      while (chain != nullptr) {
        AsyncCall& call = *std::exchange(chain, chain->next_);
        call.next_ = std::exchange(bucket_of(call.request_id_), &call);
      }
    }
  }

  std::vector<AsyncCall*> buckets_;  // a power of two, or none
  std::size_t size_ = 0;
};

/// Calls with a deadline, the earliest first: a binary heap. Each call knows its place, so that it is removed
/// in logarithmic time.
class DeadlineHeap {
 public:
  bool empty() const noexcept { return calls_.size() == 1; }
  /// The call with the earliest deadline; null if the heap is empty.
  AsyncCall* first() const noexcept { return empty() ? nullptr : calls_[1]; }
  std::int64_t first_ns() const noexcept { return calls_[1]->deadline_ns_; }  // pre: not empty
  /// Makes place for one more call, so that `push` throws nothing. May throw std::bad_alloc.
  void reserve_one() {
    if (calls_.size() == calls_.capacity()) calls_.reserve(2 * calls_.size());
  }
  void push(AsyncCall& call) noexcept {
    calls_.push_back(&call);
    rise(calls_.size() - 1, call);
  }
  /// No effect if the call is not in the heap.
  void erase(AsyncCall& call) noexcept {
    const std::size_t at = std::exchange(call.heap_index_, 0);
    if (at == 0) return;
    AsyncCall& moved = *calls_.back();
    calls_.pop_back();
    if (&moved == &call) return;
    if (at > 1 && moved.deadline_ns_ < calls_[at / 2]->deadline_ns_)
      rise(at, moved);
    else
      sink(at, moved);
  }

 private:
  void place(std::size_t at, AsyncCall& call) noexcept {
    calls_[at] = &call;
    call.heap_index_ = static_cast<std::uint32_t>(at);
  }
  void rise(std::size_t at, AsyncCall& call) noexcept {
    for (; at > 1 && call.deadline_ns_ < calls_[at / 2]->deadline_ns_; at /= 2) place(at, *calls_[at / 2]);
    place(at, call);
  }
  void sink(std::size_t at, AsyncCall& call) noexcept {
    for (std::size_t child; (child = 2 * at) < calls_.size(); at = child) {
      if (child + 1 < calls_.size() && calls_[child + 1]->deadline_ns_ < calls_[child]->deadline_ns_) ++child;
      if (call.deadline_ns_ <= calls_[child]->deadline_ns_) break;
      place(at, *calls_[child]);
    }
    place(at, call);
  }

  std::vector<AsyncCall*> calls_{nullptr};  // from index 1 on: an index of 0 says that a call is not there
};

}  // namespace orbweaver::orb
