#include <gtest/gtest.h>

#include "idlc/testing/check.h"

namespace orbweaver::idl::testing {
namespace {

TEST(IdlConstants, AreEvaluated) {
  EXPECT_EQ(constant("const long c = 1 + 2 * 3 - (4 - 5) % 2;"), "8");
  EXPECT_EQ(constant("const unsigned short c = 65535 + 1 - 1;"), "65535");
  EXPECT_EQ(constant("const long c = 1 << 20 >> 10 | 1;"), "1025");
  EXPECT_EQ(constant("const long c = 0xff & ~0x0f ^ 1;"), "241");
  EXPECT_EQ(constant("const long c = 010;"), "8");
  EXPECT_EQ(constant("const long a = 5; const long c = a * -a;"), "-25");
  EXPECT_EQ(constant("const double c = 1.5 * 2.0 + 1e0;"), "4.0");
}
TEST(IdlConstants, ComplementInTheConstantsType) {
  EXPECT_EQ(constant("const unsigned long c = ~0;"), "4294967295U");
  EXPECT_EQ(constant("const octet c = ~1;"), "254");
  EXPECT_EQ(constant("const long c = ~0;"), "-1");
}
TEST(IdlConstants, AcceptTheLimitsOfTheirTypes) {
  EXPECT_EQ(constant("const long long c = -9223372036854775808;"), "-9223372036854775807LL - 1");
  EXPECT_EQ(constant("const unsigned long long c = 18446744073709551615;"), "18446744073709551615ULL");
  EXPECT_EQ(constant("const long c = -2147483648;"), "-2147483647 - 1");
  EXPECT_EQ(constant("const int8 c = -128;"), "-128");
}
TEST(IdlConstants, RejectValuesOutOfRange) {
  check("const short c = 70000;           // expected-error: out of range for short\n");
  check("const unsigned long c = -1;      // expected-error: out of range for unsigned long\n");
  check("const long c = 0xFFFFFFFF;       // expected-error: out of range for long\n");
  check("const octet c = 256;             // expected-error: out of range for octet\n");
  check("const long long c = 9223372036854775808;       // expected-error: out of range\n");
  check("const unsigned long long c = 18446744073709551616; // expected-error: does not fit in 64 bits\n");
  check(
      "const long c = 0x7fffffffffffffff * 0x7fffffffffffffff; // expected-error: does not fit in 64 bits\n");
  check("const long c = 1 << 64;          // expected-error: a shift is by 0 to 63\n");
  check("const long c = 1 / 0;            // expected-error: division by zero\n");
  check("const float c = 1e39;            // expected-error: out of range for float\n");
  check("const string<3> c = \"abcd\";    // expected-error: its type allows 3\n");
}
TEST(IdlConstants, RejectLiteralsOfAnotherKind) {
  check("const long c = 1.5;     // expected-error: a floating-point number where an integer\n");
  check("const long c = \"x\";   // expected-error: a string where an integer\n");
  check("const octet c = 'a';    // expected-error: a character where an integer\n");
  check("const char c = \"a\";   // expected-error: a string where a character\n");
  check("const char c = 'ab';    // expected-error: one character only\n");
  check("const string c = L\"a\"; // expected-error: a wide literal where a string\n");
  check("const boolean c = 1;    // expected-error: TRUE or FALSE\n");
  check("const double c = 14;   // expected-error: an integer where a floating-point\n");
  check("const double c = 1.0 | 2.0; // expected-error: integers only\n");
  check("const long c = 08;      // expected-error: octal\n");
  check("const long c = 10L;     // expected-error: no suffix\n");
  check("const any c = 1;        // expected-error: cannot be of type any\n");
  check("struct S { long x; }; const S c = 1; // expected-error: cannot be of type S\n");
  check("enum E { a, b }; enum F { d }; const E c = d; // expected-error: not an enumerator of 'E'\n");
}
TEST(IdlConstants, AcceptEscapeSequences) {
  EXPECT_EQ(constant(R"(const char c = '\n';)"), R"('\n')");
  EXPECT_EQ(constant(R"(const char c = '\x41';)"), "'A'");
  EXPECT_EQ(constant(R"(const char c = '\101';)"), "'A'");
  EXPECT_EQ(constant(R"(const string c = "a\"b" "\x01" "2";)"), R"("a\"b\0012")");
  EXPECT_EQ(constant(R"(const wchar c = L'\u20AC';)"), R"(L'\U000020AC')");
  EXPECT_EQ(constant(R"(const wstring c = L"a\ud83d\ude00";)"), R"(L"a\U0001F600")");
  check(R"(const char c = '\q'; // expected-error: not an escape)"
        "\n");
  check(R"(const string c = "a\0b"; // expected-error: the character 0)"
        "\n");
}
TEST(IdlConstants, MayBeEnumeratorsAndOtherConstants) {
  EXPECT_EQ(constant("module M { enum E { a, b }; }; const M::E c = M::b;"), "::M::E::b");
  EXPECT_EQ(constant("const string a = \"x\"; const string c = a;"), "\"x\"");
  EXPECT_EQ(constant("typedef short T; const T c = 5;"), "5");
}

TEST(IdlUnions, RejectDuplicateLabels) {
  check(R"(union U switch (long) {
             case 1: long a;
             case 1: long b;  // expected-error: case label 1 already used
           };)");
  check(R"(union U switch (long) {
             default: long a;
             default: long b;  // expected-error: one default only
           };)");
}
TEST(IdlUnions, RejectAnUnreachableDefault) {
  check(
      "union U switch (boolean) { case TRUE: long a; case FALSE: long b;\n default: long d; }; // "
      "expected-error: never taken\n");
  CompiledIdl idl(
      "union U switch (boolean) { case TRUE: long a; }; union V switch (boolean) { case TRUE: long a; case "
      "FALSE: long b; };");
  EXPECT_TRUE(ir::as<ir::Union>(idl["U"]).has_implicit_default);
  EXPECT_FALSE(ir::as<ir::Union>(idl["V"]).has_implicit_default);
}
TEST(IdlUnions, RequireADiscreteDiscriminator) {
  check("union U switch (float) { case 1: long a; }; // expected-error: cannot switch on float\n");
  check("union U switch (string) { case 1: long a; }; // expected-error: cannot switch on string\n");
  check(
      "union U switch (char) { case 'a': long a; case '\\n': long b; }; union V switch (octet) { case 255: "
      "long a; };"
      "enum E { x, y }; union W switch (E) { case x: long a; }; union Z switch (unsigned long long) { case "
      "18446744073709551615: long a; };");
  check("union U switch (short) { case 70000: long a; }; // expected-error: out of range for short\n");
  check(
      "enum E { x, y }; union W switch (E) { case 1: long a; }; // expected-error: an enumerator of 'E' is "
      "needed\n");
}

TEST(IdlIds, FollowPrefixesAndScopes) {
  CompiledIdl idl(R"(
#pragma prefix "P1"
module M1 {
  interface I1 {};
#pragma prefix "P2"
  interface I2 {};
  module M2 {
    interface I3 {};
#pragma prefix ""
    interface I5 {};
  };
  interface I4 {};
#pragma version I4 2.3
#pragma ID I2 "LOCAL:my id"
};
interface Top {};
)");
  EXPECT_EQ(idl["M1::I1"].repository_id(), "IDL:P1/M1/I1:1.0");
  EXPECT_EQ(idl["M1::I2"].repository_id(), "LOCAL:my id");
  EXPECT_EQ(idl["M1::M2::I3"].repository_id(), "IDL:P2/M2/I3:1.0");
  EXPECT_EQ(idl["M1::M2::I5"].repository_id(), "IDL:I5:1.0");
  EXPECT_EQ(idl["M1::I4"].repository_id(), "IDL:P2/I4:2.3");
  EXPECT_EQ(idl["Top"].repository_id(), "IDL:P1/Top:1.0");
}
TEST(IdlIds, CanBeSetByTypeidAndTypeprefix) {
  CompiledIdl idl(
      "module M { interface I {}; interface J {}; typeid J \"IDL:x:3.1\"; typeprefix M \"acme.com\"; };");
  EXPECT_EQ(idl["M::I"].repository_id(), "IDL:acme.com/M/I:1.0");
  EXPECT_EQ(idl["M::J"].repository_id(), "IDL:x:3.1");
}
TEST(IdlIds, RejectASecondId) {
  check(
      "interface I {};\n#pragma ID I \"IDL:a:1.0\"\n#pragma ID I \"IDL:b:1.0\" // expected-error: already "
      "has the repository id\n");
}

TEST(IdlAnnotations, RestrictViewToPlainTypes) {
  check(
      "interface I { void f(@view in string a, @view in sequence<octet> b, @view in sequence<double, 8> d); "
      "};");
  check("struct P { short re, im; }; @view typedef sequence<P> Ps; interface I { void f(in Ps p); };");
  check(
      "struct P { octet a; double b; }; @view typedef sequence<P> Ps; // expected-error: cannot be seen in "
      "place\n");
  check("@view typedef sequence<string> T; // expected-error: cannot be seen in place\n");
  check("@view typedef long T; // expected-error: cannot be seen in place\n");
  check("interface I { void f(@view out string s); }; // expected-error: only an 'in' parameter\n");
  check("struct S { @view string s1; }; // expected-error: for 'in' parameters and typedefs\n");
  check(
      "@view typedef sequence<long> V; struct S { V v1; }; // expected-error: a view is for 'in' "
      "parameters\n");
  check(
      "@view typedef sequence<long> V; interface I { V f(); }; // expected-error: a view is for 'in' "
      "parameters\n");
}
TEST(IdlAnnotations, WarnOfUnknownAnnotations) {
  check("@key(TRUE) typedef long T; @nonsense typedef long U; // expected-warning: not known\n");
  check(
      "@annotation Mine { long value; }; @Mine(4) typedef long T; @Mine typedef long U; // expected-error: "
      "needs a value\n");
  check(
      "@annotation Mine { long value; }; @Mine(other = 4) typedef long T; // expected-error: no member "
      "'other'\n");
  check("struct S { @optional long x; }; // expected-warning: has no effect on GIOP messages\n");
  check("@bit_bound(8) bitmask B { @position(8) a }; // expected-error: beyond the 8 bits\n");
}

TEST(IdlConstants, LimitIntermediateResultsTo32Bits) {
  check("const unsigned long c = 4294967295 + 1 - 1; // expected-error: does not fit in 32 bits\n");
  check("const short c = (1 << 40) >> 39;            // expected-error: does not fit in 32 bits\n");
  check(
      "const unsigned long c = 3 - 5 + 2; const unsigned short d = 65535 + 1 - 1; const long e = 1 << 31 >> "
      "1;");
  check("const long long c = 4294967295 + 1; const unsigned long long d = (1 << 40) - 1;");
}

}  // namespace
}  // namespace orbweaver::idl::testing
