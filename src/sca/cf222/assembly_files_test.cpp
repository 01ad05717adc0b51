// Assemblies in the file system of a node.
#include "sca/cf222/assembly_files.h"

#include <cstdlib>

#include "sca/files/testing/served_folder.h"

namespace orbweaver::sca::testing {
namespace {

namespace fs = std::filesystem;

/// The folder of temporary files of this process, and a domain with an assembly of a node.
struct AssemblyFilesOfANode : ::testing::Test {
  AssemblyFilesOfANode() {
    if (const char* const value = std::getenv("TMPDIR")) before = value;
    setenv("TMPDIR", temporary.path().c_str(), 1);
    served.write("n/empty.sad.xml",
                 "<softwareassembly id='a' name='a'><partitioning/><assemblycontroller/></softwareassembly>");
  }
  ~AssemblyFilesOfANode() override {
    before.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", before.c_str(), 1);
  }

  std::string before;
  TestOrb orb;
  TemporaryFolder temporary, served, root;
  const FileSystemRef files = make_file_system(served.path().string(), orb.poa);
  AssemblyFiles assemblies{root.path().string()};
};

TEST_F(AssemblyFilesOfANode, LeaveNoFolderBetweenTwoOfThem) {
  for (int i = 0; i < 2; ++i) {
    static_cast<void>(assemblies.read(files, "/n/empty.sad.xml"));
    EXPECT_TRUE(fs::is_empty(temporary.path())) << *fs::directory_iterator(temporary.path());
  }
}

TEST_F(AssemblyFilesOfANode, NameTheOptionOfAnotherRoot) {
  const auto lost = assemblies.read(files, "/lost.sad.xml");
  ASSERT_FALSE(lost);
  EXPECT_THAT(lost.error().message, ::testing::HasSubstr("if it was installed with another --root"));
  bool lacks_definition = false;
  const auto unknown = assemblies.read(files, "/lost.sad.xml", &lacks_definition);
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, ::testing::Not(::testing::HasSubstr("--root")));
}

TEST_F(AssemblyFilesOfANode, HaveTheNamesOfTheFileSystem) {
  EXPECT_EQ(assemblies.name_of(temporary.path("orbweaver-domain-AbCdEf/n/a.spd.xml").string()),
            "/n/a.spd.xml");
  EXPECT_EQ(assemblies.name_of(root.path("b/a.spd.xml").string()), "/b/a.spd.xml");
  EXPECT_EQ(assemblies.name_of(temporary.path("other/a.spd.xml").string()), "");
}

}  // namespace
}  // namespace orbweaver::sca::testing
