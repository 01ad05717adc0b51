#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "idlc/ir/ir.h"
#include "idlc/preprocess/preprocess.h"
#include "idlc/sema/id_path.h"
#include "idlc/sema/name_table.h"
#include "idlc/source/sources.h"

namespace orbweaver::idl {

using Contents = std::vector<const ir::Declaration*>;

/// Makes the declarations of a unit and sets the members that all of them have: name, place, comment and
/// repository id. Completes forward declarations. Not thread-safe.
class DeclarationBuilder {
 public:
  DeclarationBuilder(ir::Unit& unit, const TranslationUnit& preprocessed, const Sources& sources,
                     NameTable& names, IdPath& id_path, Diagnostics& diagnostics)
      : unit_(unit), preprocessed_(preprocessed), sources_(sources), names_(names), id_path_(id_path),
        diagnostics_(diagnostics) {}

  /// A new declaration in the current scope, owned by the unit. Its name is not declared. `start` is the
  /// first token of its definition.
  template <typename T>
  T& make(const tree::Identifier& name, Span start) {
    auto owned = std::make_unique<T>();
    T& decl = *owned;
    unit_.declarations.push_back(std::move(owned));
    describe(decl, name, start);
    return decl;
  }
  template <typename T>
  T& make(const tree::Identifier& name, const tree::Definition& definition) {
    return make<T>(name, definition.start);
  }

  /// The declaration that a definition completes, if it was forward-declared; otherwise a new one. Declares
  /// its name, and adds a definition to `into`.
  template <typename T>
  T& open(const tree::Definition& definition, bool forward, Contents& into);

  /// Declares the name of a new declaration and adds it to `into`.
  void add(ir::Declaration& decl, const tree::Definition& definition, Contents& into);

  /// Reports forward declarations without a definition.
  void check_forward_declarations();

  /// The comment before this place.
  std::string_view comment_before(Span span) const {
    return sources_.file(span.file).comment_before(span.offset);
  }
  /// Whether a template module is being instantiated, so that its tree is needed again.
  bool in_template_instance() const { return instance_in_main_file_.has_value(); }

  /// While it exists, the scope of a declaration is the current one, and repository ids contain its name.
  class Body {
   public:
    Body(DeclarationBuilder& builder, Scope& scope, std::string_view name)
        : scope_(builder.names_, scope), path_(builder.id_path_, name) {}
    Scope* outer() const { return scope_.outer(); }

   private:
    ScopeGuard scope_;
    IdPathGuard path_;
  };

  /// While it exists, all declarations belong to an instance of a template module, and to its file.
  class TemplateInstance {
   public:
    TemplateInstance(DeclarationBuilder& builder, const ir::Declaration& instance)
        : builder_(builder), outer_(builder.instance_in_main_file_) {
      builder.instance_in_main_file_ = instance.in_main_file;
    }
    TemplateInstance(const TemplateInstance&) = delete;
    TemplateInstance& operator=(const TemplateInstance&) = delete;
    ~TemplateInstance() { builder_.instance_in_main_file_ = outer_; }

   private:
    DeclarationBuilder& builder_;
    std::optional<bool> outer_;
  };

 private:
  struct ForwardDeclaration {
    ir::Declaration* declaration;
    bool* defined;
    Span span;
  };

  void describe(ir::Declaration& decl, const tree::Identifier& name, Span start);
  void move_to_definition(ir::Declaration& decl, Symbol& symbol, const tree::Definition& definition);
  template <typename T>
  void note_forward_declaration(T& decl, const tree::Definition& definition, bool forward) {
    if constexpr (std::is_same_v<T, ir::Interface>) {
      const bool elsewhere =
          definition.start.file != preprocessed_.main_file && !names_.is_builtin(definition.start);
      decl.forward_declared_in_include = decl.forward_declared_in_include || (forward && elsewhere);
    }
  }

  ir::Unit& unit_;
  const TranslationUnit& preprocessed_;
  const Sources& sources_;
  NameTable& names_;
  IdPath& id_path_;
  Diagnostics& diagnostics_;
  Span comment_at_;                            // the place for which describe() last looked up the comment
  std::string_view comment_;                   // that comment
  std::optional<bool> instance_in_main_file_;  // in_main_file of all declarations of a template instance
  std::vector<ForwardDeclaration> forward_declarations_;
};

template <typename T>
T& DeclarationBuilder::open(const tree::Definition& definition, bool forward, Contents& into) {
  Symbol* earlier = names_.find_own(names_.current(), definition.name.text);
  const ir::DeclKind kind = T().kind;
  const bool known = earlier && earlier->name == definition.name.text && earlier->declaration &&
                     earlier->declaration->kind == kind;
  const bool replaces =
      known && !forward && names_.is_builtin(earlier->span) && !names_.is_builtin(definition.start);
  if (known && !replaces && (forward || !static_cast<T&>(*earlier->declaration).defined)) {
    T& decl = static_cast<T&>(*earlier->declaration);
    note_forward_declaration(decl, definition, forward);
    if (forward) return decl;
    move_to_definition(decl, *earlier, definition);
    into.push_back(&decl);
    return decl;
  }
  T& decl = make<T>(definition.name, definition);
  Symbol symbol;
  symbol.declaration = &decl;
  symbol.noun = ir::noun(kind).data();
  symbol.forward = forward;
  symbol.broken = definition.broken;
  const bool declared = names_.declare(definition.name, symbol) != nullptr;
  decl.forward_declared = forward;
  note_forward_declaration(decl, definition, forward);
  if (forward && declared) forward_declarations_.push_back({&decl, &decl.defined, definition.name.span});
  if (!forward) into.push_back(&decl);
  return decl;
}

/// Calls `use` for each of a definition's parts. Frees the part's tree after the call unless `keep`: a large
/// definition's tree and IR need not be in memory together.
template <typename Parts, typename Use>
void use_each(const Parts& parts, bool keep, Use&& use) {
  if (keep) {
    for (const auto& each : parts) use(each);
    return;
  }
  for (auto& left = const_cast<Parts&>(parts); !left.empty(); left.pop_front()) use(left.front());
}

}  // namespace orbweaver::idl
