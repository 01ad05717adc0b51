#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "base/result.h"

namespace orbweaver::sca {

/// A place in a file, as editors show it: lines and columns count from 1, columns in bytes.
/// Line 0 means the file as a whole.
struct Location {
  std::string file;
  std::size_t line = 0;
  std::size_t column = 0;

  std::string text() const {
    return line == 0 ? file : file + ":" + std::to_string(line) + ":" + std::to_string(column);
  }
};

/// What is wrong with a profile: "file:line:column: found; what to do". Always Remedy::mend.
///
/// Thrown inside this room only. A profile is read by a dozen small functions that call each other, and
/// any of them may meet the first mistake; load_assembly() turns it into a Result at the room's edge.
struct ProfileError {
  ProfileError(const Location& where, const std::string& found, const std::string& advice = {})
      : message(where.text() + ": " + found + (advice.empty() ? "" : "; " + advice)) {}

  Error error() const { return {Remedy::mend, message}; }

  std::string message;
};

}  // namespace orbweaver::sca
