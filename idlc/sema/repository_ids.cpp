#include "idlc/sema/repository_ids.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "idlc/source/edit_distance.h"

namespace orbweaver::idl {

namespace {

// Splits a pragma into words and strings; strings are without their quotes.
std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[at]))) {
      ++at;
    } else if (text[at] == '"') {
      std::size_t end = std::min(text.find('"', at + 1), text.size());
      out.emplace_back(text.substr(at + 1, end - at - 1));
      at = end + 1;
    } else {
      std::size_t end = at;
      while (end < text.size() && !std::isspace(static_cast<unsigned char>(text[end]))) ++end;
      out.emplace_back(text.substr(at, end - at));
      at = end;
    }
  }
  return out;
}

std::string_view unquoted(const Token& string) { return string.text.substr(1, string.text.size() - 2); }

// A name of a pragma. Its parts refer to `text`.
tree::ScopedName name_from(std::string_view text, Span span) {
  tree::ScopedName out;
  out.span = span;
  out.absolute = text.starts_with("::");
  for (std::size_t at = out.absolute ? 2 : 0;;) {
    const std::size_t end = std::min(text.find("::", at), text.size());
    out.parts.push_back({text.substr(at, end - at), span, false});
    if (end == text.size()) return out;
    at = end + 2;
  }
}

// Whether `id` is a format name, ':' and text of that format (CORBA 3.3 part 1, 14.7.1).
bool is_repository_id(const std::string& id) {
  const std::size_t colon = id.find(':');
  return colon != std::string::npos && colon > 0 && colon + 1 < id.size();
}

bool is_version(const std::string& text) {
  std::size_t dot = text.find('.');
  if (dot == std::string::npos || dot == 0 || dot + 1 == text.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i != dot && !std::isdigit(static_cast<unsigned char>(text[i]))) return false;
  }
  return true;
}

}  // namespace

struct RepositoryIds::Pragma {
  std::vector<std::string> words;
  bool has_string;  // one of the words is, or contains, a string
  bool closed;      // every string has its closing quotation mark
  Span span;
};

void RepositoryIds::pragma(std::string_view text, Span span) {
  const auto quotes = std::count(text.begin(), text.end(), '"');
  Pragma pragma{words(text), quotes != 0, quotes % 2 == 0, span};
  if (pragma.words.empty()) return;
  // `#pragma prefix "omg.org";` occurs in published IDL and is unambiguous.
  const std::string& name = pragma.words[0];
  if (!well_formed(pragma)) return;
  if (pragma.words.size() == 3 && name == "prefix" && pragma.words[2] == ";") {
    pragma.words.pop_back();
    diagnostics_.warning("pragma-semicolon", span, "a #pragma ends with its line, not with ';'")
        .suggest("remove the ';'");
  }
  if (name == "prefix")
    pragma_prefix(pragma);
  else if (name == "ID")
    pragma_id(pragma);
  else if (name == "version")
    pragma_version(pragma);
  else
    unknown_pragma(pragma);
}

bool RepositoryIds::well_formed(const Pragma& pragma) {
  const bool takes_string = pragma.words[0] == "prefix" || pragma.words[0] == "ID";
  if (!takes_string || pragma.closed) return true;
  diagnostics_.error("bad-pragma", pragma.span, "a string of this #pragma has no closing '\"'");
  return false;
}

void RepositoryIds::pragma_prefix(const Pragma& pragma) {
  if (pragma.words.size() == 2 && pragma.has_string) return path_.set(pragma.words[1]);
  diagnostics_.error("bad-pragma", pragma.span, "#pragma prefix needs one string")
      .suggest("write #pragma prefix \"your.domain\"");
}

void RepositoryIds::pragma_id(const Pragma& pragma) {
  if (pragma.words.size() != 3) {
    diagnostics_.error("bad-pragma", pragma.span, "#pragma ID needs a name and a string");
    return;
  }
  ir::Declaration* declaration = target_of(pragma);
  if (!declaration) return;
  const std::string& id = pragma.words[2];
  if (!pragma.has_string) {
    diagnostics_.error("bad-pragma", pragma.span, "#pragma ID needs the repository id as a string")
        .suggest("write it in quotes: \"" + id + "\"");
  } else if (!is_repository_id(id)) {
    diagnostics_.error("bad-pragma", pragma.span, "'" + id + "' is not a repository id")
        .suggest("it has the form \"IDL:path/Name:1.0\"");
  } else {
    set_id(*declaration, id, pragma.span);
  }
}

void RepositoryIds::pragma_version(const Pragma& pragma) {
  if (pragma.words.size() != 3) {
    diagnostics_.error("bad-pragma", pragma.span, "#pragma version needs a name and a version");
    return;
  }
  const std::string& version = pragma.words[2];
  if (!is_version(version)) {
    diagnostics_.error("bad-pragma", pragma.span, "'" + version + "' is not a version")
        .suggest("a version is two numbers: 1.2");
    return;
  }
  ir::Declaration* declaration = target_of(pragma);
  if (!declaration) return;
  const std::string id = declaration->repository_id();
  set_id(*declaration, id.substr(0, id.rfind(':') + 1) + version, pragma.span);
}

