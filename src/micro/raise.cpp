#include "micro/raise.h"

#include <orbweaver/bounded.h>
#include <orbweaver/reference.h>

namespace CORBA {

void throw_nil_reference() {
  orbweaver::micro::raise(orbweaver::micro::Kind::BAD_INV_ORDER, orbweaver::minor::kNilReference,
                          "an operation was called on a nil reference");
}

void SystemException::_raise() const {
  orbweaver::micro::raise_received(_rep_id(), minor_, completed_, detail_);
}

}  // namespace CORBA

namespace orbweaver {

void throw_bound_exceeded(std::size_t, std::uint32_t) {
  micro::raise(micro::Kind::BAD_PARAM, minor::kBoundExceeded,
               "a sequence or string exceeds the bound in its IDL");
}

}  // namespace orbweaver

namespace orbweaver::micro {
namespace {

/// The content of an exception, before its type is known.
class Content final : public CORBA::SystemException {
 public:
  Content(std::uint32_t minor, CORBA::CompletionStatus completed, std::string&& detail, const char* names)
      : SystemException(names, minor, completed, std::move(detail)) {}
};

template <class E>
[[noreturn]] void throw_as(const CORBA::SystemException& content) {
  throw E(content);
}

struct Entry {
  const char* names;
  void (*raise)(const CORBA::SystemException& content);
};
constexpr Entry kEntries[] = {
#define ORBWEAVER_ENTRY(NAME) {CORBA::NAME::kNames, &throw_as<CORBA::NAME>},
    ORBWEAVER_SYSTEM_EXCEPTIONS(ORBWEAVER_ENTRY)
#undef ORBWEAVER_ENTRY
};

}  // namespace

void raise(Kind kind, std::uint32_t minor, CORBA::CompletionStatus completed, std::string detail) {
  const Entry& entry = kEntries[static_cast<std::size_t>(kind)];
  entry.raise(Content(minor, completed, std::move(detail), entry.names));
  __builtin_unreachable();
}

void raise(Kind kind, std::uint32_t minor, const char* detail) {
  raise(kind, minor, CORBA::CompletionStatus::COMPLETED_NO, detail);
}
void raise(Kind kind, std::uint32_t minor, std::string detail) {
  raise(kind, minor, CORBA::CompletionStatus::COMPLETED_NO, std::move(detail));
}

void raise_received(std::string_view repository_id, std::uint32_t minor, CORBA::CompletionStatus completed,
                    std::string detail) {
  for (std::size_t i = 0; i < std::size(kEntries); ++i) {
    const std::string_view name(kEntries[i].names);
    if (repository_id == kEntries[i].names + name.size() + 1)
      raise(static_cast<Kind>(i), minor, completed, std::move(detail));
  }
  raise(Kind::UNKNOWN, minor, completed, std::string("the server raised ").append(repository_id));
}

}  // namespace orbweaver::micro
