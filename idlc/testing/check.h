#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "idlc/driver/compile.h"

/// Helpers for the compiler's tests.
namespace orbweaver::idl::testing {

/// Compiles `idl` and expects exactly the diagnostics that its comments name, each on the line of its
/// comment:
///
///   case 1: long b;  // expected-error: case label 1 already used
///   #pragma nonsense // expected-warning: unknown #pragma nonsense
///
/// Without such comments the text must compile without diagnostics.
void check(std::string_view idl, std::string_view where = "");

/// The compiled form of valid IDL; fails the test if `idl` has errors.
struct CompiledIdl {
  explicit CompiledIdl(std::string_view idl);
  Sources sources;
  Diagnostics diagnostics;
  CompileResult compiled;
  const ir::Unit& unit() const;
  /// The declaration with this scoped name ("M::S"); fails the test if there is none.
  const ir::Declaration& operator[](std::string_view scoped_name) const;
};

/// The value of the constant `c` in `idl`, written as the C++ back end writes it.
std::string constant(std::string_view idl);
/// The tokens of `text` after preprocessing, separated by blanks.
std::string preprocessed(std::string_view text, const PreprocessOptions& options = {});
/// The number of errors in `idl`.
std::size_t errors(std::string_view idl);
/// `text` repeated n times.
std::string times(std::size_t n, std::string_view text);

}  // namespace orbweaver::idl::testing
