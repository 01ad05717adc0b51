#include "sca/deployment/profile_reference.h"

#include <algorithm>
#include <stdexcept>

#include "CosNamingC.h"
#include "base/printable.h"

namespace orbweaver::sca {
namespace {

/// The scheme in lower case, without the ':'.
std::string scheme_of(const std::string& reference) {
  std::string scheme = reference.substr(0, reference.find(':'));
  std::transform(scheme.begin(), scheme.end(), scheme.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return scheme;
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/// A name of which characters are escaped as in URLs: "a%20b". Octets that are no escape are kept.
std::string unescaped(const std::string& name) {
  std::string text;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const int high = name[i] == '%' && i + 2 < name.size() ? digit_of(name[i + 1]) : -1;
    const int low = high < 0 ? -1 : digit_of(name[i + 2]);
    if (low < 0) {
      text += name[i];
    } else {
      text += static_cast<char>(16 * high + low);
      i += 2;
    }
  }
  return text;
}

}  // namespace

IDL::traits<CORBA::Object>::ref_type object_in_profile(const IDL::traits<CORBA::ORB>::ref_type& orb,
                                                       const LimitedCalls& calls,
                                                       const std::string& reference) {
  const std::string scheme = scheme_of(reference);
  if (scheme == "ior" || scheme == "corbaloc") return orb->string_to_object(reference);
  if (scheme != "corbaname")
    throw std::runtime_error("'" + printable(reference, 100) +
                             "' cannot name an object in a profile: give IOR:…, corbaloc:… or corbaname:…");
  // Without the name, the URL is that of the naming context, which is not called.
  const std::size_t name = reference.find('#');
  const auto root = orb->string_to_object(reference.substr(0, name));
  if (name == std::string::npos || name + 1 == reference.size()) return root;
  const auto context = calls.narrow<CosNaming::NamingContextExt>(root);
  if (!context)
    throw std::runtime_error("'" + printable(reference, 100) + "' is of no CosNaming::NamingContextExt");
  return context->resolve_str(unescaped(reference.substr(name + 1)));
}

}  // namespace orbweaver::sca
