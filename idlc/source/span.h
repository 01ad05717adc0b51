#pragma once

#include <cstdint>

namespace orbweaver::idl {

/// A stretch of one source file, in bytes. Plain data, meaningful only with the `Sources` that made it.
/// File 0 is nowhere (a built-in, the command line).
struct Span {
  std::uint32_t file = 0;
  std::uint32_t offset = 0;
  std::uint32_t length = 0;

  bool known() const { return file != 0; }
  /// The empty place just behind: where a missing token should have stood.
  Span after() const { return {file, offset + length, 1}; }
  bool operator==(const Span&) const = default;
};

}  // namespace orbweaver::idl
