#include "idlc/testing/check.h"

#include <gtest/gtest.h>

#include <map>

#include "idlc/cpp/names.h"
#include "idlc/source/render.h"

namespace orbweaver::idl::testing {
namespace {

// The diagnostics that the comments of each line expect.
std::multimap<std::uint32_t, std::pair<Severity, std::string>> announced(std::string_view idl) {
  std::multimap<std::uint32_t, std::pair<Severity, std::string>> out;
  std::uint32_t line = 1;
  while (!idl.empty()) {
    std::size_t end = std::min(idl.find('\n'), idl.size());
    std::string_view text = idl.substr(0, end);
    for (auto [mark, severity] : {std::pair("// expected-error: ", Severity::error),
                                  std::pair("// expected-warning: ", Severity::warning)}) {
      std::size_t at = text.find(mark);
      if (at != std::string_view::npos)
        out.emplace(line, std::pair(severity, std::string(text.substr(at + std::string_view(mark).size()))));
    }
    idl.remove_prefix(std::min(end + 1, idl.size()));
    ++line;
  }
  return out;
}

}  // namespace

void check(std::string_view idl, std::string_view where) {
  SCOPED_TRACE(std::string(where));
  Sources sources;
  Diagnostics diagnostics;
  std::uint32_t file = sources.add("test.idl", std::string(idl));
  compile(sources, file, {}, diagnostics);
  auto expected = announced(idl);
  std::string all = render_text(diagnostics, sources, false);
  for (const Diagnostic& each : diagnostics.all()) {
    std::uint32_t line = each.where.known() ? sources.position(each.where).line : 0;
    auto [begin, end] = expected.equal_range(line);
    auto match = begin;
    while (match != end && (match->second.first != each.severity ||
                            each.message.find(match->second.second) == std::string::npos))
      ++match;
    if (match == end)
      ADD_FAILURE() << "not expected, line " << line << ": " << each.message << "\n" << all;
    else
      expected.erase(match);
  }
  for (const auto& [line, what] : expected)
    ADD_FAILURE() << "expected, line " << line << ": " << what.second << "\n" << all;
}

CompiledIdl::CompiledIdl(std::string_view idl) {
  std::uint32_t file = sources.add("test.idl", std::string(idl));
  compiled = compile(sources, file, {}, diagnostics);
  EXPECT_TRUE(diagnostics.ok()) << render_text(diagnostics, sources, false);
}

const ir::Unit& CompiledIdl::unit() const { return *compiled.unit; }

const ir::Declaration& CompiledIdl::operator[](std::string_view scoped_name) const {
  if (compiled.unit) {
    for (const auto& each : compiled.unit->declarations) {
      if (ir::scoped_name(each.get()).substr(2) == scoped_name && each->span.known()) return *each;
    }
  }
  ADD_FAILURE() << "there is no " << scoped_name;
  static const ir::Module kNone;
  return kNone;
}

std::string constant(std::string_view idl) {
  CompiledIdl accepted(idl);
  if (!accepted.compiled.unit) return "";
  const auto& c = ir::as<ir::Constant>(accepted["c"]);
  return c.type ? cpp::literal(c.value, *c.type) : "";
}

std::string preprocessed(std::string_view text, const PreprocessOptions& options) {
  Sources sources;
  Diagnostics diagnostics;
  std::uint32_t file = sources.add("test.idl", std::string(text));
  TranslationUnit unit = preprocess(sources, file, options, diagnostics);
  EXPECT_TRUE(diagnostics.ok()) << render_text(diagnostics, sources, false);
  std::string out;
  for (const Token& token : unit.tokens) {
    if (token.kind == TokenKind::end || token.kind >= TokenKind::file_enter) continue;
    out += (out.empty() ? "" : " ") + std::string(token.kind == TokenKind::pragma ? "#pragma " : "") +
           std::string(token.text);
  }
  return out;
}

std::size_t errors(std::string_view idl) {
  Sources sources;
  Diagnostics diagnostics;
  std::uint32_t file = sources.add("test.idl", std::string(idl));
  compile(sources, file, {}, diagnostics);
  render_text(diagnostics, sources, true);
  render_json(diagnostics, sources);
  return diagnostics.error_count();
}

std::string times(std::size_t n, std::string_view text) {
  std::string out;
  out.reserve(n * text.size());
  while (n-- > 0) out += text;
  return out;
}

}  // namespace orbweaver::idl::testing
