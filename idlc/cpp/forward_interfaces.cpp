// Generates code for interfaces that a file declares and does not define. References to them are copied,
// marshalled and printed without their class, by specialisations that the header declares. The code of the
// file that defines the interface, and includes this one, defines the specialisations.
#include <algorithm>

#include "idlc/cpp/constructs.h"
#include "idlc/cpp/names.h"
#include "idlc/cpp/text.h"
#include "idlc/cpp/typecodes.h"

namespace orbweaver::idl::cpp {

using namespace ir;

namespace {

// The include guard of an interface, such as "ORBWEAVER_IDL_FORWARD__M__Foo": several files may declare the
// interface.
std::string guard(const Interface& decl) {
  std::string out = "ORBWEAVER_IDL_FORWARD" + qualified(decl);
  std::replace(out.begin(), out.end(), ':', '_');
  return out;
}

}  // namespace

std::string forward_interface_declarations(const Interface& decl) {
  const std::string travels = decl.local ? ""
                                         : fill(R"(namespace orbweaver::cdr {
template <>
std::size_t Codec<::CORBA::object_reference<$type$>>::bound(const ::CORBA::object_reference<$type$>& r);
template <>
void Codec<::CORBA::object_reference<$type$>>::encode(Encoder& out, const ::CORBA::object_reference<$type$>& r);
template <>
void Codec<::CORBA::object_reference<$type$>>::decode(Decoder& in, ::CORBA::object_reference<$type$>& r);
}  // namespace orbweaver::cdr
)",
                                                {{"type", qualified(decl)}});
  return fill(R"(#ifndef $guard$
#define $guard$
// Declarations only: the code of the file that defines the interface has the definitions.
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
              {{"guard", guard(decl)},
               {"type", qualified(decl)},
               {"kind", decl.local ? "local_interface" : "interface"},
               {"travels", travels},
               {"constant", in_namespace(constants_namespace(decl), typecode_declared(decl))},
               {"reference", in_namespace(namespace_of(decl), typecode_reference_declared(decl, false))},
               {"of", in_namespace("orbweaver", typecode_of(decl))}});
}

std::string forward_interface_definitions(const Interface& decl) {
  const std::string travels = decl.local ? ""
                                         : fill(R"(namespace orbweaver::cdr {
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

)",
                                                {{"type", qualified(decl)}});
  return fill(R"(// Definitions for references to an interface that an included file forward-declares.
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
              {{"type", qualified(decl)}, {"travels", travels}});
}

}  // namespace orbweaver::idl::cpp
