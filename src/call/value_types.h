#pragma once

#include <orbweaver/detail/cdr/values.h>
#include <orbweaver/typecode.h>

#include <deque>
#include <string_view>
#include <vector>

namespace orbweaver::call {

/// Makes the value types and boxes of TypeCodes known to the process as long as it exists, so that received
/// values of derived types are read with all their members. Not copied.
class KnownValues {
 public:
  KnownValues() = default;
  KnownValues(const KnownValues&) = delete;
  KnownValues& operator=(const KnownValues&) = delete;

  /// `type`, which must outlive this object; types that are known already stay.
  void add(const CORBA::TypeCode& type);

 private:
  std::deque<ValueType> types_;
  std::deque<KnownValueType> known_;
};

/// Members of JSON objects for values of value types (docs/call.md).
inline constexpr const char *kTypeKey = "_type", *kBoxedKey = "_value", *kReferenceKey = "_ref";
/// The path of the outermost value in references to it.
inline constexpr const char* kWholePath = ".";

/// Whether the kind is that of a value type or value box.
bool is_value_kind(CORBA::TCKind kind);
/// Whether values of exactly this type, without aliases, exist.
bool has_values(const CORBA::TypeCode& type);
/// Whether a value of `found` may be where one of `declared` is expected; both without aliases. An abstract
/// type accepts all value types.
bool accepts(const CORBA::TypeCode& declared, const CORBA::TypeCode& found);
/// The repository ids with which values of a type are sent: with those of bases to which they may be
/// truncated.
std::vector<std::string_view> sent_ids(const CORBA::TypeCode& type);

}  // namespace orbweaver::call
