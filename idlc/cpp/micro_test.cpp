// Code for the micro library (--micro).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "idlc/cpp/cpp_generator.h"
#include "idlc/testing/check.h"

namespace orbweaver::idl::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<OutputFile> generated(std::string_view idl, Diagnostics& diagnostics) {
  CompiledIdl accepted(idl);
  CppOptions options;
  options.micro = true;
  std::vector<OutputFile> files;
  for (const OutputFile& each : generate_cpp(accepted.unit(), diagnostics, options))
    files.emplace_back(each.name, each.text());  // which the unit need not outlive
  return files;
}

TEST(MicroCode, NamesNoTypeCode) {
  Diagnostics diagnostics;
  const auto files = generated(
      "module M { typedef long T; exception E { T it; }; "
      "interface I { enum F { a }; T get(in Object o) raises (E); }; };",
      diagnostics);
  ASSERT_EQ(files.size(), 4u);
  for (const OutputFile& file : files) {
    EXPECT_THAT(file.text(), Not(HasSubstr("TypeCode"))) << file.name;
    EXPECT_THAT(file.text(), Not(HasSubstr("typecode"))) << file.name;
  }
}

TEST(MicroCode, RejectsWhatTheLibraryDoesNotHave) {
  for (const auto& [idl, what] : {std::pair("struct S { any a; };", "any"),
                                  {"typedef sequence<any> Anys; struct S { Anys all; };", "any"},
                                  {"interface I { CORBA::TypeCode f(); };", "TypeCodes"},
                                  {"typedef fixed<5, 2> Price;", "fixed-point types"},
                                  {"valuetype V { public long x; };", "value types"},
                                  {"valuetype Text string;", "value types"},
                                  {"interface I { void f() context (\"x\"); };", "contexts"},
                                  {"abstract interface A { void f(); };", "abstract interfaces"}}) {
    Diagnostics diagnostics;
    EXPECT_TRUE(generated(idl, diagnostics).empty()) << idl;
    ASSERT_EQ(diagnostics.all().size(), 1u) << idl;
    EXPECT_EQ(diagnostics.all()[0].message, std::string("the micro library has no ") + what);
  }
}

}  // namespace
}  // namespace orbweaver::idl::testing
