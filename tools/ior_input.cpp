#include "ior_input.h"

#include <filesystem>
#include <fstream>
#include <iostream>

#include "giop/object_url.h"

namespace orbweaver::tools {
namespace {

Result<std::string> text_of(const std::string& reference) {
  if (giop::is_object_url(reference) || reference.rfind("IOR:", 0) == 0 || reference.rfind("ior:", 0) == 0) {
    return reference;
  }
  std::string text;
  if (reference == "-") {
    std::cin >> text;
    return text;
  }
  const std::string path = reference.rfind("file://", 0) == 0 ? reference.substr(7) : reference;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    return Error{ErrorKind::invalid, "there is no file '" + path +
                                         "', and it is not a reference: those begin with IOR: or corbaloc:"};
  }
  std::ifstream file(path);
  if (file >> text) return text;
  return Error{ErrorKind::invalid, "the file '" + path + "' cannot be read, or is empty"};
}

}  // namespace

Result<giop::Ior> read_reference(const std::string& argument) {
  auto text = text_of(argument);
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
