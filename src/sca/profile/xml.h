#pragma once

#include <initializer_list>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sca/profile/location.h"

namespace orbweaver::sca {

class Element;

/// A profile's XML file, read whole and checked (xml_guard.h) before it is parsed. Nothing outside the
/// file is ever read: a DTD is named by it, never fetched. Plain data once made; not copied, not moved,
/// because elements point into it.
class XmlFile {
 public:
  /// Throws ProfileError: the file is not there, is not a regular file, is larger than kMaxProfileBytes,
  /// is not well-formed, or its root is not <root>.
  XmlFile(const std::string& path, std::string_view root);
  XmlFile(const XmlFile&) = delete;
  XmlFile& operator=(const XmlFile&) = delete;

  Element root() const;
  Location at(std::size_t offset) const;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::vector<std::size_t> lines_;  // offset of each line's first byte
  pugi::xml_document document_;
};

/// One element of an XmlFile, which must outlive it. Every getter throws ProfileError where the profile is
/// not as asked for, with the place and the advice.
class Element {
 public:
  Element(const XmlFile& file, pugi::xml_node node) : file_(&file), node_(node) {}

  std::string_view name() const { return node_.name(); }
  Location where() const;

  /// Refuses attributes and child elements that are not in the lists, and attributes given twice: a
  /// misspelt name would otherwise be a setting that silently does nothing.
  const Element& allow(std::initializer_list<std::string_view> attributes,
                       std::initializer_list<std::string_view> children) const;

  /// An attribute; it must be there and not be empty.
  std::string attribute(const char* name) const;
  std::optional<std::string> find_attribute(const char* name) const;

  /// The only child of that name.
  Element child(const char* name) const;
  std::optional<Element> find_child(const char* name) const;
  std::vector<Element> children(std::string_view name) const;
  std::vector<Element> children() const;

  /// The element's text without the white space around it; it must not be empty.
  std::string text() const;
  /// The same; empty where there is none.
  std::string raw_text() const;

  [[noreturn]] void fail(const std::string& found, const std::string& advice = {}) const;

 private:
  const XmlFile* file_;
  pugi::xml_node node_;
};

/// "a, b or c": for advice.
std::string one_of(const std::vector<std::string>& names);
std::string one_of(std::initializer_list<std::string_view> names);

}  // namespace orbweaver::sca
