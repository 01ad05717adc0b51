// Compiles two or three definitions of the same name, in all combinations of kinds: the compiler must
// terminate normally, whether or not it accepts them.
#include <gtest/gtest.h>

#include "idlc/testing/check.h"

namespace orbweaver::idl::testing {
namespace {

// Definitions of M, one of each kind. T is a template module with one definition in it, U one whose
// parameters have the names of its definitions.
constexpr std::string_view kDefinitions[] = {
    "module M { typedef long x; };",
    "module M<typename Elem> { typedef Elem y; };",
    "module T<long> M;",
    "module T<Missing> M;",
    "module T<long, long> M;",
    "module N<long> M;",
    "module Missing<long> M;",
    "module ::T<long> M;",
    "interface M;",
    "interface M { void f(); };",
    "local interface M { void g(); };",
    "struct M;",
    "struct M { long x; };",
    "union M;",
    "union M switch (long) { case 1: long x; };",
    "enum M { a };",
    "enum E { M };",
    "bitmask M { b };",
    "bitset M { bitfield<3> x; };",
    "typedef long M;",
    "const long M = 1;",
    "native M;",
    "exception M { long x; };",
    "valuetype M;",
    "valuetype M { public long x; };",
    "valuetype M long;",
    "eventtype M { public long x; };",
    "component M;",
    "component M { attribute long a; };",
    "connector M { attribute long a; };",
    "porttype M { provides I to; };",
    "home M manages C { };",
    "@annotation M { long value; };",
    "import ::M;",
    "typeprefix M \"x.org\";",
    "typeid M \"IDL:M:1.0\";",
};
constexpr std::string_view kBefore =
    "module T<typename Elem> { typedef Elem x; }; module N<typename Elem> { alias T<Elem> M; typedef M::x z; "
    "};"
    "interface I { void f(); }; component C { provides I p; };";

std::string text_of(std::initializer_list<std::string_view> definitions, bool within) {
  std::string out(kBefore);
  if (within) out += "module Outer {";
  for (std::string_view each : definitions) out += std::string(each) + "\n";
  return out + (within ? "typedef M use; };" : "typedef M use;");
}

TEST(IdlCollisions, AreHandledForAnyTwoDefinitions) {
  for (std::string_view one : kDefinitions) {
    for (std::string_view other : kDefinitions) {
      errors(text_of({one, other}, false));
      errors(text_of({one, other}, true));
    }
  }
}

TEST(IdlCollisions, AreHandledForAModuleBetweenTwoDefinitions) {
  for (std::string_view one : kDefinitions) {
    for (std::string_view other : kDefinitions) {
      errors(text_of({one, other, "module M { typedef x w; };"}, false));
      errors(text_of({one, "module M { typedef long w; };", other}, false));
    }
  }
}

TEST(IdlCollisions, AreReportedOnceForATemplateInstance) {
  check(
      "module T<long> M; // expected-error: 'T' is not declared\n"
      "module M { typedef long x; }; typedef M::x y; typedef M::z w;");
}

TEST(IdlTemplates, CanBeReopenedWithOuterNames) {
  check(
      "module T<typename Elem> { typedef Elem x; }; module T<long> M;\n"
      "module M { typedef x y; };\n"
      "module M { typedef Elem z; }; // expected-error: 'Elem' is not declared\n");
}

TEST(IdlTemplates, LimitNestingDepth) {
  std::string text = "module T0<typename Elem> { typedef Elem x; };\n";
  for (int i = 1; i <= 5000; ++i) {
    const std::string n = std::to_string(i);
    text += "module T" + n + "<typename Elem> { module T" + std::to_string(i - 1) + "<Elem> A" + n + "; };\n";
  }
  EXPECT_EQ(errors(text + "module T100<long> Fine;"), 0u);
  EXPECT_EQ(errors(text + "module T5000<long> Deep;"), 1u);
}

// Interfaces that each inherit the two before it: the number of inheritance paths to the first exceeds 32
// bits.
std::string both_of_two(int levels) {
  std::string out = "interface a0 { void f(); };\ninterface b0 { void g(); };\n";
  for (int i = 1; i <= levels; ++i) {
    const std::string bases = " : a" + std::to_string(i - 1) + ", b" + std::to_string(i - 1);
    out += "interface a" + std::to_string(i) + bases + " { void h" + std::to_string(i) + "(); };\n";
    out += "interface b" + std::to_string(i) + bases + " {};\n";
  }
  return out;
}
TEST(IdlCollisions, AreNotReportedForBasesInheritedAlongManyPaths) {
  check(both_of_two(50) + "interface c : a50 {};\ninterface d : a50, c {};\ninterface e : c, a50 {};\n");
}
TEST(IdlCollisions, AreReportedBesideBasesInheritedAlongManyPaths) {
  check(both_of_two(50) +
        "interface x { void H1(); };\ninterface c : x {};\n"
        "interface d : a50, c {}; // expected-error: inherits two operations or attributes named\n"
        "interface e : c, b50 {}; // expected-error: inherits two operations or attributes named\n");
}

}  // namespace
}  // namespace orbweaver::idl::testing
