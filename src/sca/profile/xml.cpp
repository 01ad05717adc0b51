#include "sca/profile/xml.h"

#include <algorithm>
#include <iterator>

#include "sca/profile/profile_file.h"
#include "sca/profile/similar_name.h"
#include "sca/profile/xml_prescan.h"

namespace orbweaver::sca {
namespace {

constexpr std::string_view kWhiteSpace = " \t\r\n";

}  // namespace

XmlFile::XmlFile(const std::string& path) : XmlFile(path, read_profile(path)) {}

XmlFile::XmlFile(const std::string& path, std::string_view text) : path_(path) {
  lines_.push_back(0);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') lines_.push_back(i + 1);
  }
  const XmlProblem problem = inspect_xml(text);
  if (problem.found) throw ProfileError(at(problem.offset), problem.what, problem.advice);
  const unsigned mode = pugi::parse_default | pugi::parse_doctype;
  const auto parsed = document_.load_buffer(text.data(), text.size(), mode, pugi::encoding_utf8);
  if (!parsed) {
    const auto offset =
        std::min(static_cast<std::size_t>(std::max<std::ptrdiff_t>(parsed.offset, 0)), text.size());
    const bool at_end = text.find_first_not_of(kWhiteSpace, offset) == std::string::npos;
    if (parsed.status == pugi::status_end_element_mismatch && problem.ends_open) {
      throw ProfileError(at(offset), "this element is never closed",
                         "the file is truncated, or an end tag is missing");
    }
    throw ProfileError(at(offset), std::string("not well-formed XML: ") + parsed.description(),
                       at_end ? "the file seems to be truncated" : "correct it here or just before");
  }
  std::size_t roots = 0;
  for (const auto& node : document_.children()) roots += node.type() == pugi::node_element ? 1 : 0;
  const Element found = this->root();
  if (roots != 1)
    throw ProfileError(at(0), "an XML file has one outermost element; this has " + std::to_string(roots));
  const auto kind = kind_of_root(found.name());
  if (!kind) {
    std::vector<std::string_view> known;
    for (const ProfileKind each : kProfileKinds) known.push_back(root_element(each));
    const std::string_view similar = similar_name(found.name(), known);
    found.fail("the outermost element is <" + std::string(found.name()) + ">, which is none of a profile",
               similar.empty() ? "it can be " + one_of(known) : "did you mean " + std::string(similar) + "?");
  }
  kind_ = *kind;
}

Element XmlFile::root() const { return {*this, document_.document_element()}; }

Location XmlFile::at(std::size_t offset) const {
  const auto next = std::upper_bound(lines_.begin(), lines_.end(), offset);
  const auto line = static_cast<std::size_t>(next - lines_.begin());
  return {path_, line, offset - lines_[line - 1] + 1};
}

Location Element::where() const {
  const std::ptrdiff_t offset = node_.offset_debug();
  // The parser reports where the name starts; locations in messages point to the '<' before it.
  return file_->at(offset > 0 ? static_cast<std::size_t>(offset - 1) : 0);
}

void Element::fail(const std::string& found, const std::string& advice) const {
  throw ProfileError(where(), found, advice);
}

std::optional<std::string> Element::find_attribute(const char* name) const {
  if (const auto attribute = node_.attribute(name)) return attribute.value();
  const ElementRule* const rule = grammar_of(file_->kind()).find(this->name());
  const AttributeRule* const attribute = rule == nullptr ? nullptr : rule->find(name);
  return attribute == nullptr ? std::nullopt : attribute->default_value;
}

std::optional<Element> Element::find_child(const char* name) const {
  const auto child = node_.child(name);
  if (!child) return std::nullopt;
  return Element(*file_, child);
}

std::vector<Element> Element::children(std::string_view name) const {
  std::vector<Element> found = children();
  std::erase_if(found, [&](const Element& e) { return e.name() != name; });
  return found;
}

std::vector<Element> Element::children() const {
  std::vector<Element> found;
  for (const auto& node : node_.children()) {
    if (node.type() == pugi::node_element) found.emplace_back(*file_, node);
  }
  return found;
}

std::string Element::text() const {
  std::string all;  // in pieces if a comment splits it
  for (const auto& piece : node_.children()) {
    if (piece.type() == pugi::node_pcdata || piece.type() == pugi::node_cdata) all += piece.value();
  }
  const auto first = all.find_first_not_of(kWhiteSpace);
  return first == std::string::npos ? "" : all.substr(first, all.find_last_not_of(kWhiteSpace) - first + 1);
}

namespace {

template <class List>
std::string joined(const List& names) {
  std::string text;
  std::size_t left = names.size();
  for (const auto& name : names) {
    text += name;
    if (--left > 0) text += left == 1 ? " or " : ", ";
  }
  return text;
}

}  // namespace

std::string one_of(const std::vector<std::string>& names) { return joined(names); }
std::string one_of(const std::vector<std::string_view>& names) { return joined(names); }

std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 20;
  if (names.size() <= kShown) return joined(names);
  std::string text;
  for (std::size_t i = 0; i < kShown; ++i) text += names[i] + ", ";
  return text.substr(0, text.size() - 2) + " or " + std::to_string(names.size() - kShown) + " others";
}

}  // namespace orbweaver::sca
