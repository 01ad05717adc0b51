#include "orb/system_exceptions.h"

#include <orbweaver/bounded.h>

#include <iterator>

#include "base/printable.h"
#include "orb/minor_codes.h"

namespace orbweaver {

void throw_bound_exceeded(std::size_t size, std::uint32_t bound) {
  throw CORBA::BAD_PARAM(minor::kBoundExceeded, CORBA::CompletionStatus::COMPLETED_NO,
                         "a bounded sequence or string of " + std::to_string(size) +
                             " elements; its IDL allows " + std::to_string(bound));
}

}  // namespace orbweaver

namespace orbweaver::orb {

using CORBA::CompletionStatus;

void raise_system(std::string_view repository_id, std::uint32_t minor, CompletionStatus completed,
                  std::string_view said) {
  constexpr std::size_t kMaxDetailBytes = 4096;
  const std::string detail = printable(said, kMaxDetailBytes);
#define ORBWEAVER_RAISE(NAME) \
  if (repository_id == "IDL:omg.org/CORBA/" #NAME ":1.0") throw CORBA::NAME(minor, completed, detail);
  ORBWEAVER_SYSTEM_EXCEPTIONS(ORBWEAVER_RAISE)
#undef ORBWEAVER_RAISE
  throw CORBA::UNKNOWN(minor, completed,
                       "the server raised " + printable(repository_id, kMaxDetailBytes) +
                           (detail.empty() ? "" : ": " + detail));
}

std::string describe(const cdr::Decoder& in, const char* what) {
  static constexpr const char* kFaults[] = {
      "are complete",
      "end too early",
      "have a length beyond the end of the message",
      "have a string without a terminating null",
      "exceed an IDL bound",
      "have an enumerator that is not in the IDL",
      "have a boolean that is neither 0 nor 1",
      "are nested too deeply",
      "have a malformed object reference",
      "have a union discriminator that selects nothing",
      "have an invalid TypeCode",
      "have an any of an unsupported type",
      "have a TypeCode that exceeds the decoding limit",
      "have a wide character, which GIOP 1.0 does not support",
      "have a malformed fixed-point number",
      "have a value of a value type that is malformed, or refers to itself",
      "have a value for whose type no factory is registered",
  };
  const auto fault = static_cast<std::size_t>(in.fault());
  return std::string(what) + " " + (fault < std::size(kFaults) ? kFaults[fault] : "are malformed") +
         ", at byte " + std::to_string(in.fault_offset()) + " of the message";
}

void raise_marshal(const cdr::Decoder& in, const char* what, CompletionStatus completed) {
  throw CORBA::MARSHAL(cdr::minor_code(in), completed, describe(in, what));
}

void raise_no_repository() {
  throw CORBA::INTF_REPOS(minor::kNoRepository, CompletionStatus::COMPLETED_NO,
                          "this ORB has no interface repository");
}

void raise_no_memory() {
  // The message is short enough to need no allocation.
  throw CORBA::NO_MEMORY(minor::kNoMemory, CompletionStatus::COMPLETED_NO, "out of memory");
}

void raise_for(const Error& error, CompletionStatus completed) {
  switch (error.kind) {
    case ErrorKind::disconnected: throw CORBA::COMM_FAILURE(minor::kPeerLost, completed, error.message);
    case ErrorKind::transient: throw CORBA::TRANSIENT(minor::kNoUsableEndpoint, completed, error.message);
    case ErrorKind::timed_out: throw CORBA::TIMEOUT(minor::kCallTimeout, completed, error.message);
    case ErrorKind::invalid: throw CORBA::INV_OBJREF(minor::kUnusableReference, completed, error.message);
    case ErrorKind::permission_denied:
      throw CORBA::NO_PERMISSION(minor::kAccessDenied, completed, error.message);
    case ErrorKind::unavailable: throw CORBA::IMP_LIMIT(minor::kMessageTooLarge, completed, error.message);
  }
  throw CORBA::INTERNAL(0, completed, error.message);
}

}  // namespace orbweaver::orb
