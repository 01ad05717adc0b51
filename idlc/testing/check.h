#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "idlc/driver/compile.h"

/// The vocabulary of the compiler's tests.
namespace orbweaver::idl::testing {

/// Compiles `idl` and expects exactly the diagnostics that its comments announce, each on its own line:
///
///   case 1: long b;  // expected-error: case label 1 already used
///   #pragma nonsense // expected-warning: means nothing here
///
/// Without such comments the text must be accepted without a word.
void check(std::string_view idl, std::string_view where = "");

/// Compiles text that must be right.
struct Accepted {
  explicit Accepted(std::string_view idl);
  Sources sources;
  Diagnostics diagnostics;
  Compiled compiled;
  const ir::Unit& unit() const;
  /// The declaration with this scoped name ("M::S"); fails the test if there is none.
  const ir::Declaration& operator[](std::string_view scoped_name) const;
};

/// The value of the constant `c` in `idl`, written as the C++ back end writes it.
std::string constant(std::string_view idl);
/// The tokens that the preprocessor leaves of `text`, one blank between them.
std::string preprocessed(std::string_view text, const PreprocessOptions& options = {});
/// How many errors a text has, without looking at them.
std::size_t errors(std::string_view idl);
/// `text` n times.
std::string times(std::size_t n, std::string_view text);

}  // namespace orbweaver::idl::testing
