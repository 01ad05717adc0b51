#include "idlc/ir/ir.h"

#include <algorithm>
#include <unordered_set>

namespace orbweaver::idl::ir {

std::string_view noun(DeclKind kind) {
  constexpr std::string_view kNouns[] = {
      "module",    "interface", "value type", "value box",    "struct",         "exception",   "union",
      "enum",      "bitmask",   "bitset",     "typedef",      "constant",       "native type", "attribute",
      "operation", "factory",   "finder",     "state member", "enumerator",     "annotation",  "component",
      "connector", "porttype",  "home",       "port",         "template module"};
  return kNouns[static_cast<std::size_t>(kind)];
}

std::string_view spelling(PortRole role) {
  constexpr std::string_view kWords[] = {"provides",  "uses",     "uses multiple", "emits",
                                         "publishes", "consumes", "port",          "mirrorport"};
  return kWords[static_cast<std::size_t>(role)];
}

std::string_view spelling(TemplateKind kind) {
  constexpr std::string_view kWords[] = {"typename", "interface", "valuetype", "eventtype", "struct",
                                         "union",    "exception", "enum",      "sequence",  "const"};
  return kWords[static_cast<std::size_t>(kind)];
}

std::string noun_with_article(DeclKind kind) {
  std::string_view word = noun(kind);
  bool vowel = word != "union" && std::string_view("aeiou").find(word[0]) != std::string_view::npos;
  return (vowel ? "an " : "a ") + std::string(word);
}

std::string Declaration::repository_id() const {
  if (id == nullptr || id_is_complete) return id == nullptr ? "" : *id;
  return "IDL:" + *id + (id->empty() ? "" : "/") + name + ":1.0";
}

const Type& resolved(const Type& type) {
  const Type* at = &type;
  while (at->kind == TypeKind::declared && at->declaration->kind == DeclKind::typedef_) {
    const auto& decl = as<Typedef>(*at->declaration);
    at = decl.resolved_type ? decl.resolved_type : decl.type;
  }
  return *at;
}

const Declaration* declared(const Type& type) {
  const Type& real = resolved(type);
  return real.kind == TypeKind::declared ? real.declaration : nullptr;
}

bool is_typecode(const Type& type) {
  const Declaration* decl = declared(type);
  return decl != nullptr && !decl->in_main_file && decl->name == "TypeCode" &&
         scoped_name(decl) == "::CORBA::TypeCode";
}

std::string scoped_name(const Declaration* declaration, std::string_view separator) {
  std::string out;
  for (; declaration; declaration = declaration->parent)
    out = std::string(separator) + declaration->name + out;
  return out;
}

std::string describe(const Type& type) {
  std::string bound = type.bound ? ", " + std::to_string(type.bound) : "";
  switch (type.kind) {
    case TypeKind::declared: return scoped_name(type.declaration).substr(2);
    case TypeKind::sequence: return "sequence<" + describe(*type.element) + bound + ">";
    case TypeKind::map: return "map<" + describe(*type.key) + ", " + describe(*type.element) + bound + ">";
    case TypeKind::fixed:
      return type.digits ? "fixed<" + std::to_string(type.digits) + ", " + std::to_string(type.scale) + ">"
                         : "fixed";
    case TypeKind::string:
    case TypeKind::wstring:
      return std::string(spelling(type.kind)) + (type.bound ? "<" + std::to_string(type.bound) + ">" : "");
    case TypeKind::array: {
      std::string out = describe(*type.element);
      for (std::uint64_t each : type.dimensions) out += "[" + std::to_string(each) + "]";
      return out;
    }
    default: return std::string(spelling(type.kind));
  }
}

std::vector<const Interface*> ancestry(const Interface& interface) {
  std::vector<const Interface*> out{&interface};
  std::unordered_set<const Interface*> known{&interface};
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (const Interface* base : out[i]->bases) {
      if (known.insert(base).second) out.push_back(base);
    }
  }
  return out;
}

std::vector<const Declaration*> all_callables(const Interface& interface) {
  std::vector<const Interface*> line = ancestry(interface);
  std::vector<const Declaration*> out;
  for (auto each = line.rbegin(); each != line.rend(); ++each) {
    for (const Declaration* inner : (*each)->contents) {
      if (inner->kind == DeclKind::operation || inner->kind == DeclKind::attribute) out.push_back(inner);
    }
  }
  return out;
}

}  // namespace orbweaver::idl::ir
