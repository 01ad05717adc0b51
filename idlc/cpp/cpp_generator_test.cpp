#include "idlc/cpp/cpp_generator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <orbweaver/detail/operation.h>
#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>

#include "idlc/cpp/constructs.h"
#include "idlc/cpp/servant_skeleton.h"
#include "idlc/dump/json_dump.h"
#include "idlc/html/html_pages.h"
#include "idlc/ir/layout.h"
#include "idlc/testing/check.h"

namespace orbweaver::idl::testing {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

// One of the four files generated from `idl` under the name test.idl.
std::string made(std::string_view name, std::string_view idl) {
  CompiledIdl accepted(idl);
  Diagnostics diagnostics;
  for (const OutputFile& file : generate_cpp(accepted.unit(), diagnostics)) {
    if (file.name == name) return file.text();
  }
  ADD_FAILURE() << "no " << name;
  return "";
}
std::string refusal(std::string_view idl) {
  CompiledIdl accepted(idl);
  Diagnostics diagnostics;
  EXPECT_TRUE(generate_cpp(accepted.unit(), diagnostics).empty());
  return diagnostics.all().size() == 1 ? diagnostics.all()[0].message : "not one message";
}

TEST(CppBackEnd, MapsTypesAsSpecified) {
  std::string header = made("testC.h",
                            "module M { struct S { sequence<double> a; string<4> b; long c[2][3]; "
                            "sequence<boolean, 5> d; Object e; }; };");
  EXPECT_THAT(header, HasSubstr("std::vector<double> a_;"));
  EXPECT_THAT(header, HasSubstr("::IDL::bounded_string<4> b_;"));
  EXPECT_THAT(header, HasSubstr("std::array<std::array<std::int32_t, 3>, 2> c_{};"));
  EXPECT_THAT(header, HasSubstr("::IDL::bounded_vector<bool, 5> d_;"));
  EXPECT_THAT(header, HasSubstr("::IDL::traits<::CORBA::Object>::ref_type e_;"));
}
TEST(CppBackEnd, PassesParametersAsSpecified) {
  std::string header = made("testC.h", R"(interface I {
      string f(in string a, inout string b, out string c, in long d, in I e,
               @view in sequence<octet> v, @view in string s); };)");
  EXPECT_THAT(
      header,
      HasSubstr(
          "virtual std::string f(const std::string& a, std::string& b, std::string& c, std::int32_t d,"));
  EXPECT_THAT(header, HasSubstr("::IDL::traits<::I>::ref_type e, ::orbweaver::span<const std::uint8_t> v,"));
  EXPECT_THAT(header, HasSubstr("std::string_view s);"));
}
TEST(CppBackEnd, EscapesKeywordsOfCpp) {
  EXPECT_THAT(made("testC.h", "struct S { long class; };"), HasSubstr("std::int32_t _cxx_class() const"));
}
TEST(CppBackEnd, EscapesMacrosOfTheCLibrary) {
  std::string header =
      made("testC.h", "struct S { long errno; string NULL; long EOF; octet BIG_ENDIAN; long linux; };");
  for (const char* name : {"errno", "NULL", "EOF", "BIG_ENDIAN", "linux"}) {
    EXPECT_THAT(header, HasSubstr(std::string(" _cxx_") + name + "() const"));
    EXPECT_THAT(header, Not(HasSubstr(std::string(" ") + name + "(")));
  }
  EXPECT_THAT(made("testC.h", "enum E { ENOENT, SEEK_SET };"), HasSubstr("{ _cxx_ENOENT, _cxx_SEEK_SET }"));
}
TEST(CppBackEnd, EscapesModulesNamedAsLibraryNamespaces) {
  std::string header =
      made("testC.h",
           "module std { struct string_ { string s1; }; };\n"
           "module M { module std { typedef long T; }; struct S { sequence<std::T> x; }; };\n"
           "module orbweaver { struct HeldView { long x; }; struct Sample { HeldView h1; }; };");
  EXPECT_THAT(header, HasSubstr("namespace _cxx_std {"));
  EXPECT_THAT(header, HasSubstr("std::vector<::M::_cxx_std::T>"));
  EXPECT_THAT(header, HasSubstr("class _cxx_HeldView {"));
  EXPECT_THAT(header, HasSubstr("::orbweaver::_cxx_HeldView h1_;"));
  EXPECT_THAT(header, HasSubstr("class Sample {"));
  EXPECT_EQ(refusal("module CORBA { interface Policy { void f(); }; };"),
            "'CORBA::Policy' is declared by the run time; C++ cannot declare it again");
}
TEST(CppBackEnd, EscapesGlobalNamesOfTheCLibrary) {
  std::string header = made("testC.h",
                            "module log { typedef long fmod; };\n"
                            "module time { struct clock { long x; }; };\n"
                            "module time { interface index { void read(in clock c); }; };\n"
                            "interface read { struct write { long x; }; void close(in write w); };\n"
                            "typedef long int32_t; typedef string size_t; enum select { rename };");
  for (const char* text :
       {"namespace _cxx_log {", "using fmod = std::int32_t;", "namespace _cxx_time {", "class clock {",
        "class index :", "class _cxx_read :", "class write {", "virtual void close(",
        "using int32_t = std::int32_t;", "using _cxx_size_t = std::string;",
        "enum class _cxx_select : std::uint32_t { rename };"}) {
    EXPECT_THAT(header, HasSubstr(text));
  }
}
TEST(CppBackEnd, SeparatesSkeletonsFromAUserModulePOA) {
  constexpr std::string_view kIdl =
      "module M { interface I { void f(); }; };\n"
      "module POA { module M { interface I { void g(); }; }; struct S { long x; }; };\n"
      "module POA { typedef S T; };";
  const std::string header = made("testC.h", kIdl), server = made("testS.h", kIdl);
  EXPECT_THAT(header, HasSubstr("namespace _cxx_POA::M {"));
  EXPECT_THAT(header, HasSubstr("using T = ::_cxx_POA::S;"));
  EXPECT_THAT(header, Not(HasSubstr("namespace POA")));
  EXPECT_THAT(server, HasSubstr("namespace POA::M {"));
  EXPECT_THAT(server, HasSubstr("namespace POA::_cxx_POA::M {"));
}
TEST(CppBackEnd, EscapesDefinitionsNamedAsARunTimeNamespace) {
  for (const char* name : {"POA", "IDL", "orbweaver", "PortableServer", "Messaging", "TimeBase"}) {
    const std::string header = made("testC.h", "struct " + std::string(name) + " { long x; };");
    EXPECT_THAT(header, HasSubstr("class _cxx_" + std::string(name) + " {"));
  }
}
TEST(CppBackEnd, EscapesDefinitionsNamedSwap) {
  const std::string header =
      made("testC.h", "module M { struct swap { long x; }; interface I { void swap(in M::swap s); }; };");
  EXPECT_THAT(header, HasSubstr("class _cxx_swap {"));
  EXPECT_THAT(header, HasSubstr("virtual void swap(const ::M::_cxx_swap& s);"));
}
TEST(CppBackEnd, StoresMembersWhoseNamesDifferInATrailingUnderscore) {
  const std::string header = made("testC.h", "struct S { long a; long a_; }; struct D { long b; };");
  EXPECT_THAT(header, HasSubstr("std::int32_t a() const { return _a_; }"));
  EXPECT_THAT(header, HasSubstr("std::int32_t a_() const { return a__; }"));
  EXPECT_THAT(header, HasSubstr("std::int32_t b() const { return b_; }"));
  EXPECT_THAT(made("testC.h", "struct B { long d_; }; struct C : B { long d; };"),
              HasSubstr("std::int32_t d() const { return _d_; }"));
  EXPECT_THAT(made("testC.cpp", "exception E { long a; long a_; };"), HasSubstr("encode(_out, _a_);"));
}
TEST(CppBackEnd, SharesOneMemberTableInAChainOfStructs) {
  const std::string source =
      made("testC.cpp",
           "struct A { long ax; }; struct B : A { long bx; }; module M { struct C : B { long cx; }; };\n"
           "struct D : A { long dx; }; struct E {}; struct F : E {}; struct G : F { long gx; };");
  EXPECT_THAT(source, HasSubstr("_members_A[] = {"));
  EXPECT_THAT(source, HasSubstr("\"A\", _members_A, 1"));
  EXPECT_THAT(source, HasSubstr("::orbweaver::generated::_members_A, 2"));
  EXPECT_THAT(source, HasSubstr("::orbweaver::generated::_members_A, 3"));
  EXPECT_THAT(source, HasSubstr("\"D\", _members_D, 2"));
  EXPECT_THAT(source, Not(HasSubstr("_members_B[]")));
  EXPECT_THAT(source, HasSubstr("\"F\", _members_F, 1"));
  EXPECT_THAT(source, HasSubstr("::orbweaver::generated::_members_F, 2"));
}
TEST(CppBackEnd, RejectsInterfacesWithTooManyBases) {
  std::string idl = "interface i0 {};";
  for (int i = 1; i <= 1100; ++i)
    idl += "interface i" + std::to_string(i) + " : i" + std::to_string(i - 1) + " {};\n";
  EXPECT_EQ(refusal(idl),
            "the interfaces of this file inherit more than 500000 interfaces, each of which C++ names");
}
TEST(CppBackEnd, RejectsStructsWithTooManyInheritedMembers) {
  std::string idl = "struct s0 { long x0; };";
  for (int i = 1; i <= 1100; ++i) {
    const std::string n = std::to_string(i), before = std::to_string(i - 1);
    idl +=
        "struct s" + n + " : s" + before + " { long x" + n + "; }; struct t" + n + " : s" + before + " {};\n";
  }
  EXPECT_EQ(refusal(idl),
            "the structs of this file inherit more than 500000 members, each of which a TypeCode lists");
}
TEST(CppBackEnd, ForwardDeclaresTypesOfReopenedModules) {
  std::string header = made("testC.h",
                            "module M { struct S; typedef sequence<S> Ss; };\n"
                            "module M { struct S { Ss all; }; };");
  EXPECT_LT(header.find("class S;"), header.find("using Ss = std::vector<::M::S>;"));
  EXPECT_LT(header.find("using Ss = std::vector<::M::S>;"), header.find("class S {"));
}
TEST(CppBackEnd, DerivesLocalInterfacesFromPolicies) {
  std::string header = made("testC.h", R"(#include <orb.idl>
      local interface P : CORBA::Policy { readonly attribute long n; CORBA::PolicyList all(); };)");
  EXPECT_THAT(header, HasSubstr("#include <orbweaver/policy.h>"));
  EXPECT_THAT(header, HasSubstr("class P : public virtual ::CORBA::Policy {"));
  EXPECT_EQ(refusal("#include <orb.idl>\ninterface P : CORBA::Policy {};"),
            "the C++ mapping of remote interfaces derived from 'CORBA::Policy' has no run time yet");
  EXPECT_EQ(refusal("#include <orb.idl>\nlocal interface P : CORBA::Current {};"),
            "the run time has no C++ of 'CORBA::Current' as data");
}
TEST(CppBackEnd, HasDataTypesOfTheBuiltInFiles) {
  EXPECT_THAT(made("testC.h", "#include <orb.idl>\nstruct S { sequence<CORBA::ParameterMode> modes; };"),
              AllOf(HasSubstr("#include <orbweaver/builtin_types.h>"),
                    HasSubstr("std::vector<::CORBA::ParameterMode> modes_;")));
  EXPECT_THAT(made("testC.h", "#include <orb.idl>\nstruct S { CORBA::RepositoryId id; };"),
              Not(HasSubstr("builtin_types.h")));
  for (const std::string type : {"Policy", "PolicyList", "NVList", "NamedValue", "IDLType"}) {
    const std::string name = type == "PolicyList" ? "Policy" : type;
    EXPECT_EQ(refusal("#include <orb.idl>\ninterface I { void f(in CORBA::" + type + " x); };"),
              "the run time has no C++ of 'CORBA::" + name + "' as data");
  }
}
TEST(CppBackEnd, MapsForwardDeclaredInterfaces) {
  std::string header =
      made("testC.h", "module M { interface Far; interface I { Far f(in Far x); }; struct S { Far x; }; };");
  EXPECT_THAT(header, HasSubstr("class Far;"));
  EXPECT_THAT(header, HasSubstr("struct traits<::M::Far> : ::orbweaver::interface_traits<::M::Far> {};"));
  EXPECT_THAT(header, HasSubstr("inline object_reference<::M::Far>::~object_reference() {"));
  EXPECT_THAT(made("testC.cpp", "interface Far;"),
              HasSubstr("[[gnu::weak]] extern const ::CORBA::TypeCode _tc_Far;"));
  EXPECT_THAT(
      header,
      HasSubstr("struct TypeCodeOf<::M::Far> : TypeCodeOfConstant<::orbweaver::generated::M::_tc_Far> {};"));
}
TEST(CppBackEnd, RejectsRecursionThroughExternalMembers) {
  EXPECT_EQ(refusal("struct S { @external S next; };"),
            "the C++ mapping of recursion through @external and @optional has no run time yet");
}
TEST(CppBackEnd, LimitsLineLength) {
  std::string text = made("testC.h",
                          "interface I { void f(in string a_rather_long_name, in string "
                          "another_rather_long_name, in string yet_another_one); };");
  while (!text.empty()) {
    std::size_t end = text.find('\n');
    EXPECT_LE(end, 110u) << text.substr(0, end);
    text.erase(0, end + 1);
  }
}
TEST(CppBackEnd, IncludesTheHeadersOfIncludedFiles) {
  Sources sources;
  Diagnostics diagnostics;
  CompileResult compiled =
      compile(sources, sources.add("test.idl", "struct S { long x; };"), {}, diagnostics);
  compiled.unit->includes = {"sub/other.idl", "orb.idl"};
  std::string header = generate_cpp(*compiled.unit, diagnostics)[0].text();
  EXPECT_THAT(header, HasSubstr("#include \"sub/otherC.h\""));
  EXPECT_THAT(header, Not(HasSubstr("orbC.h")));
}
TEST(CppBackEnd, CopiesDocumentationIntoTheHeader) {
  std::string header =
      made("testC.h", "/// What it is.\nstruct S { long x; };\n// not for readers\nstruct T { long x; };");
  EXPECT_THAT(header, HasSubstr("/// What it is.\nclass S {"));
  EXPECT_THAT(header, Not(HasSubstr("not for readers")));
}
TEST(CppBackEnd, ReportsUnsupportedConstructs) {
  EXPECT_EQ(refusal("eventtype E { public long x; };"), "the C++ mapping of event types has no run time yet");
  EXPECT_EQ(refusal("valuetype V; struct S { V a; };"),
            "the C++ mapping of value types that are declared and not defined has no run time yet");
  EXPECT_EQ(refusal("abstract interface A; interface I { void f(in A x); };"),
            "the C++ mapping of abstract interfaces that are declared and not defined has no run time yet");
  EXPECT_EQ(refusal("local interface L { void f(); }; struct S { sequence<L> a; };"),
            "the C++ mapping of data types that hold local interfaces has no run time yet");
}
TEST(CppBackEnd, IncludesValueTypesOnlyWhereTheyAreUsed) {
  EXPECT_THAT(made("testC.h", "struct S { ValueBase a; };"),
              AllOf(HasSubstr("#include <orbweaver/abstract_interface.h>"),
                    HasSubstr("using Scope = ValueReadScope;")));
  EXPECT_THAT(made("testC.h", "custom valuetype V { public long x; };"),
              HasSubstr("#include <orbweaver/custom_marshal.h>"));
  EXPECT_THAT(made("testC.h", "struct S { any a; }; interface I { S f(in Object o); };"),
              Not(AnyOf(HasSubstr("abstract_interface.h"), HasSubstr("ValueReadScope"))));
}
TEST(CppBackEnd, EncodesArgumentsWithValuesBeforeTheMessage) {
  const std::string stubs = made("testC.cpp",
                                 "valuetype V { public long x; }; typedef sequence<V> Vs; "
                                 "interface I { V f(in Vs list); void g(in long n); };");
  EXPECT_THAT(stubs, HasSubstr("const ::orbweaver::cdr::EncodedValues _arguments(_write);"));
  EXPECT_THAT(stubs, HasSubstr("::orbweaver::cdr::copy_values("));
  EXPECT_THAT(stubs,
              HasSubstr("*this, ::orbweaver::generated::I::op_g,\n      ::orbweaver::cdr::bound_of(n),"));
}
TEST(CppBackEnd, MapsFixedPointTypesAndConstants) {
  std::string header =
      made("testC.h",
           "typedef fixed<5, 2> F; struct S { F f1; fixed<31, 0> g; }; const fixed a = 0.01d; "
           "const fixed b = -1234.5d; const fixed c = 0d; const F d = 1d;");
  EXPECT_THAT(header, HasSubstr("#include <orbweaver/fixed.h>"));
  EXPECT_THAT(header, HasSubstr("using F = ::IDL::Fixed<5, 2>;"));
  EXPECT_THAT(header, HasSubstr("::IDL::Fixed<31, 0> g_;"));
  EXPECT_THAT(header, HasSubstr("inline constexpr ::IDL::Fixed<2, 2> a{\"0.01\"};"));
  EXPECT_THAT(header, HasSubstr("inline constexpr ::IDL::Fixed<5, 1> b{\"-1234.5\"};"));
  EXPECT_THAT(header, HasSubstr("inline constexpr ::IDL::Fixed<1, 0> c{\"0\"};"));
  EXPECT_THAT(header, HasSubstr("inline constexpr ::F d{\"1\"};"));
  EXPECT_THAT(made("testC.h", "typedef long L;"), Not(HasSubstr("fixed.h")));
}
TEST(CppBackEnd, PassesContextsAsLastParameters) {
  constexpr std::string_view kIdl = "interface I { string f(in long a) context (\"user\", \"sys.*\"); };";
  const std::string header = made("testC.h", kIdl);
  EXPECT_THAT(header, HasSubstr("#include <orbweaver/context.h>"));
  EXPECT_THAT(header, HasSubstr("virtual std::string f(std::int32_t a, "
                                "::IDL::traits<::CORBA::Context>::ref_type _context);"));
  EXPECT_THAT(made("testC.cpp", kIdl), HasSubstr("\"user\", \"sys.*\"});"));
  EXPECT_THAT(made("testS.cpp", kIdl), HasSubstr("::orbweaver::decode_context(_in, _values);"));
  EXPECT_THAT(made("testC.h", "interface I { string f(in long a); };"), Not(HasSubstr("context.h")));
}
TEST(CppBackEnd, MapsNativeTypesToClassesOfTheUser) {
  constexpr std::string_view kIdl =
      "module M { native H; local interface L { H get(in H a); }; interface I { void put(in H a); }; };";
  const std::string header = made("testC.h", kIdl);
  EXPECT_THAT(header, HasSubstr("class H;"));
  EXPECT_THAT(header, HasSubstr("virtual ::M::H get(const ::M::H& a) = 0;"));
  EXPECT_THAT(made("testS.cpp", kIdl), HasSubstr("throw ::CORBA::MARSHAL(0x4f570016"));
  CompiledIdl accepted(kIdl);
  Diagnostics diagnostics;
  const CppOptions options{{"handle.h", "<h.h>"}};
  const std::string with_header = generate_cpp(accepted.unit(), diagnostics, options)[0].text();
  EXPECT_THAT(with_header, HasSubstr("#include \"handle.h\"\n#include <h.h>\n"));
  EXPECT_THAT(with_header, Not(HasSubstr("class H;")));
}
TEST(CppBackEnd, MapsNativeTypesOfTheRunTime) {
  const std::string header = made("testC.h",
                                  "#include <orb.idl>\nmodule PortableServer { native Servant; };\n"
                                  "local interface L { CORBA::ORB f(in PortableServer::Servant s); };");
  EXPECT_THAT(header, HasSubstr("#include <orbweaver/orb.h>\n#include <orbweaver/poa.h>\n"));
  EXPECT_THAT(header, HasSubstr("virtual ::CORBA::object_reference<::CORBA::ORB> "
                                "f(::CORBA::servant_reference<::PortableServer::Servant> s) = 0;"));
  EXPECT_THAT(header, Not(HasSubstr("class Servant;")));
}
TEST(CppBackEnd, MapsAnyAndTypeCode) {
  std::string header =
      made("testC.h", "interface I { any f(in any a, in CORBA::TypeCode b, out CORBA::TypeCode c); };");
  EXPECT_THAT(header, HasSubstr("#include <orbweaver/any.h>"));
  EXPECT_THAT(
      header,
      HasSubstr(
          "virtual ::CORBA::Any f(const ::CORBA::Any& a, ::IDL::traits<::CORBA::TypeCode>::ref_type b,"));
  EXPECT_THAT(header, HasSubstr("::IDL::traits<::CORBA::TypeCode>::ref_type& c);"));
}
TEST(CppBackEnd, NamesTheTypeCodesOfTypes) {
  std::string header = made("testC.h", "module M { typedef long T; interface I { enum E { a }; }; };");
  EXPECT_THAT(header, HasSubstr("extern const ::CORBA::typecode_reference _tc_T;"));
  EXPECT_THAT(header, HasSubstr("  static const ::CORBA::typecode_reference _tc_E;"));
  EXPECT_THAT(
      header,
      HasSubstr(
          "struct TypeCodeOf<::M::I::E> : TypeCodeOfConstant<::orbweaver::generated::M::I::_tc_E> {};"));
  EXPECT_THAT(header, Not(HasSubstr("TypeCodeOf<::M::T>")));
  EXPECT_THAT(header, Not(HasSubstr("any.h")));
}
TEST(CppBackEnd, DeclaresTypesWithinMembersInTheirClass) {
  std::string header = made("testC.h", "struct S { struct T { long x; } within; };");
  EXPECT_THAT(header, HasSubstr("class S {\n public:\n  class T {"));
}
TEST(CppBackEnd, FindsAHashWithoutCollisions) {
  std::vector<std::string> names;
  for (int i = 0; i < 300; ++i) names.push_back("operation_" + std::to_string(i));
  cpp::HashTable table = cpp::perfect_hash(names);
  EXPECT_EQ(std::count_if(table.slots.begin(), table.slots.end(), [](int slot) { return slot >= 0; }), 300);
  EXPECT_EQ(cpp::perfect_hash({}).slots.size(), 1u);
}

