#include <gtest/gtest.h>

#include "idlc/testing/check.h"

namespace orbweaver::idl::testing {
namespace {

TEST(IdlParser, ReadsEveryKindOfDefinition) {
  check(R"(module M {
             exception E { long why; };
             interface Ahead2 {};
             interface Ahead;
             abstract interface Abs { void f(); };
             local interface Loc { void g(); };
             interface I : Ahead2 { attribute long a, b; readonly attribute string c raises (E);
                                    attribute short d getraises (E) setraises (E);
                                    oneway void f(in long x);
                                    long g(out short y, inout octet z) raises (E) context ("a", "b*"); };
             interface Ahead {};
             struct S { long a[2][3]; sequence<sequence<long, 2>, 3> b; string<4> c;
                        wstring<5> d; fixed<5, 2> e; };
             union U switch (long) { case 1: case 2: long x; default: S y; };
             enum E2 { one, two };
             typedef sequence<sequence<long>> Tight;
             const long k = (1 + 2) * 3;
             native Nat;
             valuetype V { public long p; private string q; factory make(in long n) raises (E); void op(); };
             abstract valuetype AV { void op(); };
             custom valuetype CV : V { };
             valuetype TV : truncatable V supports I { };
             valuetype Box sequence<long>;
             valuetype Fwd;
             valuetype Fwd { public Fwd next; };
             typeprefix M "x.org";
             typeid S "IDL:x.org/M/S:2.0";
             import ::M;
           };)");
}

TEST(IdlParser, LimitsTheLengthOfNames) {
  check("struct " + std::string(1024, 'a') + " { long x; }; typedef " + std::string(1024, 'a') + " T;");
  check("struct " + std::string(1025, 'a') + " {}; // expected-error: longer than 1024 characters\n");
  check("typedef long " + std::string(1025, 'a') + "; // expected-error: longer than 1024 characters\n");
}

TEST(IdlParser, ReadsTheConstructsOfIdl42) {
  check(R"(@annotation Mine { long value default 3; boolean flag default TRUE; };
           @bit_bound(8) bitmask Flags { @position(1) a, b };
           bitset Bits { bitfield<3> low; bitfield<1> flag; bitfield<4>; bitfield<10, short> wide; };
           struct Base { int8 a; uint8 b; int16 c; uint16 d; int32 e; uint32 f; int64 g; uint64 h; };
           struct Derived : Base { @Mine(value = 4, flag = FALSE) map<string, long> lookup;
                                   map<short, Base, 10> few; };
           union W switch (octet) { case 1: long x; };
           struct Nothing {};)");
}

TEST(IdlParser, AllowsKeywordsOfIdl42AsNames) {
  check(
      R"(typedef octet int8x;
           interface Port { void map(in long component, in string home, in short bitset); };
           struct S { long map; long bitmask; long import; long typeid; };)");
}

TEST(IdlParser, ReportsAMissingSemicolonAtItsPlace) {
  check(R"(struct S { long a; } // expected-error: expected ';' after the struct
           struct T { long b // expected-error: expected ';' after the member
           };
           const long c = 1; )");
}
TEST(IdlParser, RecoversWithoutFollowUpErrors) {
  check(R"(struct A { long 5; long ok; };  // expected-error: expected a name
           interface I {
             void f(long x);               // expected-error: expected 'in', 'out' or 'inout'
             void g(in A a_, in I me);
             strange;                      // expected-error: expected the name of the operation
           };
           struct B { A a_; I i_; };)");
}
TEST(IdlParser, SuggestsReplacements) {
  check("struct S { int x; };        // expected-error: IDL has no type 'int'\n");
  check("struct S { bool x; };       // expected-error: IDL has no type 'bool'\n");
  check("enum E { a = 1, b };        // expected-error: its value with an annotation\n");
  check("interface I { f(in long x); };  // expected-error: needs a type to return\n");
  check("void f();                   // expected-error: expected a definition\n");
  check("struct interface { long a; };   // expected-error: is a keyword\n");
  check("struct Struct { long a; };  // expected-error: differs only in case from the keyword\n");
  check("class C { };                // expected-error: IDL has no 'class'\n");
  check("struct S { long *p; };      // expected-error: no pointers\n");
  check("union U { long a; };        // expected-error: expected 'switch'\n");
  check("module M { };               // expected-error: holds no definition\n");
  check("struct S { unsigned char c; };  // expected-error: expected 'short' or 'long' after 'unsigned'\n");
  check("const boolean b = true;     // expected-error: in capitals\n");
}
TEST(IdlParser, AcceptsAnnotationsBeforeEachDeclarator) {
  CompiledIdl idl(
      "struct S { @unit(\"m\") long @key a, b, @key c[2]; }; typedef long A, @unit(\"s\") B[10];");
  const auto& s = ir::as<ir::Struct>(idl["S"]);
  EXPECT_EQ(s.fields[0].annotations.size(), 2u);
  EXPECT_EQ(s.fields[1].annotations.size(), 1u);
  EXPECT_EQ(s.fields[2].annotations.size(), 2u);
  EXPECT_EQ(idl["A"].annotations.size(), 0u);
  EXPECT_EQ(idl["B"].annotations.size(), 1u);
  check("typedef long A @key; // expected-error: precedes the declaration it applies to\n");
}
TEST(IdlParser, TerminatesOnAMisplacedAnnotation) {
  check(
      "union U switch (long) { @annotation A { long x; }; // expected-error: expected 'case' or 'default'\n"
      "  case 1: long y; };");
}
TEST(IdlParser, SuggestsIdlForForeignKeywords) {
  check("const float f = 1,5;                // expected-error: a constant has one value\n");
  check(
      "typedef struct { long x; } S;       // expected-error: the struct needs a name\n struct T { S s_; };");
  check("typedef enum { a, b } E, F;         // expected-error: the enum needs a name\n typedef long T;");
  check("struct S { std::string s_; };       // expected-error: no type 'std::string'\n");
  check("struct S { std::vector<long> v; };  // expected-error: no type 'vector<…>'\n");
  check("struct S { std::size_t n; };        // expected-error: no namespace 'std'\n");
  check("struct S { uint32_t n; };           // expected-error: no type 'uint32_t'\n");
  check("struct S { long long long x; };     // expected-error: no type 'long long long'\n");
  check("struct S { long int x; };           // expected-error: no word 'int' here\n");
  check("struct S { signed long x; };        // expected-error: no word 'signed'\n");
  check("struct S { long x = 5; };           // expected-error: gets no value where it is declared\n");
  check("typedef list<long> L;               // expected-error: no type 'list<…>'\n");
  check("enum class E { a };                 // expected-error: no 'enum class'\n");
  check("module A::B { typedef long T; };    // expected-error: one level at a time\n");
  check("interface I { static void f(); };   // expected-error: no word 'static' for operations\n");
  check("interface I { void f() throw (E); };  // expected-error: IDL says 'raises'\n");
  check("interface I { void f() const; };    // expected-error: never 'const'\n");
  check("interface I { void f() {} };        // expected-error: no body\n");
  check("interface I { void f() = 0; };      // expected-error: no body\n");
  check("interface I { void f(in long& x); };     // expected-error: no pointers\n");
  check("interface I { void f(in const long x); };  // expected-error: 'const' has no meaning here\n");
  check("interface I { void f(in long x = 5); };  // expected-error: no default\n");
}
TEST(IdlParser, AcceptsEscapedNames) {
  CompiledIdl idl("struct _struct { long _long; };");
  EXPECT_EQ(idl["struct"].name, "struct");
}
TEST(IdlParser, ReportsOpenAndStrayBraces) {
  check("module M {\n struct S { long a; }; // expected-error: expected '}'\n");
  check("struct S { long a; };\n}; // expected-error: unmatched '}'\nconst long c = 1;\n");
}
TEST(IdlParser, ReportsBytesThatAreNotIdl) {
  check("const long c = 1; \x01\x02\x03 // expected-error: valid only in comments and strings\n");
  check("const string s = \"abc; // expected-error: no closing\n");
  check("/* never closed // expected-error: never ends\n");
}

TEST(IdlParser, LimitsNesting) {
  EXPECT_EQ(errors("const long c = " + times(1'000'000, "(") + "1;"), 1u);
  EXPECT_EQ(errors("const long c = " + times(1'000'000, "-") + "1;"), 1u);
  EXPECT_EQ(errors("const long c = 1" + times(1'000'000, "+1") + ";"), 1u);
  EXPECT_EQ(errors("typedef " + times(1'000'000, "sequence<") + "long" + times(1'000'000, ">") + " T;"), 1u);
  std::string modules;
  for (int i = 0; i < 100'000; ++i) modules += "module M" + std::to_string(i) + " { ";
  EXPECT_EQ(errors(modules), 1u);
  EXPECT_GE(errors(times(1'000'000, "module M { ")), 1u);
  EXPECT_EQ(errors(times(100'000, "struct S { ")), 1u);
  EXPECT_EQ(errors("typedef " + times(1'000'000, "map<long, ") + "long" + times(1'000'000, ">") + " T;"), 1u);
  EXPECT_GE(errors("module M<" + times(1'000'000, "sequence<") + "long"), 1u);
  EXPECT_EQ(errors(times(1'000'000, "module M<typename T> { ")), 1u);
  EXPECT_GE(errors(times(1'000'000, "}")), 1u);
  EXPECT_GE(errors(times(1'000'000, "@a(")), 1u);
  EXPECT_GE(errors("const long a = " + times(1'000'000, "::a") + ";"), 1u);
  EXPECT_GE(errors("typedef long a" + times(1'000'000, "[2]") + ";"), 1u);
}
TEST(IdlParser, AcceptsReasonableNesting) {
  std::string modules;
  for (int i = 0; i < 50; ++i) modules += "module M" + std::to_string(i) + " { ";
  EXPECT_EQ(
      errors(modules + "const long c = " + times(100, "(") + "1" + times(100, ")") + ";" + times(50, "};")),
      0u);
}

}  // namespace
}  // namespace orbweaver::idl::testing
