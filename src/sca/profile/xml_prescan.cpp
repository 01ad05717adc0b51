#include "sca/profile/xml_prescan.h"

#include <cctype>
#include <charconv>
#include <cstdint>

namespace orbweaver::sca {
namespace {

XmlProblem problem(std::size_t offset, std::string what, std::string advice) {
  return {true, offset, std::move(what), std::move(advice), false};
}

/// The length of the UTF-8 character at the start of `text`, or 0 if it is invalid or a control character.
std::size_t utf8_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return lead >= 0x20 || lead == '\t' || lead == '\n' || lead == '\r' ? 1 : 0;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return 0;
  }
  return length;
}

/// Whether XML 1.0 (2.2, Char) allows the character.
bool is_xml_character(std::uint32_t code) {
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  return (code < 0xD800 || code > 0xDFFF) && code != 0xFFFE && code != 0xFFFF && code <= 0x10FFFF;
}

/// Whether `after`, the text after an ampersand, starts with a reference that XML defines: "amp;", "#10;",
/// "#x1F4FB;".
bool known_reference(std::string_view after) {
  for (std::string_view name : {"amp;", "lt;", "gt;", "quot;", "apos;"}) {
    if (after.starts_with(name)) return true;
  }
  if (!after.starts_with('#')) return false;
  const bool hex = after.starts_with("#x");
  std::size_t i = hex ? 2 : 1;
  const std::size_t first = i;
  while (i < after.size() && i - first < 7 &&
         (hex ? std::isxdigit(static_cast<unsigned char>(after[i])) != 0
              : std::isdigit(static_cast<unsigned char>(after[i])) != 0)) {
    ++i;
  }
  if (i == first || i >= after.size() || after[i] != ';') return false;
  std::uint32_t code = 0;
  std::from_chars(after.data() + first, after.data() + i, code, hex ? 16 : 10);
  return is_xml_character(code);
}

class Inspector {
 public:
  explicit Inspector(std::string_view text) : text_(text) {}

  XmlProblem run() {
    for (std::size_t i = 0; i < text_.size();) {
      const std::size_t length = utf8_length(text_.substr(i));
      if (length == 0) return problem(i, "this byte is not UTF-8 text", "save the file as UTF-8");
      i += length;
    }
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    while (at_ < text_.size() && !answer_.found) {
      if (text_[at_] == '&') {
        reference();
      } else if (text_[at_] == '<') {
        markup();
      } else if (depth_ == 0 && std::isspace(static_cast<unsigned char>(text_[at_])) == 0) {
        answer_ = problem(at_, "text outside the outermost element", "remove it");
      } else {
        ++at_;
      }
    }
    answer_.ends_open = depth_ > 0;
    return answer_;
  }

 private:
  bool here(std::string_view start) const { return text_.substr(at_).starts_with(start); }

  void skip_past(std::string_view end) {
    const std::size_t found = text_.find(end, at_);
    at_ = found == std::string_view::npos ? text_.size() : found + end.size();
  }

  void reference() {
    if (!known_reference(text_.substr(at_ + 1))) {
      answer_ = problem(at_, "reference to an entity or a character that XML does not have",
                        "write the text out; a plain ampersand is &amp;");
    }
    ++at_;
  }

  void markup() {
    if (here("<!--")) return skip_past("-->");
    if (here("<![CDATA[")) return skip_past("]]>");
    if (here("<?")) return skip_past("?>");
    if (here("<!")) return declaration();
    tag();
  }

  void declaration() {
    char quote = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (quote != 0) {
        if (c == quote) quote = 0;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '[') {
        answer_ =
            problem(at_, "the document type declares entities or elements of its own",
                    "name the DTD alone, as in <!DOCTYPE softpkg SYSTEM \"softpkg.dtd\">, or leave it out");
        return;
      } else if (c == '>') {
        ++at_;
        return;
      }
    }
  }

  void tag() {
    const std::size_t start = at_;
    const bool closing = here("</");
    char quote = 0;
    for (; at_ < text_.size() && !answer_.found; ++at_) {
      const char c = text_[at_];
      if (c == '&') {
        reference();
        --at_;  // the loop steps over the ampersand
      } else if (quote != 0) {
        if (c == quote) quote = 0;
        if (c == '<') answer_ = problem(at_, "a '<' in the value of an attribute", "write &lt; for it");
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '>') {
        break;
      }
    }
    if (at_ < text_.size() && !answer_.found) {
      if (closing) {
        --depth_;
      } else if (text_[at_ - 1] != '/' && ++depth_ > kMaxXmlDepth) {
        answer_ = problem(start, "elements are nested more than " + std::to_string(kMaxXmlDepth) + " deep",
                          "domain profiles nest less: check that this is one");
      }
      ++at_;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  XmlProblem answer_;
};

}  // namespace

XmlProblem inspect_xml(std::string_view text) { return Inspector(text).run(); }

}  // namespace orbweaver::sca
