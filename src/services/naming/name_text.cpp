#include "services/naming/name_text.h"

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

std::string to_text(const CosNaming::Name& name) {
  if (name.empty()) throw InvalidName();
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
    if (at == text.size()) return name;
  }
}

}  // namespace orbweaver::naming
