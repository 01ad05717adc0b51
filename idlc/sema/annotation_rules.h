#pragma once

#include <cstdint>
#include <string_view>

namespace orbweaver::idl {

/// One parameter of a standard annotation (IDL 4.2, 8.3; DDS-XTypes 1.3, 7.3.1.2.1).
struct AnnotationParameter {
  enum class Type : std::uint8_t { none, boolean, ushort_, ulong_, longlong, text, of_element, one_of, any };
  std::string_view name;
  Type type = Type::none;
  bool required = true;
  std::string_view words = {};  // for one_of: the allowed words, each with a blank before and after it
};

/// A standard annotation, or Orbweaver's own `view`.
struct StandardAnnotation {
  std::string_view name;
  bool effect;                        // changes the GIOP encoding or the calls
  AnnotationParameter parameters[3];  // entries of type none are unused
  bool repeatable = false;            // one declaration may have several: each is for a language or platform
  bool extensibility = false;         // a kind of extensibility, of which a type has one
};

/// The standard annotation with this name, or null.
const StandardAnnotation* standard_annotation_named(std::string_view name);
/// The standard annotation's name that is most similar to `name`; empty if none is similar enough.
std::string_view nearest_annotation(std::string_view name);

}  // namespace orbweaver::idl
