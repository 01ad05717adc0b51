#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "sca/profile/profile_error.h"

namespace orbweaver::sca {

/// The mistakes and warnings found in a set of profiles. A mistake makes a profile invalid; a warning names
/// something valid that has no effect here, or probably not the intended one. The lines of the findings are
/// printable: control characters that a profile contains are escaped (printable()).
class Findings {
 public:
  enum class Severity { mistake, warning };
  struct Finding {
    Severity severity = Severity::mistake;
    std::size_t line = 0, column = 0;  ///< As in Location; 0: the whole file.
    std::string text;                  ///< What was found, and what to do.
  };
  /// The findings of one file.
  struct File {
    std::string path;
    std::vector<Finding> list;  ///< At most kMaxStored of them.
    std::size_t mistakes = 0, warnings = 0;
  };
  /// Limit of the findings stored for a file; the others are counted. Bounds memory for a file that is
  /// something else altogether.
  static constexpr std::size_t kMaxStored = 1000;

  /// Adds a file, whose findings are printed after those of the files added before. No effect if it is there.
  void add_file(const std::string& path) { file(path); }
  void mistake(const Location& where, const std::string& found, const std::string& advice = {});
  /// A mistake: a property that is referred to has no definition.
  void undefined_property(const Location& where, const std::string& found, const std::string& advice) {
    ++undefined_properties_;
    mistake(where, found, advice);
  }
  void warn(const Location& where, const std::string& found, const std::string& advice = {});
  /// Whether a further finding of this file would be stored: otherwise its text is not needed.
  bool stores(const std::string& path) { return file(path).list.size() < kMaxStored; }

  std::size_t mistakes() const { return mistakes_; }
  std::size_t warnings() const { return warnings_; }
  /// Mistakes of undefined_property(), which are counted by mistakes(), too.
  std::size_t undefined_properties() const { return undefined_properties_; }
  /// The findings in the order of files and positions, one a line: "FILE:LINE:COLUMN: [warning: ]TEXT". At
  /// most `max_per_file` mistakes and as many warnings of each file; a line with the count of the others
  /// follows.
  std::string text(std::size_t max_per_file, bool with_warnings = true) const;
  /// The first mistake, as in text(). There must be one.
  std::string first_mistake() const;
  /// The warnings in order, one an element: "FILE:LINE:COLUMN: TEXT".
  std::vector<std::string> warning_lines() const;

 private:
  File& file(const std::string& path);
  void add(Severity severity, const Location& where, const std::string& found, const std::string& advice);
  /// The files with their findings sorted by position.
  std::vector<File> sorted() const;

  std::vector<File> files_;
  std::map<std::string, std::size_t, std::less<>> index_;  // into files_, by path
  std::size_t last_ = 0;                                   // the file that was used last
  std::size_t mistakes_ = 0, warnings_ = 0, undefined_properties_ = 0;
};

}  // namespace orbweaver::sca
