#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>

namespace orbweaver::sca {

/// Filters the output of the component processes before it is printed: remembers the line in which a
/// component reports its failure, suppresses consequences of an earlier failure, and counts repeated lines.
/// Not thread-safe.
class ComponentOutput {
 public:
  using Print = std::function<void(const std::string& line)>;

  explicit ComponentOutput(Print print) : print_(std::move(print)) {}

  /// Handles one line of process `process`, displayed under `name`: prints it or counts it for summary().
  /// Broken-connection lines are only counted. After failed(), a line is only counted if an earlier line
  /// differs from it at most in digits and quoted words.
  void line(std::size_t process, const std::string& name, const std::string& text);
  /// Marks the run as failed: later lines may be consequences of that failure.
  void failed() { failed_ = true; }

  /// The line in which a component of the process reported its failure ("component filter_1 failed: …");
  /// empty if there is none.
  std::string cause(std::size_t process) const;
  /// The counted but not printed lines, summarised in lines without a final newline; empty if there are none.
  std::string summary() const;

 private:
  Print print_;
  bool failed_ = false;
  std::map<std::size_t, std::string> causes_;
  std::set<std::string> printed_;  // line patterns
  std::size_t repeated_ = 0;
  std::size_t broken_ = 0;
  std::string first_broken_;
};

}  // namespace orbweaver::sca
