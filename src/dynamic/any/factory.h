#pragma once

#include <orbweaver/dynamic_any.h>

namespace orbweaver::dynamic {

/// Returns a DynAny with the value of `any`. Raises InconsistentTypeCode; MARSHAL if the value is malformed;
/// MustTruncate if it contains a value of a type that is not known, unless `may_truncate`.
CORBA::object_reference<DynamicAny::DynAny> make_dyn_any(const CORBA::Any& any, bool may_truncate);

/// The initial reference "DynAnyFactory".
class DynAnyFactory final : public DynamicAny::DynAnyFactory {
 public:
  using Ref = CORBA::object_reference<DynamicAny::DynAny>;

  Ref create_dyn_any(const CORBA::Any& value) override { return make_dyn_any(value, true); }
  Ref create_dyn_any_from_type_code(const CORBA::typecode_reference& type) override;
  Ref create_dyn_any_without_truncation(const CORBA::Any& value) override {
    return make_dyn_any(value, false);
  }
  DynamicAny::DynAnySeq create_multiple_dyn_anys(const DynamicAny::AnySeq& values,
                                                 bool allow_truncate) override;
  DynamicAny::AnySeq create_multiple_anys(const DynamicAny::DynAnySeq& values) override;
};

}  // namespace orbweaver::dynamic
