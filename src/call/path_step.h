#pragma once

#include <string>
#include <string_view>

namespace orbweaver::call {

/// Extends a path, such as "shape.points[3]", by a member or an element ("[3]") while it exists.
class PathStep {
 public:
  PathStep(std::string& path, std::string_view step) : path_(path), bytes_(path.size()) {
    if (!path_.empty() && step.substr(0, 1) != "[") path_ += '.';
    path_ += step;
  }
  ~PathStep() { path_.resize(bytes_); }
  PathStep(const PathStep&) = delete;
  PathStep& operator=(const PathStep&) = delete;

 private:
  std::string& path_;
  const std::size_t bytes_;
};

}  // namespace orbweaver::call