TEST(CppBackEnd, FindsATwoLevelHashForManyNames) {
  std::vector<std::string> names;
  for (int i = 0; i < 20'000; ++i) names.push_back("operation_" + std::to_string(i));
  const cpp::TwoLevelHash table = cpp::two_level_hash(names);
  EXPECT_LE(table.slots.size(), 4 * names.size());
  std::size_t found = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto hash = [&](std::uint32_t seed) {
      return operation_hash(names[i].data(), names[i].size(), seed);
    };
    const std::uint32_t seed = table.seeds[hash(0) & (table.seeds.size() - 1)];
    found += table.slots[hash(seed) & (table.slots.size() - 1)] == static_cast<int>(i) ? 1 : 0;
  }
  EXPECT_EQ(found, names.size());
}

TEST(IdlLayout, FindsTypesWithTheCdrLayoutInMemory) {
  CompiledIdl idl(R"(struct Plain { double d; long l; float f; };
                  struct Gap { octet o; double d; };
                  struct Tail { double d; octet o; };
                  struct Flag { boolean b; };
                  struct Text { string s1; };
                  struct Nested { Plain p; Plain q[2]; };)");
  auto layout = [&](const char* name) { return ir::layout_of(ir::as<ir::Struct>(idl[name]).fields); };
  EXPECT_TRUE(layout("Plain").plain);
  EXPECT_EQ(layout("Plain").min_bytes, 16u);
  EXPECT_EQ(layout("Plain").max_bytes, 23u);
  EXPECT_TRUE(layout("Nested").plain);
  EXPECT_FALSE(layout("Gap").plain);
  EXPECT_FALSE(layout("Tail").plain);
  EXPECT_FALSE(layout("Flag").plain);
  EXPECT_EQ(layout("Text").max_bytes, 0u);
  EXPECT_EQ(layout("Gap").max_bytes, 1u + 7 + 8);
}

