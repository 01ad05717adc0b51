#include <gtest/gtest.h>

#include "idlc/testing/check.h"

namespace orbweaver::idl::testing {
namespace {

const std::string kPipe = R"(module Pipe<typename T, sequence<T> Ts, const unsigned long N> {
  struct Item { T value; T many[N]; }; interface Sink { void push(in Ts all, in Item one); };
};
)";

TEST(IdlTemplates, ExpandToModules) {
  CompiledIdl idl(kPipe +
                  "typedef sequence<short> Shorts; module Pipe<short, Shorts, 3> P;\n"
                  "struct Use { P::Item item; P::Sink sink; };");
  const auto& item = ir::as<ir::Struct>(idl["P::Item"]);
  EXPECT_EQ(ir::describe(*item.fields[0].type), "short");
  EXPECT_EQ(ir::describe(*item.fields[1].type), "short[3]");
  EXPECT_EQ(item.repository_id(), "IDL:P/Item:1.0");
  EXPECT_EQ(ir::as<ir::Module>(idl["P"]).instance_of, &idl["Pipe"]);
}
TEST(IdlTemplates, AcceptEveryKindOfArgument) {
  check(R"(interface I { }; valuetype V { }; eventtype E { }; struct S { long x; }; enum C { red };
           union U switch (long) { case 1: long x; }; exception X { }; typedef sequence<S> Ss;
           module M<interface A, valuetype B, eventtype D, struct F, union G, exception H, enum J, sequence K,
                    const string L> {
             interface Use {
               void op(in A p1, in B p2, in D p3, in F p4, in G p5, in J p6, in K p7) raises (H);
             };
             const string copy = L;
           };
           module M<I, V, E, S, U, X, C, Ss, "text"> N;
           module M<I, V, E, S, U, X, C, sequence<long>, "t"> O;)");
}
TEST(IdlTemplates, CheckTheirArguments) {
  check(kPipe + "module Pipe<long> P; // expected-error: takes 3 arguments, not 1\n");
  check(kPipe + "typedef sequence<long> L; module Pipe<short, L, 3> P; // expected-error: holds long\n");
  check(
      kPipe +
      "typedef sequence<long> L; module Pipe<long, L, long> P; // expected-error: a constant, not a type\n");
  check(kPipe +
        "typedef sequence<long> Ls; module Pipe<3, Ls, 3> P; // expected-error: is a type, not a value\n");
  check(
      "module M<interface I> { typedef sequence<I> Is; }; module M<long> N; // expected-error: does not "
      "fit\n");
  check("module Plain { typedef long T; }; module Plain<long> N; // expected-error: not a template module\n");
  check("module M<typename T> { typedef T U; };\n module M<long> M; // expected-error: already declared\n");
}
TEST(IdlTemplates, ReportErrorsInTheTemplate) {
  check(
      "module M<typename T> {\n struct S { Missing x; }; // expected-error: 'Missing' is not declared\n };\n"
      "module M<long> A; module M<short> B;");
  check(
      "module M<typename T> {\n interface I : T { }; // expected-error: 'T' is not an interface\n };\n"
      "module M<long> A;");
}
TEST(IdlTemplates, CanUseOtherTemplates) {
  CompiledIdl idl(
      kPipe +
      R"(module Both<typename A, sequence<A> As> { alias Pipe<A, As, 2> inner; typedef inner::Item One; };
           typedef sequence<octet> Octets; module Both<octet, Octets> B; typedef B::inner::Sink Output;)");
  EXPECT_EQ(ir::scoped_name(&idl["B::inner::Item"]), "::B::inner::Item");
}
TEST(IdlTemplates, LimitTheNumberOfDefinitions) {
  check(
      "module M<typename T> {\n module M<T> again; // expected-error: cannot be made of itself\n };\n"
      "module M<long> X;");
  std::string idl = "module M0<typename T> { typedef T U; };\n";
  for (int i = 1; i < 60; ++i) {
    const std::string before = "module M" + std::to_string(i - 1) + "<T> ";
    idl += "module M" + std::to_string(i) + "<typename T> { " + before + "a" + std::to_string(i) + "; " +
           before + "b" + std::to_string(i) + "; };\n";
  }
  EXPECT_EQ(errors(idl + "module M59<long> X;"), 1u);
}

TEST(IdlTemplates, CanReopenAModule) {
  check(R"(module M { module N<typename X> { struct Item { X x_; }; }; };
           module T { struct X { long z; }; };
           module ::M::N<::T::X> T;
           module T { typedef Item Again; typedef X Same; }; typedef T::Item Other;)");
  check(R"(module N<typename X> { struct Item { X x_; };  // expected-error: already declared
           };
           module T { typedef long Item; };
           module N<long> T;)");
}

}  // namespace
}  // namespace orbweaver::idl::testing
