// The TypeCode of TimeBase::UtcT, as TimeBase.idl declares it (OMG formal/2002-05-07, 1.3.2).
#include <orbweaver/timebase.h>
#include <orbweaver/typecode.h>

namespace orbweaver::typecode {
namespace {

using CORBA::TCKind;
using CORBA::TypeCode;

constexpr TypeCode kTimeT(TCKind::tk_alias, "IDL:omg.org/TimeBase/TimeT:1.0", "TimeT", nullptr, 0,
                          &k_ulonglong);
constexpr TypeCode kTdfT(TCKind::tk_alias, "IDL:omg.org/TimeBase/TdfT:1.0", "TdfT", nullptr, 0, &k_short);
constexpr TypeCode::Member kMembers[] = {
    {"time", &kTimeT}, {"inacclo", &k_ulong}, {"inacchi", &k_ushort}, {"tdf", &kTdfT}};

}  // namespace

constexpr TypeCode k_UtcT(TCKind::tk_struct, "IDL:omg.org/TimeBase/UtcT:1.0", "UtcT", kMembers, 4);

}  // namespace orbweaver::typecode
