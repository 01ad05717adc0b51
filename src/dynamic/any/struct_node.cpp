#include "dynamic/any/struct_node.h"

#include "dynamic/any/errors.h"

namespace orbweaver::dynamic {

using CORBA::TCKind;

const CORBA::TypeCode::Member& MembersNode::current_member() const {
  check_exists();
  if (member_count() == 0) raise_mismatch(typecode::describe(*type_) + " has no members");
  return member(checked_position());
}

DynamicAny::FieldName MembersNode::current_member_name() { return current_member().name; }

TCKind MembersNode::current_member_kind() { return typecode::resolved(*current_member().type).kind(); }

Node::Ref MembersNode::current_component() {
  check_exists();
  if (member_count() == 0) raise_mismatch(typecode::describe(*type_) + " has no members");
  return Composite::current_component();
}

DynamicAny::NameValuePairSeq MembersNode::get_members() {
  check_exists();
  check_value();
  DynamicAny::NameValuePairSeq members;
  members.reserve(member_count());
  components_as_anys(member_count(), [&](std::uint32_t i, CORBA::Any&& each) {
    members.emplace_back(member(i).name, std::move(each));
  });
  return members;
}

DynamicAny::NameDynAnyPairSeq MembersNode::get_members_as_dyn_any() {
  check_exists();
  check_value();
  DynamicAny::NameDynAnyPairSeq members;
  members.reserve(member_count());
  for (std::uint32_t i = 0; i < member_count(); ++i) members.emplace_back(member(i).name, component(i));
  return members;
}

template <class Pairs>
void MembersNode::set_all(const Pairs& pairs) {
  check_exists();
  if (pairs.size() != member_count())
    raise_invalid(std::to_string(pairs.size()) + " members for " + typecode::describe(*type_) +
                  ", which has " + std::to_string(member_count()));
  std::vector<EncodedValue> values;
  values.reserve(pairs.size());
  ValueImport import(graph_.get());
  for (std::uint32_t i = 0; i < pairs.size(); ++i) {
    const Member& expected = member(i);
    if (!pairs[i].id().empty() && pairs[i].id() != expected.name)
      raise_mismatch("member " + std::to_string(i) + " of " + typecode::describe(*type_) + " is '" +
                     expected.name + "', not '" + pairs[i].id() + "'");
    values.push_back(value_as(*expected.type, pairs[i].value(), import));
  }
  set_member_values(std::move(values));
}

void MembersNode::set_members(const DynamicAny::NameValuePairSeq& value) { set_all(value); }

void MembersNode::set_members_as_dyn_any(const DynamicAny::NameDynAnyPairSeq& value) { set_all(value); }

// ---- structs and exceptions ----

void StructNode::write_header(ValueWriter& out) {
  if (kind() == TCKind::tk_except) out.out().put_string(typecode::Access::id(value_type()));
}

void StructNode::skip_header(cdr::Decoder& in) const {
  if (kind() == TCKind::tk_except) in.get_string_view();
}

void StructNode::set_member_values(std::vector<EncodedValue> values) {
  if (values.empty()) return;  // there is one value only
  ValueWriter writer;
  write_header(writer);
  for (std::uint32_t i = 0; i < values.size(); ++i) writer.value(values[i], component_type(i));
  set_value(writer.finish());
}

}  // namespace orbweaver::dynamic
