// Interfaces that a file declares and does not define. References to them are copied, sent and printed without their
// class: by specialisations that are declared in the header and defined where the interface is, by the file that defines
// it and includes this one.
#include <algorithm>

#include "idlc/cpp/constructs.h"
#include "idlc/cpp/names.h"
#include "idlc/cpp/text.h"
#include "idlc/cpp/typecodes.h"

namespace orbweaver::idl::cpp {

using namespace ir;

namespace {

// "ORBWEAVER_IDL_AHEAD_M__Foo": several files may declare one interface.
std::string guard(const Interface& made) {
  std::string out = "ORBWEAVER_IDL_AHEAD" + qualified(made);
  std::replace(out.begin(), out.end(), ':', '_');
  return out;
}

}  // namespace

std::string declared_only(const Interface& made) {
  const std::string travels = made.local ? "" : fill(R"(namespace orbweaver::cdr {
template <>
std::size_t Codec<::CORBA::object_reference<$type$>>::bound(const ::CORBA::object_reference<$type$>& r);
template <>
void Codec<::CORBA::object_reference<$type$>>::encode(Encoder& out, const ::CORBA::object_reference<$type$>& r);
template <>
void Codec<::CORBA::object_reference<$type$>>::decode(Decoder& in, ::CORBA::object_reference<$type$>& r);
}  // namespace orbweaver::cdr
)", {{"type", qualified(made)}});
  return fill(R"(#ifndef $guard$
#define $guard$
// Only declared here: the file that defines the interface defines what its references need.
namespace IDL {
template <>
struct traits<$type$> : ::orbweaver::$kind$_traits<$type$> {};
}  // namespace IDL
namespace CORBA {
template <>
object_reference<$type$>::~object_reference();
template <>
void object_reference<$type$>::add() noexcept;
}  // namespace CORBA
$travels$
namespace orbweaver::detail {
template <>
void Print<::CORBA::object_reference<$type$>>::to(std::ostream& os, const ::CORBA::object_reference<$type$>& value);
}  // namespace orbweaver::detail
$constant$
$reference$
$of$
#endif

)",
              {{"guard", guard(made)},
               {"type", qualified(made)},
               {"kind", made.local ? "local_interface" : "interface"},
               {"travels", travels},
               {"constant", in_namespace(constants_namespace(made), typecode_declared(made))},
               {"reference", in_namespace(namespace_of(made), typecode_reference_declared(made, false))},
               {"of", in_namespace("orbweaver", typecode_of(made))}});
}

std::string defined_for_others(const Interface& made) {
  const std::string travels = made.local ? "" : fill(R"(namespace orbweaver::cdr {
template <>
std::size_t Codec<::CORBA::object_reference<$type$>>::bound(const ::CORBA::object_reference<$type$>& r) {
  return bound_reference(r.get());
}
template <>
void Codec<::CORBA::object_reference<$type$>>::encode(Encoder& out, const ::CORBA::object_reference<$type$>& r) {
  encode_reference(out, r.get());
}
template <>
void Codec<::CORBA::object_reference<$type$>>::decode(Decoder& in, ::CORBA::object_reference<$type$>& r) {
  Reference* reference = decode_reference(in);
  r = nullptr;
  if (reference == nullptr) return;
  r = ::CORBA::object_reference<$type$>::adopt($type$::_make(reference));
  drop_reference(reference);
}
}  // namespace orbweaver::cdr

)", {{"type", qualified(made)}});
  return fill(R"(// An included file declares the interface: what references to it need there.
namespace CORBA {
template <>
object_reference<$type$>::~object_reference() {
  if (object_) object_->_remove_ref();
}
template <>
void object_reference<$type$>::add() noexcept {
  if (object_) object_->_add_ref();
}
}  // namespace CORBA
$travels$
namespace orbweaver::detail {
template <>
void Print<::CORBA::object_reference<$type$>>::to(std::ostream& os, const ::CORBA::object_reference<$type$>& value) {
  os << (value == nullptr ? "nil" : $type$::_interface_id());
}
}  // namespace orbweaver::detail

)",
              {{"type", qualified(made)}, {"travels", travels}});
}

}  // namespace orbweaver::idl::cpp
