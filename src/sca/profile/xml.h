#pragma once

#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sca/profile/profile_error.h"
#include "sca/profile/profile_kind.h"

namespace orbweaver::sca {

class Element;

/// The XML file of a profile, read completely and checked (xml_prescan.h) before it is parsed. No other file
/// is ever read: a DTD that the file names is not fetched. Immutable after construction; neither copyable nor
/// movable, because elements point into it.
class XmlFile {
 public:
  /// Throws ProfileError if the file does not exist, is not a regular file, is larger than kMaxProfileBytes,
  /// is not well-formed, or its outermost element is not that of a profile. Its other elements are not
  /// checked (validate.h).
  explicit XmlFile(const std::string& path);
  /// Reads `text` as the contents of `path`.
  XmlFile(const std::string& path, std::string_view text);
  XmlFile(const XmlFile&) = delete;
  XmlFile& operator=(const XmlFile&) = delete;

  Element root() const;
  ProfileKind kind() const { return kind_; }
  /// Line and column of a byte offset.
  Location at(std::size_t offset) const;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::vector<std::size_t> lines_;  // offset of each line's first byte
  ProfileKind kind_ = ProfileKind::assembly;
  pugi::xml_document document_;
};

/// An element of an XmlFile, which must outlive it.
class Element {
 public:
  Element(const XmlFile& file, pugi::xml_node node) : file_(&file), node_(node) {}

  std::string_view name() const { return node_.name(); }
  /// Location of the element's start tag.
  Location where() const;

  /// Returns the value of an attribute, or its default in the DTD; nullopt if there is neither.
  std::optional<std::string> find_attribute(const char* name) const;
  /// The same; empty if there is neither.
  std::string attribute(const char* name) const { return find_attribute(name).value_or(""); }

  /// Returns the first child of that name.
  std::optional<Element> find_child(const char* name) const;
  std::vector<Element> children(std::string_view name) const;
  std::vector<Element> children() const;

  /// Returns the element's text without surrounding white space; may be empty.
  std::string text() const;
  const XmlFile& file() const { return *file_; }
  pugi::xml_node node() const { return node_; }

  /// Throws ProfileError at the element's location.
  [[noreturn]] void fail(const std::string& found, const std::string& advice = {}) const;

 private:
  const XmlFile* file_;
  pugi::xml_node node_;
};

/// Joins names for messages: "a, b or c".
std::string one_of(const std::vector<std::string>& names);
std::string one_of(const std::vector<std::string_view>& names);
/// The same for a long list, of which only the first are named: "a, b, c or 40 others".
std::string some_of(const std::vector<std::string>& names);

}  // namespace orbweaver::sca