TEST(JsonDump, IsValidJson) {
  CompiledIdl idl(
      "#pragma prefix \"x\"\nmodule M { typedef sequence<long, 4> T; const short k = 1 + 2; interface I { "
      "oneway void f(in T t1); }; };");
  auto json = nlohmann::json::parse(dump_json(idl.unit(), idl.sources));
  EXPECT_EQ(json["format"], 1);
  auto& contents = json["definitions"][0]["definitions"];
  EXPECT_EQ(contents[0]["type"],
            nlohmann::json::parse(R"({"kind": "sequence", "element": {"kind": "long"}, "bound": 4})"));
  EXPECT_EQ(contents[1]["value"], 3);
  EXPECT_EQ(contents[2]["repository_id"], "IDL:x/M/I:1.0");
  EXPECT_EQ(contents[2]["definitions"][0]["oneway"], true);
}

TEST(HtmlPages, LinkNamesAndKeepComments) {
  CompiledIdl idl("/** Where <it> lives. */\nstruct S { long x; };\ninterface I { S get(); };");
  std::string page = HtmlPages({"test.idl"}).page(idl.unit(), idl.sources).text();
  EXPECT_THAT(page, HasSubstr("<p>Where &lt;it&gt; lives.</p>"));
  EXPECT_THAT(page, HasSubstr("<pre><a href=\"#S\">S</a> get()</pre>"));
}

