#pragma once

#include <orbweaver/any.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>

namespace orbweaver::services::events {

class EventMemory;

/// An event in the queues of a channel, shared by them. Immutable.
class Event {
 public:
  /// Takes over `bytes` bytes that have been charged to `memory`.
  Event(const CORBA::Any& any, std::size_t bytes, std::shared_ptr<EventMemory> memory)
      : any_(any), bytes_(bytes), memory_(std::move(memory)) {}
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  const CORBA::Any& any() const noexcept { return any_; }
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  const CORBA::Any any_;
  const std::size_t bytes_;
  const std::shared_ptr<EventMemory> memory_;
};
using EventRef = std::shared_ptr<const Event>;

/// The memory that an event with this any takes, in bytes: an upper bound, which includes its TypeCode.
std::size_t event_bytes(const CORBA::Any& any);

/// Limits the memory of the events of a service. Thread-safe.
class EventMemory : public std::enable_shared_from_this<EventMemory> {
 public:
  /// `discard` is called when the limit is reached: it discards events of about so many bytes from a queue,
  /// and returns false if all queues are empty.
  EventMemory(std::size_t limit, std::function<bool(std::size_t bytes)> discard)
      : limit_(limit), discard_(std::move(discard)) {}

  /// Creates an event of `bytes` bytes. Raises TRANSIENT (0x4f570022) if the limit is reached and no queued
  /// event can be discarded: then all memory is that of events being delivered.
  EventRef make_event(const CORBA::Any& any, std::size_t bytes);
  void release(std::size_t bytes) noexcept { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  std::size_t used() const noexcept { return used_.load(std::memory_order_relaxed); }

 private:
  bool charge(std::size_t bytes) noexcept;

  const std::size_t limit_;
  const std::function<bool(std::size_t bytes)> discard_;
  std::atomic<std::size_t> used_{0};
};

}  // namespace orbweaver::services::events
