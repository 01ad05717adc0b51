// Tests of the IDL files built into the compiler (orb.idl, ir.idl, IOP.idl).
#include "idlc/builtin/builtin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "idlc/cpp/cpp_generator.h"
#include "idlc/source/render.h"
#include "idlc/testing/check.h"

namespace orbweaver::idl::testing {
namespace {

namespace fs = std::filesystem;

TEST(IdlBuiltin, FindsOrbIdlWithoutAFile) {
  check("#include <orb.idl>\ntypedef CORBA::StringSeq Names; const CORBA::PolicyType kMine = 7;");
  check("#include \"orb.idl\"\n#include <orb.idl>\ninterface I { CORBA::Policy f(in CORBA::TCKind k); };");
  check("#include <IOP.idl>\ntypedef sequence<IOP::TaggedComponent> Parts; const IOP::ComponentId kTag = 3;");
  check("#include <ir.idl>\ninterface I { CORBA::InterfaceDef f(in CORBA::ExcDescriptionSeq all); };");
}
TEST(IdlBuiltin, ImportsOrbIdlForCorba) {
  check("import ::CORBA; struct S { CORBA::OctetSeq bytes; };");
  check("module M { import CORBA; struct S { CORBA::OctetSeq bytes; }; };");
  check("struct T { long x; }; module M { import ::CORBA; struct S { CORBA::OctetSeq bytes; T t_; }; };");
  check("struct S { CORBA::OctetSeq bytes; }; // expected-error: 'CORBA' has no 'OctetSeq'\n");
}
TEST(IdlBuiltin, AllowsAUserModuleCorbaWithoutAnImport) {
  check("module corba { typedef long T; }; typedef corba::T U;");
  check("struct Corba { long x; };");
  check("#include <orb.idl>\nmodule corba { typedef long T; }; // expected-error: differs only in case\n");
}
TEST(IdlBuiltin, IsOverriddenByUserDeclarations) {
  check(
      "#include <orb.idl>\nmodule CORBA { typedef string Identifier; interface Policy; interface Policy {}; "
      "};");
  check(
      "module CORBA { typedef sequence<string> StringSeq; };\n#include <orb.idl>\ntypedef CORBA::StringSeq "
      "S;");
  check(
      "module CORBA { enum TCKind { tk_mine }; };\n#include <orb.idl>\nconst CORBA::TCKind k = "
      "CORBA::tk_mine;");
  check(
      "#include <orb.idl>\nmodule CORBA { typedef long Mine;\n typedef long Mine; }; // expected-error: "
      "already\n");
}
TEST(IdlBuiltin, MayBeRedeclaredDifferently) {
  check("#include <orb.idl>\nmodule CORBA { local interface Current; local interface Current {}; };");
  check("#include <orb.idl>\nmodule CORBA { valuetype Pollable; valuetype Pollable { public long x; }; };");
}
TEST(IdlBuiltin, DoesNotLeakTheOmgPrefix) {
  CompiledIdl idl("#pragma prefix \"x.org\"\n#include <orb.idl>\nstruct S { CORBA::Identifier id; };");
  EXPECT_EQ(idl["S"].repository_id(), "IDL:x.org/S:1.0");
  EXPECT_EQ(idl["CORBA::Policy"].repository_id(), "IDL:omg.org/CORBA/Policy:1.0");
  EXPECT_FALSE(idl["CORBA::Policy"].in_main_file);
}
TEST(IdlBuiltin, MapsBuiltinTypedefsToTheirTypes) {
  CompiledIdl idl("#include <orb.idl>\nstruct S { CORBA::StringSeq names; };");
  std::string header = generate_cpp(idl.unit(), idl.diagnostics)[0].text();
  EXPECT_THAT(header, ::testing::HasSubstr("std::vector<std::string> names"));
  EXPECT_EQ(header.find("CORBA::StringSeq"), std::string::npos);
  CompiledIdl other("#include <orb.idl>\nstruct S { CORBA::NamedValue one; };");
  generate_cpp(other.unit(), other.diagnostics);
  EXPECT_THAT(render_text(other.diagnostics, other.sources, false),
              ::testing::HasSubstr("'CORBA::NamedValue'"));
}

class IdlBuiltinFiles : public ::testing::Test {
 protected:
  IdlBuiltinFiles() {
    std::string path_template = (fs::temp_directory_path() / "orbweaver_idl_XXXXXX").string();
    folder_ = ::mkdtemp(path_template.data());
  }
  ~IdlBuiltinFiles() override { fs::remove_all(folder_); }
  std::string messages(const std::string& path, std::vector<std::string> include_dirs) {
    Sources sources;
    Diagnostics diagnostics;
    PreprocessOptions options;
    options.include_dirs = std::move(include_dirs);
    compile(sources, path, options, diagnostics);
    return diagnostics.ok() ? "" : render_text(diagnostics, sources, false);
  }
  fs::path folder_;
};

TEST_F(IdlBuiltinFiles, CompleteAUserFile) {
  std::ofstream(folder_ / "orb.idl")
      << "module CORBA { typedef wstring Identifier; interface Mine { void f(in AbstractBase b); }; };";
  std::ofstream(folder_ / "t.idl") << "#include <orb.idl>\nconst CORBA::Identifier k = L\"wide\";\n"
                                      "const CORBA::ServiceOption one = 1;";
  EXPECT_EQ(messages(folder_ / "t.idl", {}), "");
}
TEST_F(IdlBuiltinFiles, SearchTheFolderLastForAngleBrackets) {
  fs::create_directories(folder_ / "a");
  std::ofstream(folder_ / "common.idl") << "typedef long T;";
  std::ofstream(folder_ / "a" / "common.idl") << "typedef string T;";
  std::ofstream(folder_ / "t.idl") << "#include <common.idl>\nconst T k = \"text\";";
  EXPECT_EQ(messages(folder_ / "t.idl", {folder_ / "a"}), "");
  EXPECT_NE(messages(folder_ / "t.idl", {}), "");  // T is a long there
}
// The published IDL of the CORBA services, if it is installed.
TEST_F(IdlBuiltinFiles, AcceptAllCorbaServices) {
  const fs::path installed = "/usr/share/idl/omniORB";
  if (!fs::exists(installed / "COS")) GTEST_SKIP() << "omniorb-idl is not installed";
  int files = 0;
  for (const auto& each : fs::recursive_directory_iterator(installed)) {
    if (each.path().extension() != ".idl") continue;
    ++files;
    EXPECT_EQ(messages(each.path(), {installed}), "");
    EXPECT_EQ(messages(each.path(), {}), "");
  }
  EXPECT_GT(files, 60);
}

}  // namespace
}  // namespace orbweaver::idl::testing
