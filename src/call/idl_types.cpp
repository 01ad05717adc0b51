// Makes TypeCodes from the checked tree of the IDL compiler, as idlc/cpp/typecodes.cpp generates them.
#include "call/idl_types.h"

#include <utility>
#include <vector>

#include "idlc/ir/values.h"
#include "idlc/ir/visit.h"

namespace orbweaver::call {

using namespace idl::ir;
using CORBA::TCKind;
using CORBA::TypeCode;
using idl::ir::Interface;  // rather than orbweaver::Interface, of stubs
using idl::ir::Operation;
using typecode::Graph;
using Member = TypeCode::Member;

namespace {

const TypeCode* basic(TypeKind kind) {
  switch (kind) {
    case TypeKind::void_: return &typecode::k_void;
    case TypeKind::boolean: return &typecode::k_boolean;
    case TypeKind::char_: return &typecode::k_char;
    case TypeKind::wchar: return &typecode::k_wchar;
    case TypeKind::octet:
    case TypeKind::uint8: return &typecode::k_octet;
    case TypeKind::int8: return &typecode::k_int8;
    case TypeKind::short_: return &typecode::k_short;
    case TypeKind::ushort: return &typecode::k_ushort;
    case TypeKind::long_: return &typecode::k_long;
    case TypeKind::ulong: return &typecode::k_ulong;
    case TypeKind::longlong: return &typecode::k_longlong;
    case TypeKind::ulonglong: return &typecode::k_ulonglong;
    case TypeKind::float_: return &typecode::k_float;
    case TypeKind::double_: return &typecode::k_double;
    case TypeKind::longdouble: return &typecode::k_longdouble;
    case TypeKind::any: return &typecode::k_any;
    case TypeKind::object: return &typecode::k_Object;
    default: return nullptr;
  }
}

TCKind kind_of(const Declaration& declaration) {
  switch (declaration.kind) {
    case DeclKind::struct_: return TCKind::tk_struct;
    case DeclKind::exception: return TCKind::tk_except;
    case DeclKind::union_: return TCKind::tk_union;
    case DeclKind::enum_: return TCKind::tk_enum;
    case DeclKind::typedef_:
    case DeclKind::bitmask:
    case DeclKind::bitset: return TCKind::tk_alias;
    case DeclKind::value: return TCKind::tk_value;
    case DeclKind::value_box: return TCKind::tk_value_box;
    case DeclKind::component: return TCKind::tk_component;
    case DeclKind::home: return TCKind::tk_home;
    case DeclKind::interface: {
      const auto& interface = as<Interface>(declaration);
      return interface.local       ? TCKind::tk_local_interface
             : interface.abstract_ ? TCKind::tk_abstract_interface
                                   : TCKind::tk_objref;
    }
    default: return TCKind::tk_native;
  }
}

bool is_type(DeclKind kind) {
  switch (kind) {
    case DeclKind::interface:
    case DeclKind::value:
    case DeclKind::value_box:
    case DeclKind::struct_:
    case DeclKind::exception:
    case DeclKind::union_:
    case DeclKind::enum_:
    case DeclKind::bitmask:
    case DeclKind::bitset:
    case DeclKind::typedef_:
    case DeclKind::native:
    case DeclKind::component:
    case DeclKind::home: return true;
    default: return false;
  }
}

const TypeCode& integer_of(std::uint32_t bits) {
  return bits <= 8    ? typecode::k_octet
         : bits <= 16 ? typecode::k_ushort
         : bits <= 32 ? typecode::k_ulong
                      : typecode::k_ulonglong;
}

/// A label as TypeCodes have it: int8 as an octet, unsigned numbers as the signed ones of the same bits.
std::int64_t label_of(const Value& label, const Type& discriminator) {
  Integer number = label_number(label);
  if (resolved(discriminator).kind == TypeKind::int8) number &= 0xff;
  return static_cast<std::int64_t>(number);
}

template <class Declarations>
constexpr bool has_contents = requires(const Declarations& d) {
  d.contents;
};

}  // namespace

IdlTypes::IdlTypes(const Unit& unit) {
  auto graph = std::make_unique<Graph>();
  building_ = graph.get();
  const Node& root = building_->make(TCKind::tk_void);
  for (const Declaration* const each : unit.contents) add(*each);
  building_ = nullptr;
  graph_ = Graph::finish(std::move(graph), root);
  for (const auto& [declaration, node] : declarations_) {
    if (is_value_kind(node->kind())) values_.add(*node);
  }
}

CORBA::typecode_reference IdlTypes::of(const Type& type) const { return reference_to(*types_.at(&type)); }
CORBA::typecode_reference IdlTypes::of(const Declaration& declaration) const {
  return reference_to(*declarations_.at(&declaration));
}

CORBA::typecode_reference IdlTypes::find(const std::string& name) const {
  const auto at = by_name_.find(name.starts_with("::") ? name.substr(2) : name);
  return at == by_name_.end() ? nullptr : reference_to(*at->second);
}

std::string IdlTypes::name_of(const std::string& repository_id) const {
  const auto at = names_.find(repository_id);
  return at == names_.end() ? "" : at->second;
}

/// Makes the TypeCodes of a declaration and of what it contains.
void IdlTypes::add(const Declaration& declaration) {
  if (is_type(declaration.kind)) {
    const Node& made = node(declaration);
    const std::string name = scoped_name(&declaration).substr(2);
    const std::string id = declaration.repository_id();
    by_name_.emplace(name, &made);
    by_name_.emplace(id, &made);
    names_.emplace(id, name);
  }
  visit(declaration, [this](const auto& each) {
    using Each = std::decay_t<decltype(each)>;
    if constexpr (has_contents<Each>) {
      for (const Declaration* const inner : each.contents) add(*inner);
    }
    if constexpr (std::is_same_v<Each, Attribute>) {
      node(*each.type);
    } else if constexpr (std::is_same_v<Each, Operation>) {
      node(*each.result);
      for (const Parameter& parameter : each.parameters) node(*parameter.type);
    }
  });
}

const IdlTypes::Node& IdlTypes::node(const Type& type) {
  if (const auto at = types_.find(&type); at != types_.end()) return *at->second;
  const Node& made = make(type);
  types_.emplace(&type, &made);
  return made;
}

const IdlTypes::Node& IdlTypes::make(const Type& type) {
  if (const Node* const known = basic(type.kind)) return *known;
  switch (type.kind) {
    case TypeKind::string:
    case TypeKind::wstring: {
      const bool wide = type.kind == TypeKind::wstring;
      if (type.bound == 0) return wide ? typecode::k_wstring : typecode::k_string;
      Node& made = building_->make(wide ? TCKind::tk_wstring : TCKind::tk_string);
      Graph::numbers(made, static_cast<std::uint32_t>(type.bound), 0);
      return made;
    }
    case TypeKind::fixed: {
      Node& made = building_->make(TCKind::tk_fixed);
      Graph::numbers(made, type.digits, static_cast<std::int32_t>(type.scale));
      return made;
    }
    case TypeKind::sequence: return sequence(node(*type.element), type.bound);
    case TypeKind::map: {
      Node& pair = building_->make(TCKind::tk_struct);
      fields(pair, {{"key", &node(*type.key)}, {"value", &node(*type.element)}});
      return sequence(pair, type.bound);
    }
    case TypeKind::array: {
      const Node* element = &node(*type.element);
      for (auto each = type.dimensions.rbegin(); each != type.dimensions.rend(); ++each) {
        Node& made = building_->make(TCKind::tk_array);
        Graph::content(made, element);
        Graph::numbers(made, static_cast<std::uint32_t>(*each), 0);
        element = &made;
      }
      return *element;
    }
    case TypeKind::declared: return is_typecode(type) ? typecode::k_TypeCode : node(*type.declaration);
    default: {  // ValueBase
      Node& made = building_->make(TCKind::tk_value);
      Graph::name(made, "IDL:omg.org/CORBA/ValueBase:1.0", "ValueBase");
      return made;
    }
  }
}

IdlTypes::Node& IdlTypes::sequence(const Node& element, std::uint64_t bound) {
  Node& made = building_->make(TCKind::tk_sequence);
  Graph::content(made, &element);
  Graph::numbers(made, static_cast<std::uint32_t>(bound), 0);
  return made;
}

const IdlTypes::Node& IdlTypes::node(const Declaration& declaration) {
  if (const auto at = declarations_.find(&declaration); at != declarations_.end()) return *at->second;
  Node& made = building_->make(kind_of(declaration));
  declarations_.emplace(&declaration, &made);  // before its members, which may contain it
  Graph::name(made, building_->text(declaration.repository_id()), building_->text(declaration.name));
  complete(made, declaration);
  return made;
}

void IdlTypes::fields(Node& made, const std::vector<Member>& members) {
  Member* const all = building_->members(members.size());
  std::copy(members.begin(), members.end(), all);
  Graph::members(made, all, static_cast<std::uint32_t>(members.size()));
}

void IdlTypes::complete(Node& made, const Declaration& declaration) {
  std::vector<Member> members;
  const auto add_fields = [&](const std::vector<Field>& all) {
    for (const Field& field : all) members.push_back({building_->text(field.name), &node(*field.type)});
  };
  switch (declaration.kind) {
    case DeclKind::struct_: {
      // Inherited members come first. A base without members is one member: it is encoded as one octet.
      std::vector<const Struct*> chain;
      for (const Struct* at = &as<Struct>(declaration); at != nullptr; at = at->base) chain.push_back(at);
      for (auto each = chain.rbegin(); each != chain.rend(); ++each) {
        const Struct* const base = (*each)->base;
        if (base != nullptr && members.empty())
          members.push_back({building_->text(base->name), &node(*base)});
        add_fields((*each)->fields);
      }
      return fields(made, members);
    }
    case DeclKind::exception: add_fields(as<Exception>(declaration).fields); return fields(made, members);
    case DeclKind::enum_:
      for (const Enumerator* const each : as<Enum>(declaration).enumerators)
        members.push_back({building_->text(each->name)});
      return fields(made, members);
    case DeclKind::union_: {
      const auto& decl = as<Union>(declaration);
      std::int32_t default_index = -1;
      for (const UnionCase& each : decl.cases) {
        const char* const name = building_->text(each.field.name);
        const Node& type = node(*each.field.type);
        for (const Value& label : each.labels)
          members.push_back({name, &type, label_of(label, *decl.discriminator)});
        if (!each.is_default) continue;
        default_index = static_cast<std::int32_t>(members.size());
        members.push_back({name, &type});
      }
      Graph::content(made, &node(*decl.discriminator));
      Graph::numbers(made, 0, default_index);
      return fields(made, members);
    }
    case DeclKind::typedef_: return Graph::content(made, &node(*as<Typedef>(declaration).type));
    case DeclKind::bitmask: return Graph::content(made, &integer_of(as<Bitmask>(declaration).bits));
    case DeclKind::bitset: return Graph::content(made, &integer_of(as<Bitset>(declaration).bits));
    case DeclKind::value: {
      const auto& value = as<Value_>(declaration);
      for (const Declaration* const each : value.contents) {
        if (each->kind != DeclKind::state_member) continue;
        const auto& state = as<StateMember>(*each);
        members.push_back({building_->text(each->name), &node(*state.field.type), 0,
                           state.public_ ? CORBA::PUBLIC_MEMBER : CORBA::PRIVATE_MEMBER});
      }
      const bool has_base = !value.bases.empty() && !value.bases[0]->abstract_;
      if (has_base) Graph::content(made, &node(*value.bases[0]));
      Graph::numbers(made, 0, value.custom ? 1 : value.abstract_ ? 2 : value.truncatable ? 3 : 0);
      return fields(made, members);
    }
    case DeclKind::value_box: return Graph::content(made, &node(*as<ValueBox>(declaration).type));
    default: return;
  }
}

}  // namespace orbweaver::call
