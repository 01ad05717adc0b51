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
  std::string_view words = {};  // of one_of: what may stand there, with a blank before and behind each
};

/// A standard annotation: `view` is Orbweaver's own.
struct StandardAnnotation {
  std::string_view name;
  bool effect;                        // has a meaning for data and calls that travel in GIOP
  AnnotationParameter parameters[3];  // those whose type is none do not exist
};

/// The standard annotation of that name, or null.
const StandardAnnotation* standard_annotation_named(std::string_view name);
/// The nearest name of a standard annotation, or an empty view.
std::string_view annotation_near(std::string_view name);

}  // namespace orbweaver::idl
