#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace orbweaver::sca {

inline constexpr std::size_t kMaxProfileBytes = std::size_t{4} << 20;
inline constexpr int kMaxXmlDepth = 32;  ///< A SAD needs seven.

/// What the guard found, if anything: where (offset in bytes) and what to tell the user.
struct XmlObjection {
  bool found = false;
  std::size_t offset = 0;
  std::string what;
  std::string advice;
  bool ends_open = false;  ///< Elements are still open where the text ends.
};

/// Looks through the raw text of a profile before the XML parser sees it, for what a parser takes but we
/// do not: a document type with a subset of its own (entities that expand, or that read other files),
/// references to entities other than XML's five, elements nested beyond kMaxXmlDepth, control characters
/// and text that is not UTF-8. Well-formedness is the parser's business. Linear; allocates nothing but
/// the answer.
XmlObjection inspect_xml(std::string_view text);

}  // namespace orbweaver::sca
