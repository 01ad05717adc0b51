#include <gtest/gtest.h>

#include "idlc/testing/check.h"

namespace orbweaver::idl::testing {
namespace {

TEST(IdlPreprocessor, ReplacesNames) { EXPECT_EQ(preprocessed("#define A 1\nA B A"), "1 B 1"); }
TEST(IdlPreprocessor, ExpandsMacrosWithArguments) {
  EXPECT_EQ(preprocessed("#define MIX(a, b) ((a) << (b) | (a))\nMIX(1, 2)"), "( ( 1 ) << ( 2 ) | ( 1 ) )");
  EXPECT_EQ(preprocessed("#define F(x) x\n#define G F\nG(F(G(3)))"), "3");
}
TEST(IdlPreprocessor, LeavesAFunctionMacroWithoutParenthesesAlone) {
  EXPECT_EQ(preprocessed("#define F(x) x\nF;"), "F ;");
}
TEST(IdlPreprocessor, DoesNotExpandAMacroWithinItself) {
  EXPECT_EQ(preprocessed("#define A A B\n#define B A\nA"), "A A");
  EXPECT_EQ(preprocessed("#define f(x) x f\nf(1)(2)"), "1 f ( 2 )");
}
TEST(IdlPreprocessor, PastesAndStringisesTokens) {
  EXPECT_EQ(preprocessed("#define CAT(a, b) a ## b\nCAT(S, 1) CAT(, x) CAT(x, )"), "S1 x x");
  EXPECT_EQ(preprocessed("#define STR(x) #x\nSTR(a \"b\"  c)"), R"("a \"b\" c")");
  EXPECT_EQ(preprocessed(
                "#define X 7\n#define CAT(a, b) a ## b\n#define XCAT(a, b) CAT(a, b)\nCAT(X, X) XCAT(X, X)"),
            "XX 77");
}
TEST(IdlPreprocessor, SupportsVariadicMacros) {
  EXPECT_EQ(preprocessed("#define V(a, ...) a(__VA_ARGS__)\nV(f, 1, 2) V(g)"), "f ( 1 , 2 ) g ( )");
}
TEST(IdlPreprocessor, ExpandsLineAndFile) {
  EXPECT_EQ(preprocessed("\n__LINE__ __FILE__"), "2 \"test.idl\"");
}
TEST(IdlPreprocessor, AcceptsDefinitionsFromTheCommandLine) {
  PreprocessOptions options;
  options.defines = {"A", "B=2", "F(x)=x x"};
  options.undefines = {"C"};
  EXPECT_EQ(preprocessed("A B F(3)", options), "1 2 3 3");
}

TEST(IdlPreprocessor, ChecksDefinitions) {
  check("#define F(x, x) x // expected-error: two parameters named 'x'\ntypedef long T;");
  check("#define F(x) #y    // expected-error: before a parameter of the macro\ntypedef long T;");
  check("#define F(x,) x    // expected-error: not a list of names\ntypedef long T;");
  check("#define A ##       // expected-error: needs an operand on both sides\ntypedef long T;");
  check("#define A #\ntypedef long T;");
}

TEST(IdlPreprocessor, KeepsOneBranchOfAConditional) {
  EXPECT_EQ(preprocessed("#if 0\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif\ne"), "b e");
  EXPECT_EQ(preprocessed("#ifdef A\na\n#else\nb\n#endif\n#ifndef A\nc\n#endif"), "b c");
  EXPECT_EQ(preprocessed("#if 0\n#if 1\na\n#else\nb\n#endif\n#else\nc\n#endif"), "c");
}
TEST(IdlPreprocessor, EvaluatesConditions) {
  for (const char* condition : {"1 + 2 * 3 == 7", "(1 << 4) == 16 && !0", "defined(A) && defined B",
                                "0x10 == 16 && 010 == 8", "1 ? 2 : 0", "!undefined_name", "-1 < 0",
                                "'a' == 97", "0 && 1/0 || 1", "A + B == 3", "10 % 4 == 2u"}) {
    EXPECT_EQ(preprocessed("#define A 1\n#define B 2\n#if " + std::string(condition) + "\nyes\n#endif"),
              "yes")
        << condition;
  }
}
TEST(IdlPreprocessor, ReportsBadDirectivesOnTheirLine) {
  check("#if 1/0 // expected-error: division by zero\n#endif\n");
  check("#if // expected-error: needs a condition\n#endif\n");
  check("#if (1 // expected-error: expected ')'\n#endif\n");
  check("#if 1 // expected-error: no #endif\nconst long a = 1;\n");
  check("#endif // expected-error: without an #if\n");
  check("#if 0\n#else\n#else // expected-error: after #else\n#endif\n");
  check("#define // expected-error: needs a name\n");
  check("#define F(1) x // expected-error: not a list of names\n");
  check("#unknown // expected-error: not a directive\n");
  check("#error this will not do // expected-error: this will not do\n");
  check("#include \"no/such.idl\" // expected-error: is not found\n");
  check("#include // expected-error: needs a file name\n");
  check("#define F(a) a\nF(1, 2) // expected-error: takes 1 arguments, not 2\n");
}
TEST(IdlPreprocessor, WarnsOfARedefinedMacro) {
  check("#define A 1\n#define A 1\n#define A 2 // expected-warning: defined again\n");
}
TEST(IdlPreprocessor, FollowsLineMarkers) {
  Sources sources;
  Diagnostics diagnostics;
  std::uint32_t file =
      sources.add("test.idl", "# 10 \"other.idl\"\nconst long a = b;\n#line 20\nconst long d = e;");
  compile(sources, file, {}, diagnostics);
  ASSERT_EQ(diagnostics.all().size(), 2u);
  EXPECT_EQ(sources.position(diagnostics.all()[0].where).path, "other.idl");
  EXPECT_EQ(sources.position(diagnostics.all()[0].where).line, 10u);
  EXPECT_EQ(sources.position(diagnostics.all()[1].where).line, 20u);
}
TEST(IdlPreprocessor, ReportsErrorsAtTheUseOfAMacro) {
  check("#define BAD oops\n\nconst long c = BAD; // expected-error: 'oops' is not declared\n");
}
TEST(IdlPreprocessor, ReportsInvalidTokensThatAMacroExpandsTo) {
  check("#define BAD $20\n\nconst long c = BAD; // expected-error: '$' means nothing in IDL here\n");
  check("#define BAD \"open\n\nconst string c = BAD; // expected-error: this string has no closing '\"'\n");
  check("#define BAD 'x\n\nconst char c = BAD; // expected-error: this character literal has no closing '\n");
  EXPECT_EQ(errors("#define UNUSED $20 'x\nconst long c = 1;\n"), 0u);
}

// Hostile text must cause an error, not a crash.
TEST(IdlPreprocessor, SurvivesAMillionOpenConditionals) {
  EXPECT_GT(errors(times(1'000'000, "#if 1\n")), 0u);
}
TEST(IdlPreprocessor, SurvivesAMillionParenthesesInACondition) {
  EXPECT_GT(errors("#if " + times(1'000'000, "(") + "\n#endif\n"), 0u);
}
TEST(IdlPreprocessor, SurvivesAMillionNestedMacroCalls) {
  EXPECT_GT(errors("#define F(x) x\n" + times(1'000'000, "F(")), 0u);
}
TEST(IdlPreprocessor, SurvivesMacrosThatDoubleEachOther) {
  std::string text = "#define A0 x\n";
  for (int i = 1; i < 60; ++i)
    text +=
        "#define A" + std::to_string(i) + " A" + std::to_string(i - 1) + " A" + std::to_string(i - 1) + "\n";
  EXPECT_GT(errors(text + "A59\n"), 0u);
}
TEST(IdlPreprocessor, SurvivesALongChainOfMacros) {
  std::string text = "#define A0 1\n";
  for (int i = 1; i < 20'000; ++i)
    text += "#define A" + std::to_string(i) + " A" + std::to_string(i - 1) + "\n";
  errors(text + "const long c = A19999;\n");
}
TEST(IdlPreprocessor, SurvivesLongTokens) {
  errors(times(1'000'000, "a"));
  errors("const string s = \"" + times(1'000'000, "a") + "\";");
  errors("\"" + times(1'000'000, "a"));
  errors("const long a = " + times(1'000'000, "9") + ";");
}

}  // namespace
}  // namespace orbweaver::idl::testing
