#pragma once

#include <cstdint>

namespace orbweaver::idl {

/// A range of bytes in one source file. Plain data, valid only with the `Sources` that it refers to.
/// File 0 means no location (a built-in declaration, the command line).
struct Span {
  std::uint32_t file = 0;
  std::uint32_t offset = 0;
  std::uint32_t length = 0;

  bool known() const { return file != 0; }
  /// The position directly after the span, where a missing token is reported.
  Span after() const { return {file, offset + length, 1}; }
  bool operator==(const Span&) const = default;
};

}  // namespace orbweaver::idl
