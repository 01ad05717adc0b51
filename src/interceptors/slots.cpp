#include "interceptors/slots.h"

#include <map>
#include <string>

#include "interceptors/minor_codes.h"

namespace orbweaver::interceptors {

using PortableInterceptor::SlotId;

std::uint64_t SlotTable::next_number() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

Slots& SlotTable::of_thread() const {
  static thread_local std::map<std::uint64_t, Slots> slots_of_this_thread;  // by number_
  return slots_of_this_thread[number_];
}

void SlotTable::check(SlotId id) const {
  if (id < count_) return;
  throw PortableInterceptor::InvalidSlot("slot " + std::to_string(id) + " of " + std::to_string(count_) +
                                         ": see ORBInitInfo::allocate_slot_id");
}

CORBA::Any SlotTable::get(const Slots& slots, SlotId id) const {
  check(id);
  return id < slots.size() ? slots[id] : CORBA::Any();
}

void SlotTable::set(Slots& slots, SlotId id, const CORBA::Any& value) const {
  check(id);
  if (id >= slots.size()) slots.resize(id + 1);
  slots[id] = value;
}

void PiCurrent::check_open() const {
  if (table_->is_open()) return;
  throw CORBA::BAD_INV_ORDER(minor::kInvalidPoint, CORBA::CompletionStatus::COMPLETED_NO,
                             "PICurrent has no slots while an ORB initializer is called");
}

CORBA::Any PiCurrent::get_slot(SlotId id) {
  check_open();
  return table_->get(table_->of_thread(), id);
}

void PiCurrent::set_slot(SlotId id, const CORBA::Any& data) {
  check_open();
  table_->set(table_->of_thread(), id, data);
}

}  // namespace orbweaver::interceptors
