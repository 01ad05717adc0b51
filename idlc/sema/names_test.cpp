#include <gtest/gtest.h>

#include "idlc/testing/check.h"

namespace orbweaver::idl::testing {
namespace {

TEST(IdlNames, RequireDeclarationBeforeUse) {
  check("struct S { T t1; };  // expected-error: 'T' is not declared\n typedef long T;");
  check("const long c = M::x; // expected-error: 'M' is not declared\n");
  check("module M { const long x = 1; };\n const long c = M::y; // expected-error: 'M' has no 'y'\n");
}
TEST(IdlNames, ReportAnUndeclaredNameOnce) {
  check("struct S { Missing a; // expected-error: 'Missing' is not declared\n Missing b; Missing c; };");
}
TEST(IdlNames, SuggestNearbySpellings) {
  Sources sources;
  Diagnostics diagnostics;
  compile(sources, sources.add("t.idl", "typedef long Sample; struct S { Sampel s1; };"), {}, diagnostics);
  ASSERT_EQ(diagnostics.all().size(), 1u);
  EXPECT_EQ(diagnostics.all()[0].suggestion, "did you mean 'Sample'?");
}
TEST(IdlNames, SuggestKeywordsAnnotationsAndPragmas) {
  auto suggestion_for = [](const char* idl) {
    Sources sources;
    Diagnostics diagnostics;
    compile(sources, sources.add("t.idl", idl), {}, diagnostics);
    EXPECT_EQ(diagnostics.all().size(), 1u) << idl;
    return diagnostics.all().empty() ? "" : diagnostics.all()[0].suggestion;
  };
  EXPECT_EQ(suggestion_for("struct S { stirng s1; };"), "did you mean 'string'?");
  EXPECT_EQ(suggestion_for("intreface I { };"), "did you mean 'interface'?");
  EXPECT_EQ(suggestion_for("struct S { unsinged long x; };"), "did you mean 'unsigned'?");
  EXPECT_EQ(suggestion_for("interface I { onewya void f(); };"), "did you mean 'oneway'?");
  EXPECT_EQ(suggestion_for("interface I { readnoly attribute long a; };"), "did you mean 'readonly'?");
  EXPECT_EQ(suggestion_for("struct S { @optoinal long x; };"), "did you mean '@optional'?");
  EXPECT_EQ(suggestion_for("module M { enum Status { ok }; struct S { Status status; }; };"),
            "choose another name, or write '::M::Status' where it is used");
  const std::string name_it = "name it with a typedef and use that name";
  EXPECT_EQ(suggestion_for("interface I { void f(in sequence<long> x); };"),
            name_it + ", or write '@view' before the parameter");
  EXPECT_EQ(suggestion_for("interface I { void f(in sequence<string> x); };"), name_it);
  EXPECT_EQ(suggestion_for("interface I { void f(out sequence<long> x); };"), name_it);
  EXPECT_EQ(suggestion_for("#pragma prefx \"x\"\ntypedef long T;"), "did you mean '#pragma prefix'?");
  EXPECT_EQ(suggestion_for("module Radio { typedef long T; }; typedef Raido::T U;"), "did you mean 'Radio'?");
  EXPECT_EQ(suggestion_for("module M { typedef long Sample; }; typedef M::Sampel U;"),
            "did you mean 'Sample'?");
}
TEST(IdlNames, DoNotSuggestKeywordsForCapitalisedNames) {
  for (const char* idl :
       {"struct S { Name x; };", "struct S { name x; };", "struct S { Name string; };", "Name x;",
        "interface I { void f(in Cast a); };", "struct S { Date day; };", "typedef Fload T;"}) {
    Sources sources;
    Diagnostics diagnostics;
    compile(sources, sources.add("t.idl", idl), {}, diagnostics);
    ASSERT_FALSE(diagnostics.all().empty()) << idl;
    for (const Diagnostic& each : diagnostics.all())
      EXPECT_EQ(each.suggestion.find("did you mean"), std::string::npos) << idl << ": " << each.suggestion;
  }
}
TEST(IdlSemicolons, AreReportedAfterThePrecedingToken) {
  const auto place = [](const char* idl) {
    Sources sources;
    Diagnostics diagnostics;
    compile(sources, sources.add("t.idl", idl), {}, diagnostics);
    EXPECT_EQ(diagnostics.error_count(), 1u) << idl;
    for (const Diagnostic& each : diagnostics.all()) {
      if (each.severity == Severity::error) return each.where.offset;
    }
    return 0u;
  };
  EXPECT_EQ(place("typedef long T // why\n\ntypedef long U;"), 14u);
  EXPECT_EQ(place("typedef long T   5;"), 14u);
  EXPECT_EQ(place("struct S { long a long b; };"), 17u);
  EXPECT_EQ(place("interface A\ninterface B {};"), 11u);
  EXPECT_EQ(place("struct S\nstruct T { long x; }; struct S { long x; };"), 8u);
  EXPECT_EQ(place("interface I { void f()\n void g(); };"), 22u);
}
TEST(IdlBitmasks, ScopeTheirFlags) {
  check("bitmask A { one, two }; bitmask B { two, three };");
  check("bitmask A { one,\n one }; // expected-error: already declared\n");
  check("@bit_bound(33) enum E { a }; // expected-error: an enum has 1 to 32 bits\n");
  check("@bit_bound(-1) bitmask B { a }; // expected-error: a bitmask has 1 to 64 bits\n");
}
TEST(IdlTypePrefix, WarnsOfAMissingSemicolon) {
  check(
      "module M { typedef long T; };\ntypeprefix M \"x.org\" // expected-warning: expected ';'\ntypedef long "
      "U;");
  EXPECT_EQ(errors("module M { typedef long T; }; typeprefix M \"x.org\" typedef long U;"), 1u);
}
TEST(IdlPragmaPrefix, WarnsOfASemicolon) {
  check("#pragma prefix \"x.org\"; // expected-warning: not with ';'\n typedef long T;");
  EXPECT_EQ(errors("#pragma prefix \"x.org\" y\n typedef long T;"), 1u);
}
TEST(IdlPragmas, RequireQuotes) {
  check("interface I {};\n#pragma ID I IDL:x:1.0 // expected-error: as a string\n");
  check("#pragma prefix \"x.org // expected-error: no closing\ntypedef long T;");
}
TEST(IdlOperations, AcceptContexts) {
  check("interface I { void f() context (\"a\", \"b.c_2*\"); };");
  check("interface I { void f() context (\"a b\"); }; // expected-error: a context is a name\n");
  check("interface I { void f() context (\"a*b\"); }; // expected-error: a context is a name\n");
  check("interface I { void f() context (\"*\"); };   // expected-error: a context is a name\n");
}
TEST(IdlEventTypes, AreValueTypes) {
  check(R"(eventtype Ahead; abstract eventtype Any_ { void f(); };
           eventtype Base { public long x; factory make(in long x); };
           eventtype Ahead : truncatable Base supports I_ { private string s; };)"
        "  // expected-error: 'I_' is not declared\n");
  check("typedef long eventtype; struct S { eventtype e1; };");
  EXPECT_GE(errors("eventtype Box long;"), 1u);
}
TEST(IdlNames, AreLookedUpFromInnerToOuterScopes) {
  check(R"(typedef long T; module M { typedef short T; module N { struct S { T a; ::T b; M::T c; }; }; };)");
}
TEST(IdlNames, CollideIgnoringCase) {
  check(
      "struct Foo { long x; };\n struct FOO { long x; }; // expected-error: differs only in case from "
      "'Foo'\n");
  check(
      "typedef long Foo;\n struct S { foo x; };      // expected-error: is spelled 'Foo' where it is "
      "declared\n");
}
TEST(IdlNames, RejectRedefinitionInAScope) {
  check("typedef long T;\n typedef short T; // expected-error: already declared\n");
  check(
      "module A { typedef long T; };\n module A { typedef short T; }; // expected-error: already declared\n");
  check("struct S { long a;\n short a; }; // expected-error: already declared\n");
  check("enum E { a, b };\n enum F { c,\n a }; // expected-error: already declared\n");
  check("interface I { void f();\n void f(in long x); }; // expected-error: already declared\n");
  check("interface I { void f(in long a,\n in long a); }; // expected-error: already declared\n");
}
TEST(IdlNames, RejectTheNameOfTheEnclosingScope) {
  check("module M { typedef long M; }; // expected-error: name of the scope around it\n");
  check("interface I { void I(); };    // expected-error: name of the scope around it\n");
  check("struct S { long S; };         // expected-error: name of the scope around it\n");
}
TEST(IdlNames, RejectRedefinitionAfterUse) {
  check(
      "typedef long T; interface I { void f(in T x);\n typedef short T; }; // expected-error: used in this "
      "scope before\n");
  check("typedef long Foo; struct S { Foo Foo; }; // expected-error: used in this scope before\n");
  check(
      "enum Foo { a }; struct S { Foo foo; }; // expected-error: 'foo' differs only in case from 'Foo', "
      "which\n");
  check("typedef long T; module M { struct S { T x; }; typedef short T; };");
  check("typedef long T; module M { typedef T T; }; // expected-error: used in this scope before\n");
}
TEST(IdlNames, AllowReopenedModules) {
  check("module M { typedef long A; }; module M { typedef A B; }; typedef M::B C;");
}
TEST(IdlNames, AreInheritedByInterfaces) {
  check(
      "interface A { typedef long T; const long k = 3; }; interface B : A { void f(in T x); typedef long "
      "U[k]; };");
  check(
      "interface A { typedef long T; }; interface B { typedef short T; }; interface C : A, B {\n"
      "  void f(in T x); }; // expected-error: inherited from two interfaces\n");
  check(
      "interface A { typedef long T; }; interface B : A {}; interface C : A {}; interface D : B, C { void "
      "f(in T x); };");
  check("interface A { typedef long T; }; interface B : A { typedef short T; void f(in T x); };");
}

TEST(IdlInterfaces, RequireDefinedBaseInterfaces) {
  check("interface A; interface B : A {}; // expected-error: not defined yet\n interface A {};");
  check("struct S { long x; }; interface B : S {}; // expected-error: is not an interface\n");
  check("interface A {}; interface B : A, A {}; // expected-error: named twice as a base\n");
  check("interface A : A {}; // expected-error: cannot inherit from itself\n");
  check("interface A; // expected-warning: forward-declared but never defined\n");
}
TEST(IdlInterfaces, RejectAmbiguousInheritance) {
  check(
      "interface A { void f(); }; interface B { void f(); }; interface C : A, B {}; // expected-error: two "
      "operations or attributes named 'f'\n");
  check("interface R { void f(); }; interface A : R {}; interface B : R {}; interface C : A, B {};");
  check("interface A { void f(); }; interface B : A {\n void f(); }; // expected-error: is inherited\n");
  check(
      "interface A { attribute long f; }; interface B : A {\n void F(); }; // expected-error: is "
      "inherited\n");
}
TEST(IdlInterfaces, EnforceLocalAndAbstractRules) {
  check("local interface L {}; interface I : L {}; // expected-error: only a local interface\n");
  check("interface I {}; abstract interface A : I {}; // expected-error: abstract interfaces only\n");
  check("interface I {}; local interface L : I {}; abstract interface A {}; interface B : A {};");
  check(
      "local interface L {}; interface I { void f(in L x); };   // expected-error: 'L' is local; 'I' is "
      "not\n");
  check(
      "local interface L {}; struct S { sequence<L> all; }; interface I { S f(); }; // expected-error: 'S' "
      "is local\n");
  check("local interface L;\ninterface L {}; // expected-error: local where it is declared first\n");
}
TEST(IdlOperations, EnforceOnewayRules) {
  check("interface I { oneway long f(); }; // expected-error: returns nothing\n");
  check("interface I { oneway void f(out long x); }; // expected-error: 'in' parameters only\n");
  check("exception E {}; interface I { oneway void f() raises (E); }; // expected-error: cannot raise\n");
}
TEST(IdlOperations, RejectRaisesOfOtherTypes) {
  check(
      "struct S { long x; }; interface I { void f() raises (S); }; // expected-error: is not an exception\n");
  check("exception E { long x; }; interface I { void f(in E e1); }; // expected-error: 'E' is not a type\n");
}

TEST(IdlOperations, AllowLocalOperationsToRaiseNativeTypes) {
  check(
      "module M { native N; }; valuetype V { void f() raises (M::N); }; local interface L { void g() raises "
      "(M::N); };");
  check("native N; interface I { void f() raises (N); }; // expected-error: is not an exception\n");
}

TEST(IdlTypes, RejectSelfContainment) {
  check("struct S { S me; }; // expected-error: cannot hold itself\n");
  check("struct S { sequence<S> kids; };");
  check("struct S; typedef sequence<S> Many; struct S { Many kids; };");
  check("union U switch (long) { case 1: sequence<U> kids; default: long leaf; };");
  check("struct S; struct T { S s1; }; // expected-error: only forward-declared\n struct S { long x; };");
  check("struct S; // expected-error: never defined\n");
}
TEST(IdlTypes, AllowForwardDeclaredElementsOfSequencesOnly) {
  check(
      "struct S; typedef S T; // expected-error: 'S' is only forward-declared here\n struct S { long x; };");
  check("struct S; typedef S A[3]; // expected-error: only forward-declared here\n struct S { long x; };");
  check(
      "struct S; valuetype V { public S x; }; // expected-error: only forward-declared\n struct S { long y; "
      "};");
  check(
      "union U; typedef sequence<U> Us; valuetype V { public Us x; public V v1; private V v2[3]; };"
      "union U switch (long) { case 1: Us more; };");
}
TEST(IdlTypes, LimitTheirSize) {
  check("typedef sequence<long, 0> S; // expected-error: at least 1\n");
  check("typedef long A[-1];          // expected-error: at least 1\n");
  check("typedef long A[70000][70000]; // expected-error: more than 2147483647\n");
  check("typedef fixed<32, 2> F;      // expected-error: at most 31\n");
  check("typedef fixed<3, 4> F;       // expected-error: between 0 and its digits\n");
}
TEST(IdlTypes, AllowTypedefsNamedAsIdl42Types) {
  CompiledIdl idl("typedef octet int8; struct S { int8 mine; uint8 theirs; };");
  const auto& s = ir::as<ir::Struct>(idl["S"]);
  EXPECT_EQ(s.fields[0].type->kind, ir::TypeKind::declared);
  EXPECT_EQ(s.fields[1].type->kind, ir::TypeKind::uint8);
}

TEST(IdlValues, EnforceInheritanceRules) {
  check(
      "abstract valuetype A {}; valuetype B {}; valuetype C : B, A {}; valuetype D : A, B {}; // "
      "expected-error: only the first base\n");
  check("valuetype B {}; abstract valuetype A : B {}; // expected-error: abstract ones only\n");
  check("abstract valuetype A { public long x; }; // expected-error: no state\n");
  check("valuetype V { public long x; }; valuetype Box V; // expected-error: needs no box\n");
}

TEST(IdlValues, RejectRedeclaredMembers) {
  check(
      "valuetype A { public long x; }; valuetype B : A {\n public short X; }; // expected-error: 'X' is "
      "inherited\n");
  check(
      "valuetype A { void f(); }; valuetype B : A {\n factory f(); }; // expected-error: 'f' is inherited\n");
  check(
      "interface I { void f(); }; valuetype V supports I {\n typedef long f; }; // expected-error: is "
      "inherited\n");
  check(
      "abstract valuetype A { void f(); }; abstract valuetype B { void f(); };\n"
      "valuetype C : A, B {}; // expected-error: inherits two members named 'f'\n");
  check("interface I { void f(); }; valuetype A supports I {}; valuetype B : A supports I {};");
  check("valuetype A { factory f(); typedef long T; }; valuetype B : A { factory f(); typedef short T; };");
}
TEST(IdlValues, MatchTheirForwardDeclaration) {
  check("valuetype V;\nabstract valuetype V {}; // expected-error: abstract in one place\n");
  check("custom valuetype V; // expected-error: not 'custom' yet\n");
  check("valuetype V; custom valuetype V { public long x; };");
}
TEST(IdlInterfaces, RejectTypesNamedAsInheritedOperations) {
  check(
      "interface I { void x(); }; interface J : I {\n typedef long X; }; // expected-error: 'X' is "
      "inherited\n");
  check("interface I { typedef long x; }; interface J : I { void x(); };");
}
TEST(IdlOperations, RejectAnonymousTypes) {
  check("interface I { void f(in sequence<long> x); }; // expected-error: a sequence needs a name\n");
  check("interface I { sequence<long> f(); }; // expected-error: a sequence needs a name\n");
  check("interface I { attribute fixed<3, 1> a; }; // expected-error: a fixed-point type needs a name\n");
  check("interface I { string<3> f(in wstring<4> x); void g(@view in sequence<octet> v); };");
  check("valuetype V { public sequence<long> a; private fixed<3, 1> b; };");
}
TEST(IdlNames, AllowKeywordsOfOtherLanguages) {
  check(R"(enum bool { yes, no }; typedef long int; struct vector { int list; bool static; };
           interface virtual { bool throw(in int byte); virtual inline();
                              vector async(in vector final); };)");
}

}  // namespace
}  // namespace orbweaver::idl::testing
