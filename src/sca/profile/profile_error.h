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
/// Thrown within this layer only, for what makes a whole file unreadable, and for what `orbweaver run` does
/// not support. All other mistakes are collected as Findings.
struct ProfileError {
  ProfileError(const Location& at, std::string what, std::string what_to_do = {})
      : where(at), found(std::move(what)), advice(std::move(what_to_do)),
        message(where.text() + ": " + found + (advice.empty() ? "" : "; " + advice)) {}

  Error error() const { return {ErrorKind::invalid, message}; }

  Location where;
  std::string found, advice;
  std::string message;
};

}  // namespace orbweaver::sca
