#include "sca/profile/dtd.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "sca/profile/content_expression.h"

namespace orbweaver::sca {
namespace {

constexpr std::string_view kSpace = " \t\r\n";
/// Limit of parameter entities within each other.
constexpr int kMaxInclusions = 16;

struct DtdError {
  std::string message;
};

/// Splits a declaration into words, quoted texts without their quotes, and groups in parentheses with theirs.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t i = text.find_first_not_of(kSpace); i < text.size();
       i = text.find_first_not_of(kSpace, i)) {
    std::size_t end = i;
    if (text[i] == '"' || text[i] == '\'') {
      end = text.find(text[i], i + 1);
      if (end == std::string_view::npos) throw DtdError{"a quote is not closed"};
      words.emplace_back(text.substr(i + 1, end - i - 1));
      i = end + 1;
      continue;
    }
    if (text[i] == '(') {
      for (int depth = 0; end < text.size(); ++end) {
        depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
        if (depth == 0) break;
      }
      if (end == text.size()) throw DtdError{"a parenthesis is not closed"};
      ++end;
      while (end < text.size() && std::string_view("?*+").find(text[end]) != std::string_view::npos) ++end;
    } else {
      end = std::min(text.find_first_of(kSpace, i), text.size());
    }
    words.emplace_back(text.substr(i, end - i));
    i = end;
  }
  return words;
}

class DtdReader {
 public:
  explicit DtdReader(const std::function<std::string_view(std::string_view)>& included)
      : included_(included) {}

  void read(std::string_view text, int depth) {
    if (depth > kMaxInclusions) throw DtdError{"entities are nested too deeply"};
    for (std::size_t i = text.find_first_not_of(kSpace); i < text.size();) {
      if (text[i] == '%') {
        const std::size_t end = std::min(text.find(';', i), text.size());
        read(entity(text.substr(i + 1, end - i - 1)), depth + 1);
        i = end + 1;
      } else if (text.substr(i).starts_with("<!--")) {
        i = skip_past("-->", text, i);
      } else if (text.substr(i).starts_with("<?")) {
        i = skip_past("?>", text, i);
      } else if (text.substr(i).starts_with("<!")) {
        const std::size_t end = end_of_declaration(text, i);
        declaration(text.substr(i + 2, end - i - 2));
        i = end + 1;
      } else {
        throw DtdError{"neither a declaration nor a comment: " + std::string(text.substr(i, 40))};
      }
      i = text.find_first_not_of(kSpace, i);
    }
  }

  Grammar finish() {
    for (const auto& [name, rule] : grammar_.elements) {
      if (declared_.count(name) == 0) throw DtdError{"attributes of the undeclared element " + name};
      for (const std::string_view child : rule.children.names()) {
        if (declared_.count(child) == 0)
          throw DtdError{"<" + name + "> contains the undeclared element " + std::string(child)};
      }
    }
    return std::move(grammar_);
  }

 private:
  static std::size_t skip_past(std::string_view end, std::string_view text, std::size_t from) {
    const std::size_t found = text.find(end, from);
    return found == std::string_view::npos ? text.size() : found + end.size();
  }

  static std::size_t end_of_declaration(std::string_view text, std::size_t i) {
    char quote = 0;
    for (; i < text.size(); ++i) {
      if (quote != 0) {
        if (text[i] == quote) quote = 0;
      } else if (text[i] == '"' || text[i] == '\'') {
        quote = text[i];
      } else if (text[i] == '>') {
        return i;
      }
    }
    throw DtdError{"a declaration is not closed"};
  }

  const std::string& entity(std::string_view name) const {
    const auto found = entities_.find(name);
    if (found == entities_.end()) throw DtdError{"there is no entity %" + std::string(name) + ";"};
    return found->second;
  }

