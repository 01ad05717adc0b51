// Copies of the profiles that a file system of a node has.
#include "sca/profile_copies/profile_copies.h"

#include "sca/files/testing/served_folder.h"

namespace orbweaver::sca::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

struct ProfileCopies : ::testing::Test {
  ProfileCopies() {
    served.write("a.sad.xml",
                 "<softwareassembly id='a' name='a'><componentfiles><componentfile id='f'><localfile "
                 "name='sub/b.spd.xml'/></componentfile></componentfiles></softwareassembly>");
    served.write("sub/b.spd.xml", "<softpkg id='b' name='b'/>");
  }
  TestOrb orb;
  TemporaryFolder served, copies;
  const FileSystemRef files = make_file_system(served.path().string(), orb.poa);
};

TEST_F(ProfileCopies, AreMadeOfEachProfileThatIsNamed) {
  ASSERT_TRUE(copy_profiles(files, "/a.sad.xml", copies.path()));
  EXPECT_EQ(copies.content("sub/b.spd.xml"), served.content("sub/b.spd.xml"));
}

TEST_F(ProfileCopies, FollowNoLinkAndReplaceNoFile) {
  TemporaryFolder others;
  others.write("secret", "x");
  std::filesystem::create_directory_symlink(others.path(), copies.path("sub"));
  EXPECT_FALSE(copy_profiles(files, "/a.sad.xml", copies.path()));
  EXPECT_FALSE(std::filesystem::exists(others.path("b.spd.xml")));
  for (const char* const name : {"/a.sad.xml", "/sub/b.spd.xml"}) {
    TemporaryFolder linked;
    std::filesystem::create_directory(linked.path("sub"));
    std::filesystem::create_symlink(others.path("secret"), linked.path(std::string(name).substr(1)));
    EXPECT_FALSE(copy_profiles(files, "/a.sad.xml", linked.path())) << name;
  }
  EXPECT_EQ(others.content("secret"), "x");
}

TEST_F(ProfileCopies, AreNotMadeInAFolderThatHasBeenRemoved) {
  EXPECT_FALSE(copy_profiles(files, "/a.sad.xml", copies.path("removed")));
  EXPECT_FALSE(std::filesystem::exists(copies.path("removed")));
}

TEST_F(ProfileCopies, AreMadeOnceOfAFileWithSeveralNames) {
  served.write("loop.sad.xml",
               "<softwareassembly id='a' name='a'><componentfiles><componentfile id='f'><localfile "
               "name='./loop.sad.xml'/></componentfile></componentfiles></softwareassembly>");
  EXPECT_TRUE(copy_profiles(files, "//loop.sad.xml", copies.path()));
}

TEST_F(ProfileCopies, EndWhenTheirTimeHasPassed) {
  const auto copied = copy_profiles(files, "/a.sad.xml", copies.path(), nullptr, 0ms);
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().kind, ErrorKind::unavailable);
  EXPECT_THAT(copied.error().message,
              HasSubstr("the profiles that /a.sad.xml names could not be read within 0 ms: /sub/b.spd.xml"));
}

}  // namespace
}  // namespace orbweaver::sca::testing
