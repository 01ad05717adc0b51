#include "dyn_anys.h"

namespace dynany {
namespace {

void rebuild_components(const Ref& from, const Ref& to) {
  from->rewind();
  to->rewind();
  for (std::uint32_t n = from->component_count(); n > 0; --n) {
    rebuild(from->current_component(), to->current_component());
    from->next();
    to->next();
  }
}

}  // namespace

void rebuild(const Ref& from, const Ref& to) {
  switch (kind_of(from->type())) {
    case TCKind::tk_boolean: return to->insert_boolean(from->get_boolean());
    case TCKind::tk_octet: return to->insert_octet(from->get_octet());
    case TCKind::tk_char: return to->insert_char(from->get_char());
    case TCKind::tk_wchar: return to->insert_wchar(from->get_wchar());
    case TCKind::tk_short: return to->insert_short(from->get_short());
    case TCKind::tk_ushort: return to->insert_ushort(from->get_ushort());
    case TCKind::tk_long: return to->insert_long(from->get_long());
    case TCKind::tk_ulong: return to->insert_ulong(from->get_ulong());
    case TCKind::tk_longlong: return to->insert_longlong(from->get_longlong());
    case TCKind::tk_ulonglong: return to->insert_ulonglong(from->get_ulonglong());
    case TCKind::tk_float: return to->insert_float(from->get_float());
    case TCKind::tk_double: return to->insert_double(from->get_double());
    case TCKind::tk_longdouble: return to->insert_longdouble(from->get_longdouble());
    case TCKind::tk_string: return to->insert_string(from->get_string());
    case TCKind::tk_wstring: return to->insert_wstring(from->get_wstring());
    case TCKind::tk_objref: return to->insert_reference(from->get_reference());
    case TCKind::tk_TypeCode: return to->insert_typecode(from->get_typecode());
    case TCKind::tk_any: {
      const Ref within = from->get_dyn_any();
      const Ref copy = initial(within->type());
      rebuild(within, copy);
      return to->insert_dyn_any(copy);
    }
    case TCKind::tk_enum:
      return as<DynamicAny::DynEnum>(to)->set_as_string(as<DynamicAny::DynEnum>(from)->get_as_string());
    case TCKind::tk_fixed:
      EXPECT_TRUE(as<DynamicAny::DynFixed>(to)->set_value(as<DynamicAny::DynFixed>(from)->get_value()));
      return;
    case TCKind::tk_sequence:
      as<DynamicAny::DynSequence>(to)->set_length(from->component_count());
      return rebuild_components(from, to);
    case TCKind::tk_union: {
      const auto from_union = as<DynamicAny::DynUnion>(from), to_union = as<DynamicAny::DynUnion>(to);
      to_union->set_discriminator(from_union->get_discriminator());
      if (!from_union->has_no_active_member()) rebuild(from_union->member(), to_union->member());
      return;
    }
    case TCKind::tk_struct:
    case TCKind::tk_except:
    case TCKind::tk_array: return rebuild_components(from, to);
    case TCKind::tk_null: return;
    default: FAIL() << "no value of " << from->type();
  }
}

}  // namespace dynany
