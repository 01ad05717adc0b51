// Generates code for interfaces that a file declares and does not define. References to them are copied,
// marshalled and printed without their class, by specialisations that use what the code of the file that
// defines the interface, and includes this one, has registered (orbweaver/detail/forward_interface.h).
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
std::string mangled(const Interface& decl) {
  std::string out = qualified(decl);
  std::replace(out.begin(), out.end(), ':', '_');
  return out;
}
std::string guard(const Interface& decl) { return "ORBWEAVER_IDL_FORWARD" + mangled(decl); }

std::string object_reference(const Interface& decl) {
  return "::CORBA::object_reference<" + qualified(decl) + ">";
}

}  // namespace

std::string forward_interface_declarations(const Interface& decl) {
  const std::string travels =
      decl.local ? ""
                 : fill(R"(namespace orbweaver::cdr {
template <>
inline std::size_t Codec<$object_reference$>::bound(const $object_reference$& r) {
  return bound_reference(ForwardInterface<$type$>::object(r.get()));
}
template <>
inline void Codec<$object_reference$>::encode(Encoder& out, const $object_reference$& r) {
  encode_reference(out, ForwardInterface<$type$>::object(r.get()));
}
template <>
inline void Codec<$object_reference$>::decode(Decoder& in, $object_reference$& r) {
  ForwardInterface<$type$>::decode(in, r);
}
}  // namespace orbweaver::cdr
)",
                        {{"object_reference", object_reference(decl)}, {"type", qualified(decl)}});
  return fill(R"(#ifndef $guard$
#define $guard$
// References to an interface of which another file has the definition.
namespace IDL {
template <>
struct traits<$type$> : ::orbweaver::$kind$_traits<$type$> {};
}  // namespace IDL
namespace CORBA {
template <>
inline object_reference<$type$>::~object_reference() {
  ::orbweaver::ForwardInterface<$type$>::remove(object_);
}
template <>
inline void object_reference<$type$>::add() noexcept {
  ::orbweaver::ForwardInterface<$type$>::add(object_);
}
}  // namespace CORBA
$travels$
namespace orbweaver::detail {
template <>
inline void Print<$object_reference$>::to(std::ostream& os, const $object_reference$& value) {
  os << (value == nullptr ? "nil" : $id$);
}
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
               {"id", string_literal(decl.repository_id())},
               {"constant", in_namespace(constants_namespace(decl), typecode_declared(decl))},
               {"reference", in_namespace(namespace_of(decl), typecode_reference_declared(decl, false))},
               {"of", in_namespace("orbweaver", typecode_of(decl))}});
}

std::string forward_interface_typecode(const Interface& decl) {
  const std::string constant = fill(R"([[gnu::weak]] extern const ::CORBA::TypeCode _tc_$name$;
const ::CORBA::TypeCode _tc_$name$(::CORBA::TCKind::tk_$kind$, $id$, $quoted$);
)",
                                    {{"name", decl.name},
                                     {"kind", decl.local ? "local_interface" : "objref"},
                                     {"id", string_literal(decl.repository_id())},
                                     {"quoted", string_literal(decl.name)}});
  return "// Equal to those of the file that defines the interface, for programs without it.\n" +
         in_namespace(constants_namespace(decl), constant) +
         in_namespace(namespace_of(decl), "[[gnu::weak]] extern const ::CORBA::typecode_reference _tc_" +
                                              decl.name + ";\n" + typecode_reference_defined(decl));
}

std::string forward_interface_definitions(const Interface& decl) {
  return fill(
      R"(// An included file declares this interface: references made there need its class.
[[maybe_unused]] static const bool $name$ =
    ::orbweaver::define_forward_interface<$type$>($make$);

)",
      {{"name", "orbweaver_idl_defines" + mangled(decl)},
       {"type", qualified(decl)},
       {"make", decl.local ? "nullptr"
                           : "\n        [](::orbweaver::Reference* reference) -> void* { return " +
                                 qualified(decl) + "::_make(reference); }"}});
}

}  // namespace orbweaver::idl::cpp