  std::string expand(std::string_view text, int depth = 0) const {
    if (depth > kMaxInclusions) throw DtdError{"entities are nested too deeply"};
    std::string expanded;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const std::size_t end = text[i] == '%' ? text.find(';', i) : std::string_view::npos;
      if (end == std::string_view::npos) {
        expanded += text[i];
        continue;
      }
      expanded += expand(entity(text.substr(i + 1, end - i - 1)), depth + 1);
      i = end;
    }
    return expanded;
  }

  void declaration(std::string_view text) {
    const std::string_view keyword = text.substr(0, std::min(text.find_first_of(kSpace), text.size()));
    const std::string_view rest = text.substr(keyword.size());
    if (keyword == "ENTITY") {
      declare_entity(words_of(rest));
    } else if (keyword == "ELEMENT") {
      declare_element(words_of(expand(rest)));
    } else if (keyword == "ATTLIST") {
      declare_attributes(words_of(expand(rest)));
    } else {
      throw DtdError{"<!" + std::string(keyword) + "> is not supported"};
    }
  }

  void declare_entity(const std::vector<std::string>& words) {
    if (words.size() == 3 && words[0] == "%") {
      entities_.emplace(words[1], words[2]);
    } else if (words.size() == 4 && words[0] == "%" && words[2] == "SYSTEM") {
      const std::string_view text = included_(words[3]);
      if (text.empty()) throw DtdError{"there is no file " + words[3]};
      entities_.emplace(words[1], text);
    } else {
      throw DtdError{"an entity of another form"};
    }
  }

  void declare_element(const std::vector<std::string>& words) {
    if (words.size() != 2) throw DtdError{"an element of another form"};
    const auto& [name, content] = std::pair(words[0], words[1]);
    if (!declared_.insert(name).second) throw DtdError{"<" + name + "> is declared twice"};
    ElementRule& rule = grammar_.elements[name];
    rule.name = name;
    if (content == "EMPTY") {
      rule.content = ContentKind::empty;
    } else if (content == "(#PCDATA)") {
      rule.content = ContentKind::text;
    } else {
      rule.content = ContentKind::children;
      auto model = content_model(content);
      if (!model) throw DtdError{"<" + name + ">: " + model.error().message};
      rule.children = std::move(*model);
    }
  }

  void declare_attributes(const std::vector<std::string>& words) {
    if (words.empty()) throw DtdError{"an attribute list without an element"};
    ElementRule& rule = grammar_.elements[words[0]];
    for (std::size_t i = 1; i < words.size();) {
      if (i + 2 >= words.size()) throw DtdError{"an attribute of another form in " + words[0]};
      AttributeRule attribute;
      attribute.name = words[i];
      const std::string& type = words[i + 1];
      if (type.starts_with('(')) {
        attribute.kind = AttributeKind::enumeration;
        std::string choices = type.substr(1, type.size() - 2);
        std::replace(choices.begin(), choices.end(), '|', ' ');
        attribute.choices = words_of(choices);
      } else if (type == "ID") {
        attribute.kind = AttributeKind::id;
      } else if (type != "CDATA") {
        throw DtdError{"an attribute of type " + type};
      }
      const std::string& presence = words[i + 2];
      if (presence == "#REQUIRED") {
        attribute.required = true;
      } else if (presence != "#IMPLIED") {
        attribute.default_value = presence;
      }
      rule.attributes.push_back(std::move(attribute));
      i += 3;
    }
  }

  const std::function<std::string_view(std::string_view)>& included_;
  std::map<std::string, std::string, std::less<>> entities_;
  std::set<std::string, std::less<>> declared_;
  Grammar grammar_;
};

}  // namespace

Result<Grammar> read_dtd(std::string_view text,
                         const std::function<std::string_view(std::string_view)>& included) {
  try {
    DtdReader reader(included);
    reader.read(text, 0);
    return reader.finish();
  } catch (const DtdError& error) {
    return Error{ErrorKind::invalid, error.message};
  }
}

}  // namespace orbweaver::sca
