#include <algorithm>
#include <cctype>

#include "idlc/sema/checker.h"
#include "idlc/sema/literals.h"
#include "idlc/source/edit_distance.h"

namespace orbweaver::idl {

// Sets the path that repository ids begin with (CORBA 3.3 part 1, 14.7): the prefix in force and the scopes
// opened since it was set.
void Checker::set_id_path(std::string path) {
  id_path_ = std::move(path);
  id_here_ = nullptr;
}

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

tree::ScopedName name_from(const std::string& text, Span span, std::deque<std::string>& keep) {
  tree::ScopedName out;
  out.span = span;
  std::size_t at = 0;
  if (text.starts_with("::")) {
    out.absolute = true;
    at = 2;
  }
  for (;;) {
    std::size_t end = std::min(text.find("::", at), text.size());
    keep.push_back(text.substr(at, end - at));
    out.parts.push_back({keep.back(), span, false});
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

void Checker::pragma(std::string_view text, Span span) {
  std::vector<std::string> word = words(text);
  if (word.empty()) return;
  const bool ours = word[0] == "prefix" || word[0] == "ID";
  if (ours && std::count(text.begin(), text.end(), '"') % 2 != 0) {
    diagnostics_.error("bad-pragma", span, "a string of this #pragma has no closing '\"'");
    return;
  }
  std::deque<std::string> keep;
  // `#pragma prefix "omg.org";` occurs in published IDL and is unambiguous.
  if (word.size() == 3 && word[0] == "prefix" && word[2] == ";") {
    word.pop_back();
    diagnostics_.warning("pragma-semicolon", span, "a #pragma ends with its line, not with ';'")
        .suggest("remove the ';'");
  }
  if (word[0] == "prefix") {
    if (word.size() != 2 || text.find('"') == std::string_view::npos) {
      diagnostics_.error("bad-pragma", span, "#pragma prefix needs one string")
          .suggest("write #pragma prefix \"your.domain\"");
      return;
    }
    set_id_path(word[1]);
  } else if (word[0] == "ID" || word[0] == "version") {
    bool version = word[0] == "version";
    if (word.size() != 3) {
      diagnostics_.error("bad-pragma", span,
                         "#pragma " + word[0] + " needs a name and " + (version ? "a version" : "a string"));
      return;
    }
    if (version && !is_version(word[2])) {
      diagnostics_.error("bad-pragma", span, "'" + word[2] + "' is not a version")
          .suggest("a version is two numbers: 1.2");
      return;
    }
    Symbol* symbol = resolve(name_from(word[1], span, keep));
    if (!symbol || !symbol->declaration) return;
    ir::Declaration& declaration = *symbol->declaration;
    std::string id = word[2];
    if (!version && text.find('"') == std::string_view::npos) {
      diagnostics_.error("bad-pragma", span, "#pragma ID needs the repository id as a string")
          .suggest("write it in quotes: \"" + id + "\"");
      return;
    }
    if (version)
      id = declaration.repository_id().substr(0, declaration.repository_id().rfind(':') + 1) + id;
    else if (!is_repository_id(id)) {
      diagnostics_.error("bad-pragma", span, "'" + id + "' is not a repository id")
          .suggest("it has the form \"IDL:path/Name:1.0\"");
      return;
    }
    set_id(declaration, std::move(id), span);
  } else {
    constexpr std::string_view kKnown[] = {"prefix", "version"};
    std::string_view near = word[0] == "id" || word[0] == "Id" ? "ID" : nearest(word[0], kKnown);
    diagnostics_.warning("unknown-pragma", span, "unknown #pragma " + word[0] + " is ignored")
        .suggest(near.empty() ? "" : "did you mean '#pragma " + std::string(near) + "'?");
  }
}

void Checker::set_id(ir::Declaration& declaration, std::string id, Span span) {
  auto earlier = explicit_id_.find(&declaration);
  if (earlier != explicit_id_.end() && declaration.repository_id() != id) {
    diagnostics_
        .error("repository-id", span,
               "'" + declaration.name + "' already has the repository id \"" + declaration.repository_id() +
                   "\"")
        .note(earlier->second, "given here");
    return;
  }
  explicit_id_[&declaration] = span;
  declaration.id = intern_id(id);
  declaration.id_is_complete = true;
}

// Checks that the imported name is declared. Definitions come from includes and the built-in IDL, so
// everything that an import may name is known already (IDL 4.2, 7.4.6.4.1.1).
void Checker::import(const tree::Import& body) {
  if (body.target.empty()) {
    imported_.push_back(body.text[0]);
    return;
  }
  const Symbol* symbol = resolve(body.target);
  if (!symbol || symbol->broken || symbol->inner || symbol->forward) return;
  diagnostics_
      .error("not-a-scope", body.target.span,
             "import names a module, an interface or a type that holds names")
      .note(symbol->span, "declared here");
}

void Checker::check_imported_ids() {
  if (imported_.empty() || names_lost()) return;
  std::set<std::string, std::less<>> known;
  for (const auto& each : unit_->declarations) known.insert(each->repository_id());
  for (const Token& each : imported_) {
    const std::string_view id = each.text.substr(1, each.text.size() - 2);
    if (known.contains(id)) continue;
    diagnostics_
        .error("undeclared-name", each.span, "nothing here has the repository id \"" + std::string(id) + "\"")
        .suggest("include the IDL file that declares it");
  }
}

void Checker::type_id(const tree::ScopedName& target, const std::vector<Token>& text) {
  Symbol* symbol = resolve(target);
  if (!symbol || !symbol->declaration || text.empty()) return;
  std::string_view quoted = text[0].text;
  const std::string id(quoted.substr(1, quoted.size() - 2));
  if (!is_repository_id(id)) {
    diagnostics_.error("bad-typeid", text[0].span, "'" + id + "' is not a repository id")
        .suggest("it has the form \"IDL:path/Name:1.0\"");
    return;
  }
  set_id(*symbol->declaration, id, text[0].span);
}

// Sets the prefix (`typeprefix`) of what is declared in the target scope from here on.
void Checker::type_prefix(const tree::ScopedName& target, const std::vector<Token>& text) {
  Symbol* symbol = resolve(target);
  if (!symbol || text.empty()) return;
  if (!symbol->inner) {
    diagnostics_
        .error("not-a-scope", target.span,
               "typeprefix needs a module, an interface or a type that holds names")
        .note(symbol->span, "declared here");
    return;
  }
  std::string_view quoted = text[0].text;
  std::string prefix(quoted.substr(1, quoted.size() - 2));
  // The prefix precedes the name of the target: its ids become "IDL:prefix/Target/…".
  auto put_under = [&](ir::Declaration& declaration) {
    if (explicit_id_.contains(&declaration)) return;
    const std::string path = ir::scoped_name(&declaration, "/").substr(1);
    declaration.id = intern_id("IDL:" + prefix + (prefix.empty() ? "" : "/") + path + ":1.0");
    declaration.id_is_complete = true;
  };
  std::vector<Scope*> open{symbol->inner};
  if (symbol->declaration) put_under(*symbol->declaration);
  while (!open.empty()) {
    Scope* scope = open.back();
    open.pop_back();
    for (const Symbol& inner : scope->symbols) {
      if (inner.use || !inner.declaration) continue;
      put_under(*inner.declaration);
      if (inner.inner) open.push_back(inner.inner);
    }
  }
}

}  // namespace orbweaver::idl