TEST(ServantSkeleton, OverridesInheritedOperations) {
  CompiledIdl idl("interface A { void f(); attribute long x; }; interface B : A { void g(in long n); };");
  std::vector<OutputFile> files = generate_impl(idl.unit());
  EXPECT_THAT(files[0].text(),
              HasSubstr("class B_impl final : public virtual ::CORBA::servant_traits<::B>::base_type {\n "
                        "public:\n  void f() override;"));
  EXPECT_THAT(files[1].text(),
              HasSubstr("void B_impl::g(std::int32_t /*n*/) {\n  throw ::CORBA::NO_IMPLEMENT("));
}

TEST(ServantSkeleton, MapsAnyAndTypeCode) {
  CompiledIdl idl("interface A { any f(in any a, out CORBA::TypeCode b); };");
  EXPECT_THAT(generate_impl(idl.unit())[1].text(),
              HasSubstr("::CORBA::Any A_impl::f(const ::CORBA::Any& /*a*/, "
                        "::IDL::traits<::CORBA::TypeCode>::ref_type& /*b*/) {"));
}

TEST(IdlCompiler, ChecksTenThousandLines) {
  std::string text = "module Big {\n";
  for (int i = 0; i < 2500; ++i) {
    std::string n = std::to_string(i);
    text += "struct S" + n + " {\n  long a; string b;\n};\ninterface I" + n + " { S" + n + " f(in S" + n +
            " x, out string y); };\n";
  }
  const std::clock_t begin = std::clock();
  EXPECT_EQ(errors(text + "};\n"), 0u);
  // CPU time, so that other load does not matter. The goal is 0.2 s; the limit leaves room for sanitizers.
  EXPECT_LT(std::clock() - begin, 2 * CLOCKS_PER_SEC);
}

}  // namespace
}  // namespace orbweaver::idl::testing
