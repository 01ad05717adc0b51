#include "idlc/sema/declaration_builder.h"

namespace orbweaver::idl {

void DeclarationBuilder::describe(ir::Declaration& decl, const tree::Identifier& name, Span start) {
  decl.name = name.text;
  decl.parent = names_.current().owner;
  decl.span = name.span;
  const bool located = name.span.known();
  decl.in_main_file = located && start.file == preprocessed_.main_file &&
                      sources_.file(name.span.file).belongs_to_file(name.span.offset);
  if (instance_in_main_file_) decl.in_main_file = *instance_in_main_file_;
  decl.builtin = names_.is_builtin(start);
  if (located && start.known()) {
    // `typedef long a, b, …`: looks up the comment once; only the first declaration gets a long one.
    const bool again = start == comment_at_;
    if (!again) comment_ = comment_before(start);
    comment_at_ = start;
    if (!again || comment_.size() <= 1000) decl.comment = comment_;
  }
  decl.id = id_path_.interned();
}

// Gives a forward-declared declaration the place and comment of its definition.
void DeclarationBuilder::move_to_definition(ir::Declaration& decl, Symbol& symbol,
                                            const tree::Definition& definition) {
  ir::Module place;
  describe(place, definition.name, definition.start);
  decl.span = place.span;
  decl.comment = place.comment;
  decl.in_main_file = place.in_main_file;
  symbol.span = decl.span;
  symbol.forward = false;
  symbol.broken = definition.broken;
}

void DeclarationBuilder::add(ir::Declaration& decl, const tree::Definition& definition, Contents& into) {
  Symbol symbol;
  symbol.declaration = &decl;
  symbol.noun = ir::noun(decl.kind).data();
  symbol.broken = definition.broken;
  names_.declare(definition.name, symbol);
  into.push_back(&decl);
}

void DeclarationBuilder::check_forward_declarations() {
  for (const ForwardDeclaration& each : forward_declarations_) {
    if (*each.defined || names_.is_builtin(each.span)) continue;
    const ir::DeclKind kind = each.declaration->kind;
    const bool by_reference = kind == ir::DeclKind::interface || kind == ir::DeclKind::value ||
                              kind == ir::DeclKind::component || kind == ir::DeclKind::porttype;
    const std::string message = std::string(ir::noun(kind)) + " '" + each.declaration->name +
                                "' is forward-declared but never defined";
    if (by_reference)
      diagnostics_.warning("forward-only", each.span, message);
    else if (!names_.names_lost())
      diagnostics_.error("forward-only", each.span, message).suggest("define it, or remove this line");
  }
}

}  // namespace orbweaver::idl
