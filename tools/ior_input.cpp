#include "ior_input.h"

#include "giop/object_url.h"
#include "reference_argument.h"

namespace orbweaver::tools {

Result<giop::Ior> read_reference(const std::string& argument) {
  auto text = reference_text(argument);
  if (!text) return text.take_error();
  if (!giop::is_object_url(*text)) return giop::parse_ior(*text);
  const auto url = giop::parse_object_url(*text);
  if (!url) return Error{ErrorKind::invalid, url.error().message};
  if (url->initial_reference || url->kind == giop::ObjectUrl::Kind::name) {
    return Error{ErrorKind::invalid,
                 "'" + *text +
                     "' must be resolved by a name service: only IOR: and corbaloc: contain "
                     "an address"};
  }
  return giop::to_ior(*url);
}

}  // namespace orbweaver::tools
