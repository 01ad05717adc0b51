#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "idlc/lex/token.h"
#include "idlc/source/diagnostics.h"

namespace orbweaver::idl {

struct Macro {
  Token name;
  bool function_like = false;
  bool variadic = false;
  std::vector<std::string_view> parameters;  // of a variadic macro the last one is "__VA_ARGS__"
  std::vector<Token> body;
  std::vector<int> parameter_of;  // by token of the body: the index of the parameter that it names, or -1
  bool active = false;            // being expanded: its name within the expansion is not expanded again
};

/// The table of defined macros. Checks definitions by the rules of C++20 15.6.
class Macros {
 public:
  explicit Macros(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  /// Defines a macro; `line` has the tokens after `#define`.
  void define(const std::vector<Token>& line, Span directive);
  void undefine(std::string_view name) { macros_.erase(name); }
  bool contains(std::string_view name) const { return macros_.contains(name); }
  /// The macro that this token names and that is to be expanded; null if there is none.
  Macro* find(const Token& token);
  /// Whether `token` is a macro's name, __FILE__ or __LINE__.
  bool is_macro(const Token& token) const;

 private:
  bool check_name(const std::vector<Token>& line, Span directive);
  std::optional<std::size_t> read_parameters(const std::vector<Token>& line, Macro& macro);
  bool is_well_formed(const Macro& macro);

  Diagnostics& diagnostics_;
  std::map<std::string_view, std::unique_ptr<Macro>, std::less<>> macros_;
};

}  // namespace orbweaver::idl
