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

std::string object_reference(const Interface& decl) {
  return "::CORBA::object_reference<" + qualified(decl) + ">";
}

}  // namespace

std::string forward_interface_declarations(const Interface& decl) {
  const std::string travels = decl.local ? ""
                                         : fill(R"(namespace orbweaver::cdr {
template <>
std::size_t Codec<$object_reference$>::bound(const $object_reference$& r);
template <>
void Codec<$object_reference$>::encode(Encoder& out, const $object_reference$& r);
template <>
void Codec<$object_reference$>::decode(Decoder& in, $object_reference$& r);
}  // namespace orbweaver::cdr
)",
                                                {{"object_reference", object_reference(decl)}});
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
void Print<$object_reference$>::to(std::ostream& os, const $object_reference$& value);
}  // namespace orbweaver::detail
$constant$
$reference$
$of$
#endif

)",
              {{"guard", guard(decl)},
               {"type", qualified(decl)},
               {"object_reference", object_reference(decl)},
               {"kind", decl.local ? "local_interface" : "interface"},
               {"travels", travels},
               {"constant", in_namespace(constants_namespace(decl), typecode_declared(decl))},
               {"reference", in_namespace(namespace_of(decl), typecode_reference_declared(decl, false))},
               {"of", in_namespace("orbweaver", typecode_of(decl))}});
}

std::string forward_interface_definitions(const Interface& decl) {
  const std::string travels =
      decl.local ? ""
                 : fill(R"(namespace orbweaver::cdr {
template <>
std::size_t Codec<$object_reference$>::bound(const $object_reference$& r) {
  return bound_reference(r.get());
}
template <>
void Codec<$object_reference$>::encode(Encoder& out, const $object_reference$& r) {
  encode_reference(out, r.get());
}
template <>
void Codec<$object_reference$>::decode(Decoder& in, $object_reference$& r) {
  Reference* reference = decode_reference(in);
  r = nullptr;
  if (reference == nullptr) return;
  r = $object_reference$::adopt($type$::_make(reference));
  drop_reference(reference);
}
}  // namespace orbweaver::cdr

)",
                        {{"type", qualified(decl)}, {"object_reference", object_reference(decl)}});
  return fill(
      R"(// Definitions for references to an interface that an included file forward-declares.
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
void Print<$object_reference$>::to(std::ostream& os, const $object_reference$& value) {
  os << (value == nullptr ? "nil" : $type$::_interface_id());
}
}  // namespace orbweaver::detail

)",
      {{"type", qualified(decl)}, {"object_reference", object_reference(decl)}, {"travels", travels}});
}

}  // namespace orbweaver::idl::cpp
