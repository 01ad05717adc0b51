#include "orb/client/reply_exceptions.h"

#include <string>

#include "base/printable.h"
#include "orb/client/dynamic_operation.h"
#include "orb/minor_codes.h"
#include "orb/system_exceptions.h"

namespace orbweaver::orb {

using CORBA::CompletionStatus;

void raise_user_exception(const Operation& operation, cdr::Decoder& members) {
  if (is_dynamic(operation)) {
    cdr::Decoder whole = members;
    operation.raises->raise(whole);
    if (!whole.ok()) raise_marshal(whole, "the members of an exception", CompletionStatus::COMPLETED_YES);
  }
  const std::string_view id = members.get_string_view();
  for (std::uint32_t i = 0; i < operation.raises_count && !is_dynamic(operation); ++i) {
    if (id == operation.raises[i].repository_id) operation.raises[i].raise(members);
  }
  if (!members.ok()) raise_marshal(members, "the members of an exception", CompletionStatus::COMPLETED_YES);
  throw CORBA::UNKNOWN(minor::kUndeclaredException, CompletionStatus::COMPLETED_YES,
                       std::string(operation.name) + " raised " + printable(id, 1024) +
                           ", which this program's IDL does not declare for it");
}

void raise_system_exception(const giop::ReplyHeader& header, cdr::Decoder& body) {
  giop::SystemException e;
  if (!giop::decode(body, e)) raise_marshal(body, "a system exception", CompletionStatus::COMPLETED_MAYBE);
  std::string detail;
  if (const auto context = header.contexts.find(giop::context_id::kExceptionDetailMessage)) {
    if (auto text = giop::decode_exception_detail(*context)) detail = *text;
  }
  raise_system(e.repository_id, e.minor, static_cast<CompletionStatus>(e.completed), detail);
}

void raise_reply_malformed(const cdr::Decoder& in) {
  throw CORBA::MARSHAL(minor::kReplyMalformed, CompletionStatus::COMPLETED_MAYBE,
                       giop::malformed("reply header", in).message);
}

void raise_too_many_forwards() {
  throw CORBA::TRANSIENT(
      minor::kTooManyForwards, CompletionStatus::COMPLETED_NO,
      "too many forwards or addressing requests: " + std::to_string(kMaxAttempts) + " attempts");
}

void raise_results_malformed(const Operation& operation, const cdr::Decoder& results) {
  const std::string what = std::string("the results of ") + operation.name;
  raise_marshal(results, what.c_str(), CompletionStatus::COMPLETED_YES);
}

}  // namespace orbweaver::orb
