#include "dynamic/any/factory.h"

#include <orbweaver/detail/initial_reference.h>

#include <unordered_set>
#include <vector>

#include "dynamic/any/errors.h"
#include "dynamic/any/node.h"

namespace DynamicAny {

// Here, so that a program that uses the module needs this library, and thus has the initial reference.
DynAny::~DynAny() = default;
DynFixed::~DynFixed() = default;
DynEnum::~DynEnum() = default;
DynMembers::~DynMembers() = default;
DynStruct::~DynStruct() = default;
DynUnion::~DynUnion() = default;
DynElements::~DynElements() = default;
DynSequence::~DynSequence() = default;
DynArray::~DynArray() = default;
DynValueCommon::~DynValueCommon() = default;
DynValue::~DynValue() = default;
DynValueBox::~DynValueBox() = default;
DynAnyFactory::~DynAnyFactory() = default;

}  // namespace DynamicAny

namespace orbweaver::dynamic {

using CORBA::TCKind;
using CORBA::TypeCode;
using Fields = typecode::Access;

namespace {

/// Raises InconsistentTypeCode if the type cannot have values in anys. Visits each reachable type once.
void check_consistent(const TypeCode& type) {
  std::vector<const TypeCode*> work{&type};
  std::unordered_set<const TypeCode*> seen{&type};
  const auto push = [&](const TypeCode* next) {
    if (next != nullptr && seen.insert(next).second) work.push_back(next);
  };
  while (!work.empty()) {
    const TypeCode& node = *work.back();
    work.pop_back();
    const TCKind kind = node.kind();
    if (kind == TCKind::tk_native || kind == TCKind::tk_local_interface || kind == TCKind::tk_Principal ||
        kind == typecode::kPlaceholder)
      throw DynamicAny::DynAnyFactory::InconsistentTypeCode(typecode::describe(type) + " contains " +
                                                            typecode::describe(node));
    push(Fields::content(node));
    if (kind == TCKind::tk_enum) continue;
    for (std::uint32_t i = 0; i < Fields::count(node); ++i) push(Fields::members(node)[i].type);
  }
}

const InitialReferenceProvider provider("DynAnyFactory",
                                        [](CORBA::ORB&) -> CORBA::object_reference<CORBA::Object> {
                                          return CORBA::make_reference<DynAnyFactory>();
                                        });

}  // namespace

CORBA::object_reference<DynamicAny::DynAny> make_dyn_any(const CORBA::Any& any, bool may_truncate) {
  const CORBA::typecode_reference type = any.type();
  check_consistent(*type);
  const Node::GraphPtr graph = Node::new_graph(*type);
  bool truncated = false;
  auto value = encoded_value_of(any, *type, graph.get(), truncated);
  if (!value)
    throw CORBA::MARSHAL(minor::kMalformedAny, CORBA::CompletionStatus::COMPLETED_NO,
                         "the any contains no legal value of " + typecode::describe(*type));
  if (truncated && !may_truncate)
    throw DynamicAny::MustTruncate(typecode::describe(*type) +
                                   " contains a value of a type that is not known");
  return Node::make_root(*type, std::move(*value), graph);
}

DynAnyFactory::Ref DynAnyFactory::create_dyn_any_from_type_code(const CORBA::typecode_reference& type) {
  if (type == nullptr)
    throw CORBA::BAD_PARAM(minor::kNilArgument, CORBA::CompletionStatus::COMPLETED_NO, "a nil TypeCode");
  check_consistent(*type);
  return Node::make_root(*type, {}, Node::new_graph(*type));
}

DynamicAny::DynAnySeq DynAnyFactory::create_multiple_dyn_anys(const DynamicAny::AnySeq& values,
                                                              bool allow_truncate) {
  DynamicAny::DynAnySeq made;
  made.reserve(values.size());
  for (const CORBA::Any& each : values) made.push_back(make_dyn_any(each, allow_truncate));
  return made;
}

DynamicAny::AnySeq DynAnyFactory::create_multiple_anys(const DynamicAny::DynAnySeq& values) {
  DynamicAny::AnySeq anys;
  anys.reserve(values.size());
  for (const Ref& each : values) anys.push_back(node_of(each).to_any());
  return anys;
}

}  // namespace orbweaver::dynamic
