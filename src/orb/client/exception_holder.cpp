// Exceptions of asynchronous calls as values of type Messaging::ExceptionHolder (CORBA 3.3 part 1, 17.7),
// which has as its state: whether it is a system exception, the byte order, and the exception as in a reply.
#include <orbweaver/detail/handler_object.h>

#include "giop/reply.h"
#include "orb/client/reply_exceptions.h"
#include "orb/minor_codes.h"
#include "orb/system_exceptions.h"

namespace orbweaver {
namespace {

constexpr std::string_view kId = "IDL:omg.org/Messaging/ExceptionHolder:1.0";
constexpr std::uint32_t kValueTag = 0x7fffff00, kCodebase = 1, kSingleId = 2, kIdList = 6, kChunked = 8;

}  // namespace

EncodedException::EncodedException(const Messaging::ExceptionHolder& holder) {
  cdr::Encoder out(exception_);
  try {
    holder.raise_exception();
  } catch (const CORBA::UserException& e) {
    out.put_string(e._rep_id());
    e._encode(out);
  } catch (const CORBA::SystemException& e) {
    is_system_ = true;
    giop::encode(out,
                 giop::SystemException{e._rep_id(), e.minor(), static_cast<giop::Completed>(e.completed())});
  }
  out.finish();
}

void EncodedException::write(cdr::Encoder& out) const {
  out.put(kValueTag | kSingleId);
  out.put_string(kId);
  out.put(static_cast<std::uint8_t>(is_system_));
  out.put(static_cast<std::uint8_t>(giop::kThisMachineIsLittleEndian));
  out.put(static_cast<std::uint32_t>(exception_.size()));
  out.put_bytes(exception_.data(), exception_.size());
}

CORBA::object_reference<Messaging::ExceptionHolder> decode_exception_holder(cdr::Decoder& in,
                                                                            const Operation& called) {
  const auto tag = in.get<std::uint32_t>();
  const std::uint32_t ids = tag & kIdList;
  if ((tag & ~std::uint32_t{15}) != kValueTag || (tag & kChunked) != 0 || ids == 4) {
    in.fail(cdr::Fault::bad_value);
    return nullptr;
  }
  if ((tag & kCodebase) != 0) (void)in.get_string_view();
  const std::uint32_t count = ids == 0 ? 0 : ids == kSingleId ? 1 : in.get_length(4);
  for (std::uint32_t i = 0; i < count && in.ok(); ++i) (void)in.get_string_view();
  const bool is_system = in.get_boolean();
  const bool is_little_endian = in.get_boolean();
  const std::uint32_t bytes = in.get_length(1);
  const std::uint8_t* const at = in.get_bytes(bytes);
  if (!in.ok()) return nullptr;
  cdr::Decoder exception(at, bytes, is_little_endian != giop::kThisMachineIsLittleEndian, in.scratch());
  exception.broker(in.broker());
  try {
    if (!is_system) orb::raise_user_exception(called, exception);
    orb::raise_system_exception({}, exception);
  } catch (const CORBA::Exception&) {
    return make_exception_holder(std::current_exception());
  }
}

}  // namespace orbweaver
