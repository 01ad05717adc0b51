#pragma once

#include <orbweaver/typecode.h>

#include <cstdint>
#include <optional>

/// Values of the discriminators of unions, as in TypeCode::Member::label. `type`: the union without aliases.
namespace orbweaver::dynamic {

/// The default case; null: there is none.
const CORBA::TypeCode::Member* default_case(const CORBA::TypeCode& type);
/// A value that selects no case but the default one; nothing if every value is a label. `steps` is increased
/// by the number of values tried.
std::optional<std::int64_t> unused_label(const CORBA::TypeCode& type, std::uint64_t& steps);
/// A value that selects the first member.
std::int64_t initial_label(const CORBA::TypeCode& type, std::uint64_t& steps);
/// Whether two cases are labels of one member. Each may be null: no member.
bool same_member(const CORBA::TypeCode::Member* a, const CORBA::TypeCode::Member* b);

}  // namespace orbweaver::dynamic
