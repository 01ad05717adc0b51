#include "services/naming/name_text.h"

#include <cctype>
#include <string_view>

namespace orbweaver::naming {
namespace {

using InvalidName = CosNaming::NamingContext::InvalidName;

void append_escaped(std::string& text, const std::string& part) {
  for (const char c : part) {
    if (c == '/' || c == '.' || c == '\\') text += '\\';
    text += c;
  }
}

}  // namespace

void check_name(const CosNaming::Name& name) {
  if (name.empty() || name.size() > kMaxNameComponents) throw InvalidName();
  for (const CosNaming::NameComponent& component : name) {
    if (component.id().size() + component.kind().size() > kMaxComponentBytes) throw InvalidName();
    // Clients whose strings end at a null character could neither list nor remove such a binding.
    for (const std::string* part : {&component.id(), &component.kind()})
      if (part->find('\0') != std::string::npos) throw InvalidName();
  }
}

std::string to_text(const CosNaming::Name& name) {
  check_name(name);
  std::string text;
  for (const CosNaming::NameComponent& component : name) {
    if (!text.empty()) text += '/';
    append_escaped(text, component.id());
    // A component without id and kind is a single '.'; one with only an id has no '.'.
    if (!component.kind().empty() || component.id().empty()) {
      text += '.';
      append_escaped(text, component.kind());
    }
  }
  return text;
}

namespace {
/// Reads the character escaped by the '\\' at `at`, and moves `at` to it.
char read_escaped(const std::string& text, std::size_t& at) {
  if (++at == text.size() || std::string_view("/.\\").find(text[at]) == std::string_view::npos)
    throw InvalidName();
  return text[at];
}

/// Reads the component that begins at `at`, and moves `at` to the '/' behind it or to the end.
CosNaming::NameComponent read_component(const std::string& text, std::size_t& at) {
  std::string parts[2];
  int part = 0;
  const std::size_t begin = at;
  for (; at < text.size() && text[at] != '/'; ++at) {
    if (text[at] == '.') {
      if (++part == 2) throw InvalidName();
    } else {
      parts[part] += text[at] == '\\' ? read_escaped(text, at) : text[at];
    }
  }
  const bool ends_with_dot = part == 1 && parts[1].empty() && !parts[0].empty();
  if (at == begin || ends_with_dot) throw InvalidName();
  return {parts[0], parts[1]};
}
}  // namespace

CosNaming::Name to_name(const std::string& text) {
  CosNaming::Name name;
  for (std::size_t at = 0;; ++at) {
    CosNaming::NameComponent component = read_component(text, at);
    if (name.size() == kMaxNameComponents) throw InvalidName();
    name.push_back(std::move(component));
    if (at != text.size()) continue;
    check_name(name);
    return name;
  }
}

namespace {
/// Whether each address of the list "PROTOCOL:ADDRESS,PROTOCOL:ADDRESS/KEY" has a protocol, which is empty
/// for IIOP, and something to connect to. Other services may know protocols that are unknown here.
bool is_address_list(std::string_view address) {
  if (address.find_first_of("#% ") != std::string_view::npos) return false;
  std::string_view list = address.substr(0, address.find('/'));
  for (;;) {
    const std::size_t comma = list.find(',');
    const std::string_view one = list.substr(0, comma);
    const std::size_t colon = one.find(':');
    if (colon == std::string_view::npos) return false;
    if (one.substr(0, colon) != "rir" && colon + 1 == one.size()) return false;
    if (comma == std::string_view::npos) return true;
    list.remove_prefix(comma + 1);
  }
}
}  // namespace

std::string to_url(const std::string& address, const std::string& text) {
  if (!is_address_list(address)) throw CosNaming::NamingContextExt::InvalidAddress();
  if (!text.empty()) to_name(text);  // checks the syntax
  // Characters that a URL must not contain are written as %xx (RFC 2396; 1.3, 2.5.3.4).
  static constexpr char kHex[] = "0123456789abcdef";
  std::string url = "corbaname:" + address + "#";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (byte < 0x80 && std::isalnum(byte) != 0) ||
                       std::string_view(";/:?@&=+$,-_.!~*'()").find(c) != std::string_view::npos;
    if (plain) {
      url += c;
    } else {
      url += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return url;
}

}  // namespace orbweaver::naming
