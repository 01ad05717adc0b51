#include "orb/reference/naming_client.h"

#include <orbweaver/detail/stub.h>

#include "orb/minor_codes.h"

namespace orbweaver::naming {
namespace {

struct Component {
  std::string id, kind;
};

/// Parses "a.b/c"; '\' precedes a '.', '/' or '\' that belongs to the text (CosNaming, 2.4.2).
std::vector<Component> parse(const std::string& name) {
  std::vector<Component> components(1);
  bool in_kind = false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    char c = name[i];
    if (c == '/') {
      components.emplace_back();
      in_kind = false;
      continue;
    }
    if (c == '.' && !in_kind) {
      in_kind = true;
      continue;
    }
    if (c == '\\' && ++i < name.size()) c = name[i];
    (in_kind ? components.back().kind : components.back().id) += c;
  }
  for (const Component& component : components) {
    if (!component.id.empty() || !component.kind.empty()) continue;
    throw CORBA::BAD_PARAM(minor::kBadString, CORBA::CompletionStatus::COMPLETED_NO,
                           "'" + name + "' has an empty component");
  }
  return components;
}

/// A user exception of `resolve`.
struct ResolveFailure {
  const char* reason;
};
void raise_not_found(cdr::Decoder&) {
  throw ResolveFailure{"name not found by the naming service: it must be bound first"};
}
void raise_cannot_proceed(cdr::Decoder&) {
  throw ResolveFailure{"the naming service cannot proceed along the name"};
}
void raise_invalid_name(cdr::Decoder&) {
  throw ResolveFailure{"invalid name, according to the naming service"};
}

constexpr RaisedException kRaises[] = {
    {"IDL:omg.org/CosNaming/NamingContext/NotFound:1.0", &raise_not_found},
    {"IDL:omg.org/CosNaming/NamingContext/CannotProceed:1.0", &raise_cannot_proceed},
    {"IDL:omg.org/CosNaming/NamingContext/InvalidName:1.0", &raise_invalid_name},
};
constexpr Operation kResolve{"resolve", 7, false, kRaises, 3};

}  // namespace

CORBA::object_reference<CORBA::Object> resolve(const CORBA::object_reference<CORBA::Object>& context,
                                               const std::string& name) {
  const std::vector<Component> components = parse(name);
  std::size_t bound = 7;
  for (const Component& c : components) bound += cdr::bound_of(c.id) + cdr::bound_of(c.kind);
  CORBA::object_reference<CORBA::Object> result;
  try {
    twoway(
        *context, kResolve, bound,
        [&](cdr::Encoder& out) {
          out.put(static_cast<std::uint32_t>(components.size()));
          for (const Component& c : components) {
            cdr::encode(out, c.id);
            cdr::encode(out, c.kind);
          }
        },
        [&](cdr::Decoder& in) { cdr::decode(in, result); });
  } catch (const ResolveFailure& e) {
    throw CORBA::BAD_PARAM(minor::kBadString, CORBA::CompletionStatus::COMPLETED_NO,
                           "'" + name + "': " + e.reason);
  }
  return result;
}

}  // namespace orbweaver::naming
