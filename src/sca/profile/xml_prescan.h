#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace orbweaver::sca {

inline constexpr std::size_t kMaxProfileBytes = std::size_t{4} << 20;
inline constexpr int kMaxXmlDepth = 32;  ///< A SAD nests seven levels deep.

/// The first problem found by inspect_xml(): its offset in bytes and the texts for the user.
struct XmlProblem {
  bool found = false;
  std::size_t offset = 0;
  std::string what;
  std::string advice;
  bool ends_open = false;  ///< Elements are still open at the end of the text.
};

/// Checks the raw text of a profile before the XML parser reads it, for constructs that the parser accepts
/// but profiles must not have: a document type with an internal subset (entities that expand, or that read
/// other files), references to entities other than XML's five, elements nested deeper than kMaxXmlDepth,
/// control characters, text outside the outermost element, '<' in values of attributes, and text that is not
/// UTF-8. The parser checks well-formedness. Linear time; allocates only the result.
XmlProblem inspect_xml(std::string_view text);

}  // namespace orbweaver::sca
