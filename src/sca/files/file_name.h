#pragma once

#include <string>
#include <string_view>

namespace orbweaver::sca {

/// Which names a file system has. Names of other files of its folder are not listed and cannot be opened.
enum class FileNameRules {
  /// SCA 2.2.2, 3.1.3.4.2: letters, digits, ".", "_" and "-", at most 40 of them.
  standard,
  /// All printable characters of ASCII but "/", "*" and "?", at most 255 of them: for profiles and folders
  /// that
  /// were made for other frameworks.
  ascii,
};

/// Limit of characters of a path, under both rules (SCA 2.2.2, 3.1.3.4.2).
inline constexpr std::size_t kMaxPathLength = 1024;

/// A file name without its first "/": "dir/file", "" for the root.
struct FileName {
  std::string path;
  bool ends_with_slash = false;  ///< Only a directory can be meant.
  int error = 0;                 ///< An errno value if the name is invalid: EINVAL, ENAMETOOLONG.
  std::string message;           ///< What is invalid.
};

/// Reads a file name: absolute, parts separated by "/", none of them "." or "..". Several "/" count as one.
FileName parse_file_name(std::string_view name, FileNameRules rules);

/// As parse_file_name, of a pattern: the last part may contain "*" and "?". "*" matches any characters and
/// "?" one. A pattern that ends with "/" becomes one that matches all in that directory.
FileName parse_file_pattern(std::string_view pattern, FileNameRules rules);

/// Whether the name of a single file follows the rules.
bool is_valid_part(std::string_view part, FileNameRules rules) noexcept;

/// Whether the name of a file matches a pattern without "/". Takes at most the product of their lengths.
bool matches_pattern(std::string_view pattern, std::string_view name) noexcept;

/// The directory of a path, and its last part.
std::string folder_of(const std::string& path);
std::string last_part_of(const std::string& path);
/// "dir/file" of "dir" and "file"; "file" of "" and "file".
std::string joined(const std::string& folder, const std::string& name);

}  // namespace orbweaver::sca
