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

CosNaming::Name to_name(const std::string& text) {
  CosNaming::Name name;
  std::string parts[2];
  int part = 0;
  const auto finish = [&](bool has_text) {
    if (!has_text || (part == 1 && parts[1].empty() && !parts[0].empty())) throw InvalidName();
    if (name.size() == kMaxNameComponents) throw InvalidName();
    name.emplace_back(parts[0], parts[1]);
    parts[0].clear();
    parts[1].clear();
    part = 0;
  };
  bool has_text = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '/') {
      finish(has_text);
      has_text = false;
      continue;
    }
    has_text = true;
    if (c == '.') {
      if (++part == 2) throw InvalidName();
    } else if (c == '\\') {
      if (++i == text.size() || (text[i] != '/' && text[i] != '.' && text[i] != '\\')) throw InvalidName();
      parts[part] += text[i];
    } else {
      parts[part] += c;
    }
  }
  finish(has_text);
  return name;
}

}  // namespace orbweaver::naming
