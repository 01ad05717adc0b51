// Compares the preprocessor with the C preprocessor: both must produce the same tokens for generated texts
// with many macros and conditionals. The texts do not use the features that it omits on purpose
// (docs/decisions/0003-write-our-own-idl-preprocessor.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "idlc/lex/lexer.h"
#include "idlc/preprocess/preprocess.h"
#include "idlc/source/render.h"

namespace {

using namespace orbweaver::idl;

constexpr int kTexts = 400;

/// Generates texts. Each text undefines its macros at its end.
class DirectiveMaker {
 public:
  std::string text(int number) {
    std::string out;
    for (std::size_t lines = 3 + below(8); lines > 0; --lines) out += line(0);
    for (const char* name : {"A", "B", "C", "D", "f", "g", "h", "v"})
      out += std::string("#undef ") + name + "\n";
    return out + "MARK " + std::to_string(number) + "\n";
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }
  std::string pick(std::initializer_list<const char*> from) { return *(from.begin() + below(from.size())); }

  std::string line(int depth) {
    switch (below(depth > 2 ? 5 : 8)) {
      case 0: return define();
      case 1: return "#undef " + pick({"A", "B", "C", "f", "g"}) + "\n";
      case 2:
      case 3:
      case 4: return tokens(below(9)) + pick({"\n", " // C A f(1)\n", " /* A\n B */ C\n", " \\\n A\n"});
      case 5: return define() + tokens(3) + "\n";
      default: return conditional(depth);
    }
  }

  std::string define() {
    switch (below(6)) {
      case 0:
      case 1: return redefined(pick({"A", "B", "C", "D"}), "", tokens(below(5)));
      case 2:
        return redefined("f", "(x)", pick({"x", "(x) + x", "#x", "x A x", "x ## 1", "a ## x", "[ x ]", ""}));
      case 3:
        return redefined("g", "(x, y)",
                         pick({"x y", "x ## y", "f(x) y", "#x #y", "y, x", "g(y, x)", "x(y)"}));
      case 4: return redefined("h", "()", tokens(below(4)));
      default:
        return redefined("v", "(x, ...)", pick({"x(__VA_ARGS__)", "#__VA_ARGS__", "x", "q(__VA_ARGS__) x"}));
    }
  }
  static std::string redefined(const std::string& name, const std::string& parameters, std::string body) {
    std::replace(body.begin(), body.end(), '\n', ' ');
    return "#undef " + name + "\n#define " + name + parameters + " " + body + "\n";
  }

  // An argument that can be pasted: a word or a number.
  std::string argument() { return pick({"A", "B", "x", "y", "7", "name", "C", "0x1F"}); }
  std::string tokens(std::size_t n) {
    std::string out;
    for (; n > 0; --n) {
      switch (below(12)) {
        case 0: out += "f(" + argument() + ") "; break;
        case 1: out += "g(" + argument() + "," + argument() + ") "; break;
        case 2:
          out += pick({"h() ", "h ( ) ", "f (x)", "f(\n x\n) ", "v(x, 1, 2) ", "v(f, B) ", "f(f(x)) "});
          break;
        case 3:
          out += pick({"\"A f(x)\" ", "'A' ", "L\"A\" ", "1.5e+3 ", "0x1fA ", "'\\'' ", "\"\\\"A\" "});
          break;
        case 4:
          out += pick({":: ", "<< ", ">> ", "{ ", "} ", "; ", "= ", "[ ", "] ", "< ", "> ", "* ", "-", "~ "});
          break;
        case 5: out += pick({"f ", "g ", "h ", "v "}); break;
        default: out += pick({"A ", "B ", "C ", "D ", "module ", "a ", "x ", "12 ", "A1 ", "long "});
      }
    }
    return out;
  }

  std::string condition(int depth = 0) {
    if (depth > 2) return pick({"0", "1", "A1", "3", "defined A", "defined(f)"});
    switch (below(6)) {
      case 0: return "(" + condition(depth + 1) + ")";
      case 1: return "!" + condition(3);
      case 2:
        return "(" + condition(depth + 1) + pick({" && ", " || ", " == ", " != ", " + ", " - "}) +
               condition(depth + 1) + ")";
      case 3:
        return "(" + condition(depth + 1) + pick({" < ", " >= ", " & ", " | ", " ^ ", " * "}) +
               condition(depth + 1) + " ? " + condition(depth + 1) + " : 2)";
      default: return condition(3);
    }
  }
  std::string conditional(int depth) {
    std::string out = pick({"#ifdef A\n", "#ifndef B\n", "# ifdef f // why\n", "#if "});
    if (out == "#if ") out += condition() + "\n";
    out += line(depth + 1);
    if (below(2) == 0) out += "#elif " + condition() + "\n" + line(depth + 1);
    if (below(2) == 0) out += "#else\n" + line(depth + 1);
    return out + "#endif\n";
  }

  std::mt19937 random_{20261121};
};

// The texts of the tokens between one MARK and the next.
std::vector<std::string> pieces(const std::vector<Token>& tokens) {
  std::vector<std::string> out(1);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind == TokenKind::end || tokens[i].kind >= TokenKind::pragma) continue;
    if (tokens[i].text == "MARK") {
      out.emplace_back();
      ++i;
    } else {
      out.back() += std::string(tokens[i].text) + ' ';
    }
  }
  return out;
}

TEST(IdlPreprocessorDifferential, AgreesWithCpp) {
  if (std::system("cpp --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "cpp is not installed";
  const auto folder =
      std::filesystem::temp_directory_path() / ("orbweaver_cpp_" + std::to_string(std::random_device{}()));
  std::filesystem::create_directories(folder);
  DirectiveMaker maker;
  std::vector<std::string> texts;
  std::string all;
  for (int i = 0; i < kTexts; ++i) all += texts.emplace_back(maker.text(i));
  const std::string in = (folder / "t.idl").string(), output = (folder / "t.out").string();
  std::ofstream(in) << all;
  const int status = std::system(
      ("cpp -x c++ -P -w -undef -nostdinc " + in + " > " + output + " 2> " + output + ".log").c_str());
  Sources sources;
  Diagnostics diagnostics;
  const auto theirs = sources.load(output);
  ASSERT_NE(theirs.file, nullptr);
  const std::vector<std::string> expected = pieces(lex(sources, theirs.id, diagnostics));
  const auto ours = sources.load(in);
  const std::vector<std::string> found = pieces(preprocess(sources, ours.id, {}, diagnostics).tokens);
  EXPECT_EQ(status, 0) << output << ".log";
  ASSERT_EQ(found.size(), expected.size()) << render_text(diagnostics, sources, false);
  int wrong = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (found[i] != expected[i] && ++wrong < 5) {
      ADD_FAILURE() << texts[i] << "\nours: " << found[i] << "\ncpp:  " << expected[i];
    }
  }
  EXPECT_EQ(wrong, 0) << "of " << texts.size();
  std::filesystem::remove_all(folder);
}

}  // namespace
