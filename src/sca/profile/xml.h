#pragma once

#include <initializer_list>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sca/profile/profile_error.h"

namespace orbweaver::sca {

class Element;

/// The XML file of a profile, read completely and checked (xml_prescan.h) before it is parsed. No other file
/// is ever read: a DTD that the file names is not fetched. Immutable after construction; neither copyable nor
/// movable, because elements point into it.
class XmlFile {
 public:
  /// Throws ProfileError if the file does not exist, is not a regular file, is larger than kMaxProfileBytes,
  /// is not well-formed, or its root element is not <root>.
  XmlFile(const std::string& path, std::string_view root);
  XmlFile(const XmlFile&) = delete;
  XmlFile& operator=(const XmlFile&) = delete;

  Element root() const;
  /// Line and column of a byte offset.
  Location at(std::size_t offset) const;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::vector<std::size_t> lines_;  // offset of each line's first byte
  pugi::xml_document document_;
};

/// An element of an XmlFile, which must outlive it. Every getter throws ProfileError, with location and
/// advice, if the profile does not have the requested form.
class Element {
 public:
  Element(const XmlFile& file, pugi::xml_node node) : file_(&file), node_(node) {}

  std::string_view name() const { return node_.name(); }
  /// Location of the element's start tag.
  Location where() const;

  /// Rejects attributes and child elements that are not in the lists, and attributes given twice. Otherwise a
  /// misspelt name would be a setting without effect.
  const Element& allow(std::initializer_list<std::string_view> attributes,
                       std::initializer_list<std::string_view> children) const;

  /// Returns a required, non-empty attribute.
  std::string attribute(const char* name) const;
  std::optional<std::string> find_attribute(const char* name) const;

  /// Returns the only child of that name; it is required.
  Element child(const char* name) const;
  std::optional<Element> find_child(const char* name) const;
  std::vector<Element> children(std::string_view name) const;
  std::vector<Element> children() const;

  /// Returns the element's text without surrounding white space; it must not be empty.
  std::string text() const;
  /// Returns the element's text without surrounding white space; may be empty.
  std::string raw_text() const;

  /// Throws ProfileError at the element's location.
  [[noreturn]] void fail(const std::string& found, const std::string& advice = {}) const;

 private:
  const XmlFile* file_;
  pugi::xml_node node_;
};

/// Joins names for messages: "a, b or c".
std::string one_of(const std::vector<std::string>& names);
std::string one_of(std::initializer_list<std::string_view> names);

}  // namespace orbweaver::sca