// The declaration that the second word of the pragma names.
ir::Declaration* RepositoryIds::target_of(const Pragma& pragma) {
  const Symbol* symbol = names_.resolve(name_from(pragma.words[1], pragma.span));
  return symbol ? symbol->declaration : nullptr;
}

void RepositoryIds::unknown_pragma(const Pragma& pragma) {
  constexpr std::string_view kKnown[] = {"prefix", "version"};
  const std::string& name = pragma.words[0];
  const std::string near(name == "id" || name == "Id" ? "ID" : nearest(name, kKnown));
  diagnostics_.warning("unknown-pragma", pragma.span, "unknown #pragma " + name + " is ignored")
      .suggest(near.empty() ? "" : "did you mean '#pragma " + near + "'?");
}

void RepositoryIds::set_id(ir::Declaration& declaration, const std::string& id, Span span) {
  auto earlier = explicit_ids_.find(&declaration);
  if (earlier != explicit_ids_.end() && declaration.repository_id() != id) {
    diagnostics_
        .error("repository-id", span,
               "'" + declaration.name + "' already has the repository id \"" + declaration.repository_id() +
                   "\"")
        .note(earlier->second, "given here");
    return;
  }
  explicit_ids_[&declaration] = span;
  declaration.id = intern_id(unit_, id);
  declaration.id_is_complete = true;
}

// Checks that the imported name is declared. Definitions come from includes and the built-in IDL, so
// everything that an import may name is known already (IDL 4.2, 7.4.6.4.1.1).
void RepositoryIds::import(const tree::Import& definition) {
  if (definition.target.empty()) {
    imported_.push_back(definition.text[0]);
    return;
  }
  const Symbol* symbol = names_.resolve(definition.target);
  if (!symbol || symbol->broken || symbol->inner || symbol->forward) return;
  diagnostics_
      .error("not-a-scope", definition.target.span,
             "import names a module, an interface or a type that holds names")
      .note(symbol->span, "declared here");
}

void RepositoryIds::check_imported_ids() {
  if (imported_.empty() || names_.names_lost()) return;
  std::set<std::string, std::less<>> known;
  for (const auto& each : unit_.declarations) known.insert(each->repository_id());
  for (const Token& each : imported_) {
    const std::string_view id = unquoted(each);
    if (known.contains(id)) continue;
    diagnostics_
        .error("undeclared-name", each.span, "nothing here has the repository id \"" + std::string(id) + "\"")
        .suggest("include the IDL file that declares it");
  }
}

void RepositoryIds::type_id(const tree::TypeId& definition) {
  const Symbol* symbol = names_.resolve(definition.target);
  if (!symbol || !symbol->declaration || definition.text.empty()) return;
  const Token& text = definition.text[0];
  const std::string id(unquoted(text));
  if (is_repository_id(id)) return set_id(*symbol->declaration, id, text.span);
  diagnostics_.error("bad-typeid", text.span, "'" + id + "' is not a repository id")
      .suggest("it has the form \"IDL:path/Name:1.0\"");
}

// Sets the prefix of all that is declared in the target scope so far.
void RepositoryIds::type_prefix(const tree::TypePrefix& definition) {
  const Symbol* symbol = names_.resolve(definition.target);
  if (!symbol || definition.text.empty()) return;
  if (!symbol->inner) {
    diagnostics_
        .error("not-a-scope", definition.target.span,
               "typeprefix needs a module, an interface or a type that holds names")
        .note(symbol->span, "declared here");
    return;
  }
  const std::string prefix(unquoted(definition.text[0]));
  std::vector<Scope*> open{symbol->inner};
  if (symbol->declaration) set_prefix(*symbol->declaration, prefix);
  while (!open.empty()) {
    Scope* scope = open.back();
    open.pop_back();
    for (const Symbol& inner : scope->symbols) {
      if (inner.from_use || !inner.declaration) continue;
      set_prefix(*inner.declaration, prefix);
      if (inner.inner) open.push_back(inner.inner);
    }
  }
}

// Makes the repository id "IDL:prefix/Scope/Name:1.0", unless the declaration has been given one.
void RepositoryIds::set_prefix(ir::Declaration& declaration, const std::string& prefix) {
  if (explicit_ids_.contains(&declaration)) return;
  const std::string path = ir::scoped_name(&declaration, "/").substr(1);
  declaration.id = intern_id(unit_, "IDL:" + prefix + (prefix.empty() ? "" : "/") + path + ":1.0");
  declaration.id_is_complete = true;
}

}  // namespace orbweaver::idl
