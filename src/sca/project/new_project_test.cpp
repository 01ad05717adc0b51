#include "sca/project/new_project.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "sca/profile/profiles.h"

namespace orbweaver::sca {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class NewProjectTest : public ::testing::Test {
 protected:
  NewProjectTest()
      : folder_(fs::temp_directory_path() / ("orbweaver-new-project-" + std::to_string(getpid()))) {
    fs::create_directory(folder_);
  }
  ~NewProjectTest() override { fs::remove_all(folder_); }

  /// All mistakes of the profile and of those that it names.
  std::string mistakes_of(const std::string& profile) {
    Findings findings;
    Profiles("", Profiles::CodeFiles::warn_if_missing, findings).check((folder_ / profile).string());
    return findings.mistakes() == 0 ? "" : findings.text(100, false);
  }
  static std::vector<std::string> mistakes(const std::string& name, const std::vector<std::string>& ports,
                                           const std::vector<std::string>& properties = {}) {
    std::vector<std::string> found;
    read_new_component(name, ports, properties, found);
    return found;
  }

  const fs::path folder_;
};

TEST_F(NewProjectTest, MakesProfilesWithoutMistakes) {
  std::vector<std::string> found;
  const NewComponent component = read_new_component(
      "fm-demod", {"in:complex", "out:left:float", "out:right:short", "out:iq:complexShort"},
      {"a:boolean=TRUE", "b:char=<", "c:octet=0xff", "d:short", "e:longlong=-9223372036854775808",
       "f:float=1e-3", "g:double=5", "h:string=a \"b\" & <c>", "i:string", "j:float[]=1 0x10", "k:string[]",
       "l:{gain:double=2;codes:octet[]=1 2}", "m:{on:boolean}[]"},
      found);
  ASSERT_THAT(found, IsEmpty());
  ASSERT_THAT(write_new_files((folder_ / "fm-demod").string(), files_of_component(component)), IsEmpty());
  EXPECT_EQ(mistakes_of("fm-demod/fm-demod.spd.xml"), "");
  const std::string code = files_of_component(component)[1].text;
  EXPECT_THAT(code, HasSubstr("sca::Property<std::vector<float>> j_{*this, \"j\", {1.0f, 16.0f}};"));
  EXPECT_THAT(
      code,
      HasSubstr("struct LValue {\n  double gain = 2.0;\n  std::vector<std::uint8_t> codes = {1, 2};\n"));
  EXPECT_THAT(code, HasSubstr("return std::tuple(sca::Member(\"gain\", &LValue::gain),\n"
                              "                      sca::Member(\"codes\", &LValue::codes));"));
  EXPECT_THAT(code, HasSubstr("sca::Property<std::vector<MValue>> m_{*this, \"m\", {}};"));
  ASSERT_THAT(write_new_files((folder_ / "radio").string(), files_of_waveform("radio")), IsEmpty());
  EXPECT_EQ(mistakes_of("radio/radio.sad.xml"), "");
}

TEST_F(NewProjectTest, DeclaresPortsOfOssieByTheirInterfaces) {
  std::vector<std::string> found;
  const NewComponent component = read_new_component("iq", {"in:complexShort", "out:realChar"}, {}, found);
  ASSERT_THAT(found, IsEmpty());
  const auto files = files_of_component(component);
  ASSERT_EQ(files[1].name, "iq.cpp");
  EXPECT_THAT(files[1].text, HasSubstr("sca::OssieInput<std::complex<std::int16_t>> in_{"));
  EXPECT_THAT(files[1].text, HasSubstr("sca::OssieOutput<std::int8_t> out_{"));
  ASSERT_EQ(files[4].name, "iq.scd.xml");
  EXPECT_THAT(files[4].text,
              HasSubstr("<provides repid=\"IDL:standardInterfaces/complexShort:1.0\" providesname=\"in\"/>"));
}

TEST_F(NewProjectTest, GivesEachPackageAnIdOfItsOwn) {
  const auto a = files_of_component({"a", {{true, "in", "float"}}, {}});
  const auto b = files_of_component({"a", {{true, "in", "float"}}, {}});
  ASSERT_EQ(a[3].name, "a.spd.xml");
  EXPECT_NE(a[3].text, b[3].text);
}

TEST_F(NewProjectTest, RejectsNames) {
  for (const char* name :
       {"", "1st", "a/b", "..", "a b", "-x", "ä", "a.b", "a;b", "test", "all", "CMakeFiles"})
    EXPECT_THAT(mistakes(name, {"in:float"}), ElementsAre(HasSubstr("the name '"))) << name;
  EXPECT_THAT(mistakes(std::string(65, 'a'), {"in:float"}), ElementsAre(HasSubstr("at most 64")));
  EXPECT_THAT(mistakes("a_1-B", {"in:float"}), IsEmpty());
}

TEST_F(NewProjectTest, HasAMessageForEachMistake) {
  EXPECT_THAT(
      mistakes(
          "1", {"in:flaot", "inn:float", "float", "in:a:b:float", "out:9:short", "in:float", "in:short"},
          {"gain", "g:duoble", "x:ulong=-1", "in:long", "y:char", "NAME_BINDING:string", "z:string=\x1b"}),
      ElementsAre(HasSubstr("the name '1'"), HasSubstr("no type 'flaot' of samples; did you mean 'float'?"),
                  HasSubstr("the direction is 'inn'; did you mean 'in'?"),
                  HasSubstr("a port is DIRECTION:TYPE"), HasSubstr("a port is DIRECTION:TYPE"),
                  HasSubstr("port '9': a name is a letter"), HasSubstr("there are two ports 'in'"),
                  HasSubstr("there are two ports 'in'"), HasSubstr("a property is ID:TYPE or ID:TYPE=VALUE"),
                  HasSubstr("did you mean 'double'?"),
                  HasSubstr("'-1' is not a value; it must be a whole number"),
                  HasSubstr("'in' is a port and a property"), HasSubstr("of type char needs a value"),
                  HasSubstr("is set by the core framework"), HasSubstr("cannot be printed")));
  EXPECT_THAT(mistakes("a", {"in:float"},
                       {"s:{a:long", "t:{a:loong;b:long;b:long;for:long}", "u:octet[]=1 300", "v:{}"}),
              ElementsAre(HasSubstr("a struct is {MEMBER;MEMBER}"), HasSubstr("did you mean 'long'?"),
                          HasSubstr("two members 'b'"), HasSubstr("no word of C++"),
                          HasSubstr("'300' is not a value"), HasSubstr("a struct is")));
  EXPECT_THAT(mistakes("a", {}), ElementsAre(HasSubstr("needs a port")));
  EXPECT_THAT(mistakes("a", {"in:float"}, {"samples:long"}), ElementsAre(HasSubstr("is a counter and a")));
  EXPECT_THAT(mistakes("a", std::vector<std::string>(101, "in:float")), ElementsAre(HasSubstr("too many")));
}

TEST_F(NewProjectTest, OverwritesNothing) {
  const std::string root = (folder_ / "radio").string();
  fs::create_directory(root);
  std::ofstream(root + "/CMakeLists.txt") << "mine";
  fs::create_symlink("nowhere", root + "/radio.sad.xml");
  EXPECT_THAT(write_new_files(root, files_of_waveform("radio")),
              ElementsAre(HasSubstr("radio/CMakeLists.txt: the file exists, and is not overwritten"),
                          HasSubstr("radio/radio.sad.xml: the file exists")));
  std::ostringstream kept;
  kept << std::ifstream(root + "/CMakeLists.txt").rdbuf();
  EXPECT_EQ(kept.str(), "mine");
  EXPECT_FALSE(fs::exists(root + "/radio_source"));
}

TEST_F(NewProjectTest, LeavesNothingBehindIfAFileCannotBeWritten) {
  std::ofstream(folder_ / "file") << "x";
  EXPECT_THAT(write_new_files((folder_ / "file/radio").string(), files_of_waveform("radio")),
              ElementsAre(HasSubstr("the folder cannot be created")));
  // The last file has a folder where one of its folders should be.
  EXPECT_THAT(write_new_files((folder_ / "new").string(), {{"a/b", "text"}, {"a/b/c", "text"}}),
              ElementsAre(HasSubstr("new/a/b: the folder cannot be created: ")));
  EXPECT_FALSE(fs::exists(folder_ / "new"));
}

}  // namespace
}  // namespace orbweaver::sca
