#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>

namespace orbweaver::sca {

/// What the processes of a run print, on its way to the user: finds the sentence in which a component says why it
/// failed, keeps back what follows from another one's failure, and counts repetitions. One thread.
class ComponentOutput {
 public:
  using Print = std::function<void(const std::string& line)>;

  explicit ComponentOutput(Print print) : print_(std::move(print)) {}

  /// A line of process `process`, which is shown under `name`. Printed, or counted for summary(): a connection that
  /// broke is counted always; after the first failure so is a line like one that was printed before, whatever its
  /// numbers and the words in quotation marks.
  void line(std::size_t process, const std::string& name, const std::string& text);
  /// The run has failed: what comes now may follow from it.
  void failed() { failed_ = true; }

  /// Why one of the process's components failed, in its own words ("component filter_1 failed: …"); empty where it
  /// has not said.
  std::string cause(std::size_t process) const;
  /// What was counted and not printed, as lines without the last end; empty where there is nothing.
  std::string summary() const;

 private:
  Print print_;
  bool failed_ = false;
  std::map<std::size_t, std::string> causes_;
  std::set<std::string> printed_;  // the shapes of lines
  std::size_t repeated_ = 0;
  std::size_t broken_ = 0;
  std::string first_broken_;
};

}  // namespace orbweaver::sca
