#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <orbweaver/any.h>
#include <orbweaver/object.h>

/// @file
/// Slots by which interceptors and programs exchange values (CORBA 3.3 part 1, 16.5).

/// Portable interceptors (CORBA 3.3 part 1, 16).
namespace PortableInterceptor {

/// Number of a slot, from ORBInitInfo::allocate_slot_id.
using SlotId = std::uint32_t;

/// Raised for a slot that has not been allocated.
class InvalidSlot final : public orbweaver::UserExceptionWithDetail {
 public:
  /// `detail`: message.
  explicit InvalidSlot(std::string detail = {}) : UserExceptionWithDetail(std::move(detail)) {}
  const char* _name() const noexcept override { return "PortableInterceptor::InvalidSlot"; }
  const char* _rep_id() const noexcept override { return "IDL:omg.org/PortableInterceptor/InvalidSlot:1.0"; }
  [[noreturn]] void _raise() const override { throw *this; }
  std::size_t _bound() const override { return 0; }
  void _encode(orbweaver::cdr::Encoder&) const override {}
};

/// Slots of the calling thread: resolve_initial_references("PICurrent"), for ORBs with an ORB initializer.
/// A request of the thread has a copy of them; a servant has those that the interceptors of its request have
/// set (docs/interceptors.md). A slot that was not set contains an empty any. Any thread.
class Current : public CORBA::LocalObject {
 public:
  /// Value of a slot. Raises InvalidSlot, and BAD_INV_ORDER (OMG minor 14) in an ORB initializer.
  virtual CORBA::Any get_slot(SlotId id) = 0;
  /// Sets a slot. Raises as get_slot.
  virtual void set_slot(SlotId id, const CORBA::Any& data) = 0;
};

}  // namespace PortableInterceptor

namespace IDL {
template <>
struct traits<PortableInterceptor::Current>
    : orbweaver::local_interface_traits<PortableInterceptor::Current> {};
}  // namespace IDL
