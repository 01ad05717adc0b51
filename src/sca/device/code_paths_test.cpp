#include "sca/device/code_paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "sca/device/testing/served_device.h"

namespace orbweaver::sca {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ServedDevice;
using LoadType = CF::LoadableDevice::LoadType;

/// A loaded folder of /c with these files.
CodeCache::LoadedFiles folder(const std::string& name, const std::vector<std::string>& files) {
  CodeCache::LoadedFiles loaded{"/c/" + name, true, {}};
  for (const std::string& file : files) loaded.files.push_back(loaded.path + "/" + file);
  return loaded;
}
CodeCache::LoadedFiles file(const std::string& name) { return {"/c/" + name, false, {"/c/" + name}}; }

class CodePaths : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* const each : {"LD_LIBRARY_PATH", "PYTHONPATH"}) ::unsetenv(each);
  }
  void TearDown() override { SetUp(); }
  static std::vector<std::string> of(const std::vector<CodeCache::LoadedFiles>& dependencies) {
    auto environment = code_environment(dependencies);
    return environment ? *environment : std::vector<std::string>{environment.error().message};
  }
};

TEST_F(CodePaths, AreTheFoldersOfLibrariesInTheOrderOfDependencies) {
  EXPECT_THAT(of({file("b/libb.so.1.2"), folder("a", {"lib/liba.so", "lib/libc.so", "include/a.h"}),
                  file("b/libd.so"), file("data/table.bin"), file("some.sound")}),
              ElementsAre("LD_LIBRARY_PATH=/c/b:/c/a/lib"));
  EXPECT_THAT(of({file("data/table.bin")}), IsEmpty());
}

TEST_F(CodePaths, AreTheFoldersFromWhichPythonImports) {
  EXPECT_THAT(of({file("one/module.py"), folder("package", {"__init__.py", "x.py", "inner/__init__.py"}),
                  folder("modules", {"m.py", "tests/t.py"}), folder("packages", {"p/__init__.py"}),
                  folder("scripts", {"bin/tool.py"})}),
              ElementsAre("PYTHONPATH=/c/one:/c:/c/modules:/c/packages"));
}

TEST_F(CodePaths, AreBeforeThoseOfTheEnvironment) {
  ::setenv("LD_LIBRARY_PATH", "/opt/lib", 1);
  ::setenv("PYTHONPATH", "", 1);
  EXPECT_THAT(of({file("a/liba.so"), file("m.py")}),
              ElementsAre("LD_LIBRARY_PATH=/c/a:/opt/lib", "PYTHONPATH=/c"));
}

TEST_F(CodePaths, HaveNoSeparators) {
  EXPECT_THAT(
      of({file("a:b/liba.so")}),
      ElementsAre("the folder '/c/a:b' cannot be in LD_LIBRARY_PATH: it has one of the characters :;$"));
}

TEST_F(CodePaths, FitIntoAStringOfTheEnvironment) {
  // execve(2), MAX_ARG_STRLEN: 131,072 octets with the one that ends the string.
  const std::size_t rest = 131'071 - std::string("PYTHONPATH=/c/:/c/").size() - 70'000;
  const std::vector<CodeCache::LoadedFiles> folders = {file(std::string(70'000, 'a') + "/m.py"),
                                                       file(std::string(rest, 'b') + "/m.py")};
  EXPECT_EQ(of(folders).at(0).size(), 131'071u);
  ::setenv("PYTHONPATH", "x", 1);
  EXPECT_THAT(of(folders), ElementsAre(AllOf(HasSubstr("PYTHONPATH would have 131073 octets for 2 folders"),
                                             HasSubstr("the limit of Linux is 131071"))));
}

CF::Properties dependencies(const CF::StringSequence& names) {
  CORBA::Any any;
  any <<= names;
  return {{"DEPENDENCIES", any}};
}

/// Loads a file that is no program.
void load_library(ServedDevice& served, const std::string& name) {
  served.source.write(name, "library");
  served.device->load(served.files, "/" + name, LoadType::SHARED_LIBRARY);
}

TEST_F(CodePaths, AreThoseOfAnExecutedProcess) {
  ServedDevice served;
  served.load("program", "echo paths $LD_LIBRARY_PATH");
  std::filesystem::create_directories(served.source.path("deps/one"));
  std::filesystem::create_directories(served.source.path("deps/two"));
  load_library(served, "deps/one/libone.so");
  load_library(served, "deps/two/libtwo.so");
  served.execute("program", dependencies({"/deps/two/libtwo.so", "/deps/one/libone.so"}));
  const std::string files = served.folder.path("cache/files").string();
  EXPECT_TRUE(served.prints("paths " + files + "/deps/two:" + files + "/deps/one"));
  served.execute("program");
  EXPECT_TRUE(served.prints("paths")) << "libraries of others";
}

TEST_F(CodePaths, AreOfLoadedFilesOnly) {
  ServedDevice served;
  served.load("program", "true");
  EXPECT_THROW(served.execute("program", dependencies({"/libone.so"})), CF::InvalidFileName);
  EXPECT_THROW(served.execute("program", {{"DEPENDENCIES", any_of("string", "/program")}}),
               CF::ExecutableDevice::InvalidOptions);
  EXPECT_THROW(served.execute("program", dependencies(CF::StringSequence(1025, "/program"))),
               CF::ExecutableDevice::InvalidOptions);
  EXPECT_EQ(served.device->processes(), 0u);
}

}  // namespace
}  // namespace orbweaver::sca
