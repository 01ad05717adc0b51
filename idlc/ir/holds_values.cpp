#include "idlc/ir/holds_values.h"

#include <unordered_set>

namespace orbweaver::idl::ir {

bool is_abstract_base(const Declaration& declaration) {
  return declaration.kind == DeclKind::native && scoped_name(&declaration) == "::CORBA::AbstractBase";
}

namespace {

// Visits what a type contains, with a work list: nesting is limited only by the length of the text.
class ValueSearch {
 public:
  bool in(const Type& type) {
    add(type);
    return run();
  }
  bool in(const Declaration& declaration) {
    add(declaration);
    return run();
  }

 private:
  void add(const Type& type) {
    if (known_types_.insert(&type).second) types_.push_back(&type);
  }
  void add(const std::vector<Field>& fields) {
    for (const Field& each : fields) add(*each.type);
  }

  // Adds what a declaration contains.
  void add(const Declaration& declaration) {
    switch (declaration.kind) {
      case DeclKind::value:
      case DeclKind::value_box: found_ = true; return;
      case DeclKind::interface: found_ = found_ || as<Interface>(declaration).abstract_; return;
      case DeclKind::native: found_ = found_ || is_abstract_base(declaration); return;
      case DeclKind::exception: return add(as<Exception>(declaration).fields);
      case DeclKind::union_: return add_cached(declaration, as<Union>(declaration).holds_values);
      case DeclKind::struct_: return add_cached(declaration, as<Struct>(declaration).holds_values);
      case DeclKind::typedef_: return add_cached(declaration, as<Typedef>(declaration).holds_values);
      default: return;
    }
  }

  void add_cached(const Declaration& declaration, const CachedAnswer& answer) {
    if (answer.known) {
      found_ = found_ || answer.yes;
      return;
    }
    if (!visited_.insert(&answer).second) return;
    if (declaration.kind == DeclKind::typedef_) return add(*as<Typedef>(declaration).type);
    if (declaration.kind == DeclKind::union_) {
      for (const UnionCase& each : as<Union>(declaration).cases) add(*each.field.type);
      return;
    }
    const auto& decl = as<Struct>(declaration);
    add(decl.fields);
    for (const Struct* each = decl.base; each != nullptr && !found_; each = each->base) {
      if (each->holds_values.known) {
        found_ = found_ || each->holds_values.yes;
        break;
      }
      add(each->fields);
    }
  }

  bool run() {
    while (!types_.empty() && !found_) {
      const Type& type = *types_.back();
      types_.pop_back();
      if (type.kind == TypeKind::value_base) found_ = true;
      if (type.key) add(*type.key);
      if (type.element) add(*type.element);
      if (type.kind == TypeKind::declared && !is_typecode(type)) add(*type.declaration);
    }
    // What was visited without a find contains no values either.
    if (!found_) {
      for (const CachedAnswer* each : visited_) each->known = true;
    }
    return found_;
  }

  std::vector<const Type*> types_;
  std::unordered_set<const Type*> known_types_;
  std::unordered_set<const CachedAnswer*> visited_;
  bool found_ = false;
};

void remember(const Declaration& declaration, bool yes) {
  const CachedAnswer* answer = nullptr;
  if (declaration.kind == DeclKind::struct_) answer = &as<Struct>(declaration).holds_values;
  if (declaration.kind == DeclKind::union_) answer = &as<Union>(declaration).holds_values;
  if (declaration.kind == DeclKind::typedef_) answer = &as<Typedef>(declaration).holds_values;
  if (answer == nullptr) return;
  answer->known = true;
  answer->yes = yes;
}

}  // namespace

bool holds_values(const Declaration& declaration) {
  const bool yes = ValueSearch().in(declaration);
  remember(declaration, yes);
  return yes;
}

bool holds_values(const Type& type) {
  const bool yes = ValueSearch().in(type);
  if (type.kind == TypeKind::declared && !is_typecode(type)) remember(*type.declaration, yes);
  return yes;
}

}  // namespace orbweaver::idl::ir
