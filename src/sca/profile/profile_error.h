#pragma once

#include <orbweaver/result.h>

#include <cstddef>
#include <string>
#include <utility>

namespace orbweaver::sca {

/// A place in a file as editors display it: lines and columns count from 1, columns in bytes. Line 0 means
/// the whole file.
struct Location {
  std::string file;
  std::size_t line = 0;
  std::size_t column = 0;

  std::string text() const {
    return line == 0 ? file : file + ":" + std::to_string(line) + ":" + std::to_string(column);
  }
};

/// An error in a profile: "file:line:column: problem; advice". Its kind is always ErrorKind::invalid.
///
/// Thrown within this layer only: a profile is read by a dozen small functions that call each other, any of
/// which may find an error. load_assembly() converts it to a Result.
struct ProfileError {
  ProfileError(const Location& where, const std::string& found, const std::string& advice = {})
      : message(where.text() + ": " + found + (advice.empty() ? "" : "; " + advice)) {}

  Error error() const { return {ErrorKind::invalid, message}; }

  std::string message;
};

}  // namespace orbweaver::sca
