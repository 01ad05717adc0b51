// TypeCodes of the value types and abstract interfaces of module CORBA. The references to them are constants,
// whose destructors do nothing.
#include <orbweaver/typecode.h>
#include <orbweaver/value.h>

namespace orbweaver {

namespace typecode {
const CORBA::TypeCode k_ValueBase{CORBA::TCKind::tk_value, "IDL:omg.org/CORBA/ValueBase:1.0", "ValueBase"};
const CORBA::TypeCode k_StringValue{
    CORBA::TCKind::tk_value_box, "IDL:omg.org/CORBA/StringValue:1.0", "StringValue", nullptr, 0, &k_string};
const CORBA::TypeCode k_WStringValue{CORBA::TCKind::tk_value_box,
                                     "IDL:omg.org/CORBA/WStringValue:1.0",
                                     "WStringValue",
                                     nullptr,
                                     0,
                                     &k_wstring};
extern const CORBA::TypeCode k_AbstractBase;
const CORBA::TypeCode k_AbstractBase{CORBA::TCKind::tk_abstract_interface,
                                     "IDL:omg.org/CORBA/AbstractBase:1.0", "AbstractBase"};
}  // namespace typecode

}  // namespace orbweaver

namespace CORBA {

using orbweaver::typecode::constant;

const typecode_reference _tc_ValueBase{typecode_reference::Constant{},
                                       constant(orbweaver::typecode::k_ValueBase)};
const typecode_reference _tc_StringValue{typecode_reference::Constant{},
                                         constant(orbweaver::typecode::k_StringValue)};
const typecode_reference _tc_WStringValue{typecode_reference::Constant{},
                                          constant(orbweaver::typecode::k_WStringValue)};
extern const typecode_reference _tc_AbstractBase;
const typecode_reference _tc_AbstractBase{typecode_reference::Constant{},
                                          constant(orbweaver::typecode::k_AbstractBase)};

}  // namespace CORBA
