#pragma once

#include <orbweaver/pi_current.h>

#include <atomic>
#include <cstdint>
#include <vector>

namespace orbweaver::interceptors {

/// Values of slots; those beyond the end are empty.
using Slots = std::vector<CORBA::Any>;

/// The slots of one ORB: of its threads, with copies in its requests (CORBA 3.3 part 1, 16.5). Thread-safe.
class SlotTable {
 public:
  /// Adds a slot. While the ORB is initialised.
  PortableInterceptor::SlotId allocate() noexcept { return count_++; }
  /// From now on, slots may be used.
  void open() noexcept { is_open_.store(true, std::memory_order_relaxed); }
  bool is_open() const noexcept { return is_open_.load(std::memory_order_relaxed); }
  bool empty() const noexcept { return count_ == 0; }

  /// The slots of the calling thread; valid until this thread ends.
  Slots& of_thread() const;
  /// Raise InvalidSlot.
  CORBA::Any get(const Slots& slots, PortableInterceptor::SlotId id) const;
  void set(Slots& slots, PortableInterceptor::SlotId id, const CORBA::Any& value) const;

 private:
  static std::uint64_t next_number() noexcept;
  void check(PortableInterceptor::SlotId id) const;

  const std::uint64_t number_ = next_number();  // not the address: a later object may have the same
  PortableInterceptor::SlotId count_ = 0;
  std::atomic<bool> is_open_{false};
};

/// Gives the calling thread other slots, until the end of this object.
class ThreadSlots {
 public:
  ThreadSlots(const SlotTable& table, Slots slots) : table_(table) {
    if (table_.empty()) return;
    before_ = std::move(slots);
    before_.swap(table_.of_thread());
  }
  ~ThreadSlots() {
    if (!table_.empty()) before_.swap(table_.of_thread());
  }
  ThreadSlots(const ThreadSlots&) = delete;
  ThreadSlots& operator=(const ThreadSlots&) = delete;

 private:
  const SlotTable& table_;
  Slots before_;
};

/// PICurrent of one ORB.
class PiCurrent final : public PortableInterceptor::Current {
 public:
  explicit PiCurrent(std::shared_ptr<const SlotTable> table) : table_(std::move(table)) {}
  CORBA::Any get_slot(PortableInterceptor::SlotId id) override;
  void set_slot(PortableInterceptor::SlotId id, const CORBA::Any& data) override;

 private:
  void check_open() const;

  const std::shared_ptr<const SlotTable> table_;
};

}  // namespace orbweaver::interceptors
