// `orbweaver check`: profiles with all that they name.
#include "sca/profile/profiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/temporary_folder.h"
#include "sca/profile/profile_file.h"
#include "sca/testdata/test_profiles.h"

namespace orbweaver::sca {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::TestProfiles;

namespace fs = std::filesystem;

const std::string kChainSad = "chain.sad.xml";
const std::string kSourcePrf = "source.prf.xml";

/// What check prints for a file of the test's profiles, without the folder's name.
std::string checked(const TestProfiles& profiles, const std::string& file = kChainSad,
                    const std::string& root = {}) {
  Findings findings;
  Profiles(root, Profiles::CodeFiles::may_be_missing, findings).check(profiles.path(file));
  std::string text = findings.text(100);
  const std::string prefix = profiles.path("");
  for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix))
    text.erase(at, prefix.size());
  return text;
}

std::string checked_prf(const std::string& properties) {
  return checked(TestProfiles().write("p.prf.xml", "<properties>" + properties + "</properties>"),
                 "p.prf.xml");
}

TEST(Profiles, AreValidInTheTests) { EXPECT_EQ(checked(TestProfiles()), ""); }

TEST(Profiles, ReportMistakesOfAllFilesInOneRun) {
  TestProfiles profiles;
  profiles.replace(kChainSad, "value=\"100\"", "value=\"many\"");
  profiles.replace(kChainSad, "<usesidentifier>out", "<usesidentifier>audio");
  profiles.replace(kSourcePrf, "<value>10</value>", "<value>ten</value>");
  profiles.replace("sink.scd.xml", "type=\"data\"", "type=\"date\"");
  profiles.remove("filter.scd.xml");
  EXPECT_EQ(
      checked(profiles),
      "chain.sad.xml:15:30: 'many' cannot be the value of 'packets'; it must be a whole number from 0 to "
      "4294967295\n"
      "chain.sad.xml:33:7: component 'source_1' has no uses port 'audio'; it declares out (source.scd.xml)\n"
      "source.prf.xml:6:5: 'ten' cannot be the value of 'packets'; it must be a whole number from 0 to "
      "4294967295\n"
      "filter.spd.xml:5:15: the file 'filter.scd.xml' does not exist (looked for filter.scd.xml); correct "
      "the "
      "name: it is relative to this file's folder\n"
      "sink.scd.xml:10:79: the attribute 'type' cannot be 'date'; did you mean 'data'? it can be data, "
      "control, "
      "responses, test or virtual\n");
}

TEST(Profiles, AreReadOnce) {
  TestProfiles profiles;
  profiles.replace(kSourcePrf, "<value>10</value>", "<value>ten</value>");
  profiles.replace("filter.spd.xml", "<descriptor>",
                   "<propertyfile><localfile name=\"source.prf.xml\"/></propertyfile><descriptor>");
  const std::string text = checked(profiles);
  EXPECT_EQ(text.find("'ten'"), text.rfind("'ten'")) << text;
}

TEST(Profiles, MustBeOfTheRightKind) {
  EXPECT_THAT(
      checked(TestProfiles().replace("sink.spd.xml", "sink.scd.xml", "source.prf.xml")),
      HasSubstr(
          "is a PRF: its outermost element is <properties>; an SCD with <softwarecomponent> was expected"));
  EXPECT_THAT(
      checked(TestProfiles().replace(kChainSad, "sink.spd.xml", "sink.scd.xml")),
      HasSubstr(
          "is an SCD: its outermost element is <softwarecomponent>; an SPD with <softpkg> was expected"));
}

TEST(Profiles, ThatDependOnThemselvesAreReported) {
  TestProfiles profiles;
  profiles.replace("sink.spd.xml", "<os name=\"Linux\"/>",
                   "<dependency type=\"other\"><softpkgref><localfile "
                   "name=\"source.spd.xml\"/></softpkgref></dependency>");
  profiles.replace("source.spd.xml", "<os name=\"Linux\"/>",
                   "<dependency type=\"other\"><softpkgref><localfile name=\"sink.spd.xml\"/><implref "
                   "refid=\"x\"/></softpkgref></dependency>");
  EXPECT_THAT(checked(profiles),
              HasSubstr("sink.spd.xml:8:42: 'source.spd.xml' contains itself, through this file"));
  profiles.write("a.sad.xml", profiles.read(kChainSad)).replace("a.sad.xml", "sink.spd.xml", "a.sad.xml");
  EXPECT_THAT(checked(profiles, "a.sad.xml"), HasSubstr("'a.sad.xml' contains itself"));
}

TEST(Profiles, AChainOfPackagesHasALimit) {
  TestProfiles profiles;
  for (int i = 0; i < 100; ++i) {
    profiles.write(
        "p" + std::to_string(i) + ".spd.xml",
        "<softpkg id='p' name='p'><author/><implementation id='i'><code><localfile name='c'/></code>"
        "<dependency type='t'><softpkgref><localfile name='p" +
            std::to_string(i + 1) + ".spd.xml'/></softpkgref></dependency></implementation></softpkg>");
  }
  EXPECT_THAT(checked(profiles, "p0.spd.xml"),
              HasSubstr("profiles name each other in a chain of more than 64"));
}

TEST(Profiles, CannotNameFilesOutsideTheRoot) {
  TestProfiles profiles;
  profiles.write("dom/x.spd.xml", profiles.read("sink.spd.xml"));
  const std::string root = profiles.path("dom");
  EXPECT_THAT(checked(profiles.replace("dom/x.spd.xml", "name=\"sink.scd.xml\"", "name=\"../sink.scd.xml\""),
                      "dom/x.spd.xml", root),
              HasSubstr("the file '../sink.scd.xml' is outside the folder dom of --root"));
  fs::create_symlink(profiles.path("sink.scd.xml"), profiles.path("dom/link.scd.xml"));
  EXPECT_THAT(
      checked(profiles.replace("dom/x.spd.xml", "../sink.scd.xml", "link.scd.xml"), "dom/x.spd.xml", root),
      HasSubstr("the file 'link.scd.xml' is outside the folder dom of --root"));
  fs::copy(profiles.path("sink.scd.xml"), profiles.path("dom/inside.scd.xml"));
  EXPECT_EQ(
      checked(profiles.replace("dom/x.spd.xml", "link.scd.xml", "/inside.scd.xml"), "dom/x.spd.xml", root),
      "");
  EXPECT_THAT(checked(profiles, "dom/x.spd.xml"), HasSubstr("it is found with --root dom"));
}

/// The message of the ProfileError that a function throws.
std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const ProfileError& error) {
    return error.message;
  }
  return "nothing";
}

TEST(Profiles, AreReadBelowAFolderWhateverLinksTheirNamesHaveBecome) {
  TestProfiles profiles;
  profiles.write("dom/sub/x.scd.xml", profiles.read("sink.scd.xml"));
  const std::string root = profiles.path("dom");
  // As if links had been exchanged after the names were resolved.
  fs::create_symlink("../sink.scd.xml", profiles.path("dom/file.scd.xml"));
  fs::create_directory_symlink("..", profiles.path("dom/folder"));
  fs::create_symlink("sub/x.scd.xml", profiles.path("dom/inside.scd.xml"));
  for (const char* const name : {"file.scd.xml", "folder/sink.scd.xml", "../sink.scd.xml"})
    EXPECT_EQ(message_of([&] { read_profile_in(root, name, "x"); }),
              "x: a symbolic link leads out of the folder of --root; copy the file into the folder")
        << name;
  EXPECT_EQ(read_profile_in(root, "inside.scd.xml", "x"), profiles.read("sink.scd.xml"));
  EXPECT_EQ(message_of([&] { read_profile_in(root, "none", "x"); }),
            "x: there is no such file; check the name and the folder");
  EXPECT_EQ(message_of([&] { read_profile_in(root, "sub", "x"); }),
            "x: this is not a file; name an XML file");
}

TEST(Profiles, AreThoseThatWereCheckedWhenTheyAreReadAgain) {
  TestProfiles profiles;
  const std::string sad = profiles.read("chain.sad.xml"), path = profiles.path("chain.sad.xml");
  Findings findings;
  Profiles checked(fs::path(path).parent_path().string(), Profiles::CodeFiles::may_be_missing, findings);
  checked.check(path);
  ASSERT_EQ(findings.mistakes(), 0u);
  profiles.write("chain.sad.xml", "<softwareassembly/>");
  EXPECT_EQ(checked.text(path), sad) << "the typed reader relies on what has been checked";
  const TemporaryFolder elsewhere("profiles-test");
  fs::copy(profiles.path("sink.scd.xml"), elsewhere.path() / "secret.xml");
  fs::remove(path);
  fs::create_symlink(elsewhere.path() / "secret.xml", path);
  EXPECT_THAT(message_of([&] { checked.text(path); }), HasSubstr("the file has been exchanged"));
}

TEST(Profiles, AreInTheRootIfOnlyThatIsAllowed) {
  TestProfiles profiles;
  profiles.write("dom/inside.scd.xml", profiles.read("sink.scd.xml"));
  fs::create_symlink(profiles.path("sink.scd.xml"), profiles.path("dom/link.scd.xml"));
  const auto mistakes = [&](const std::string& name, ProfileScope scope) {
    Findings findings;
    Profiles(profiles.path("dom"), Profiles::CodeFiles::may_be_missing, findings, scope)
        .check(profiles.path(name));
    return findings.text(100);
  };
  EXPECT_EQ(mistakes("dom/link.scd.xml", ProfileScope::root_and_folder), "");
  EXPECT_THAT(mistakes("dom/link.scd.xml", ProfileScope::root), HasSubstr("leads out of the folder"));
  EXPECT_EQ(mistakes("dom/inside.scd.xml", ProfileScope::root), "");
}

TEST(Profiles, CanBeCheckedInTheirOwnFolder) {
  TestProfiles profiles;
  profiles.write("dom/x.spd.xml", profiles.read("sink.spd.xml"))
      .replace("dom/x.spd.xml", "name=\"sink.scd.xml\"", "name=\"sinc.scd.xml\"");
  const fs::path before = fs::current_path();
  fs::current_path(profiles.path("dom"));
  Findings findings;
  Profiles(".", Profiles::CodeFiles::may_be_missing, findings).check("x.spd.xml");
  fs::current_path(before);
  EXPECT_THAT(findings.text(100), AllOf(HasSubstr("the file 'sinc.scd.xml' does not exist"),
                                        Not(HasSubstr("outside the folder"))));
}

TEST(Properties, OfAllFormsAreChecked) {
  EXPECT_EQ(
      checked_prf(
          "<struct id='s'><simple id='a' type='short'/><simplesequence id='b' type='char'/></struct>"
          "<structsequence id='q' structrefid='s'><structvalue><simpleref refid='a' value='1'/>"
          "<simplesequenceref refid='b'><values><value>x</value></values></simplesequenceref></structvalue>"
          "</structsequence>"
          "<simplesequence id='l' "
          "type='longlong'><values><value>-9223372036854775808</value></values></simplesequence>"
          "<simple id='c' type='float' complex='true'><value>1.5-j2e3</value></simple>"
          "<simple id='t' type='utctime'><value>2016:03:05::12:00:00.25</value></simple>"
          "<test id='x'><description/><resultvalue><simple id='r' type='long'/></resultvalue></test>"),
      "");
  EXPECT_THAT(
      checked_prf("<simplesequence id='l' type='octet'><values><value>256</value></values></simplesequence>"),
      HasSubstr("'256' cannot be the value of 'l'; it must be a whole number from 0 to 255"));
  EXPECT_THAT(checked_prf("<simple id='l' type='longlong'><value>9223372036854775808</value></simple>"),
              HasSubstr("cannot be"));
  EXPECT_THAT(checked_prf("<simple id='l' type='ulonglong'><value>18446744073709551615</value></simple>"),
              Not(HasSubstr("cannot")));
  EXPECT_THAT(checked_prf("<simple id='l' type='ulonglong'><value>-1</value></simple>"),
              HasSubstr("cannot be"));
  EXPECT_THAT(checked_prf("<simple id='c' type='float' complex='true'><value>1+2j</value></simple>"),
              HasSubstr("such as 1+j2"));
  EXPECT_THAT(checked_prf("<simple id='t' type='utctime'><value>2016-03-05</value></simple>"),
              HasSubstr("must be a time"));
  EXPECT_THAT(checked_prf("<simple id='e' type='long'><enumerations><enumeration label='A' "
                          "value='x'/></enumerations></simple>"),
              HasSubstr("'x' cannot be a value of 'e'"));
  EXPECT_THAT(checked_prf("<simple id='e' type='long'><range min='3' max='2'/></simple>"),
              HasSubstr("the range's min is above its max"));
  EXPECT_THAT(checked_prf("<structsequence id='q' structrefid='s'/>"), HasSubstr("there is no struct 's'"));
  EXPECT_THAT(checked_prf("<structsequence id='q'/>"), HasSubstr("<structsequence> names no struct"));
  EXPECT_THAT(
      checked_prf(
          "<structsequence id='q'><struct id='s'><simple id='a' type='short'/></struct><structvalue>"
          "<simpleref refid='b' value='1'/><simpleref refid='a' value='x'/></structvalue></structsequence>"),
      AllOf(HasSubstr("struct 'q' has no member 'b'"), HasSubstr("'x' cannot be the value of 'a'")));
}

TEST(Properties, MayBeComplexCharacters) {
  EXPECT_EQ(checked_prf("<simple id='c' type='char' complex='true'><value>4+j5</value></simple>"), "");
  EXPECT_EQ(checked_prf("<simple id='c' type='char' complex='true'><value>a</value></simple>"), "");
  EXPECT_THAT(checked_prf("<simple id='c' type='char' complex='true'><value>a+jbc</value></simple>"),
              HasSubstr("it must be one character, or a complex one such as a+jb"));
  EXPECT_THAT(checked_prf("<simple id='c' type='utctime' complex='true'/>"),
              HasSubstr("a property of type utctime cannot be complex"));
}

TEST(Properties, GetTheLargestFloatForANumberBeyondIt) {
  EXPECT_THAT(checked_prf("<simple id='p' type='float'><value>1e99</value></simple>"),
              HasSubstr(": warning: '1e99' is beyond the range of float; 'p' gets 3.4028234663852886e+38\n"));
  EXPECT_THAT(checked_prf("<simplesequence id='p' type='float'><values><value>-1e39</value></values>"
                          "</simplesequence>"),
              HasSubstr(": warning: '-1e39' is beyond the range of float; 'p' gets -3.4028"));
  EXPECT_THAT(checked_prf("<simple id='p' type='float'><value>1e99</value><range min='0' max='1'/></simple>"),
              HasSubstr("'1e99' cannot be the value of 'p'"));
}

TEST(Settings, OfAnEmptyValueGiveAPropertyNoneUnlessItIsAText) {
  const auto with = [](const std::string& setting) {
    TestProfiles profiles;
    return checked(profiles.replace(kChainSad, "<simpleref refid=\"packets\" value=\"100\"/>", setting));
  };
  EXPECT_THAT(with("<simpleref refid=\"packets\" value=\"\"/>"),
              HasSubstr(": warning: the value is empty, so that 'packets' is given none; write its value, or "
                        "remove this\n"));
  EXPECT_THAT(with("<simpleref refid=\"packets\" value=\" \"/>"), HasSubstr("cannot be the value"));
}

TEST(Settings, MustHaveTheFormOfTheProperty) {
  TestProfiles profiles;
  profiles.replace(kSourcePrf, "<simple id=\"colour\"",
                   "<simplesequence id=\"list\" type=\"octet\"/><struct id=\"s\"><simple id=\"m\" "
                   "type=\"long\"/></struct><simple id=\"colour\"");
  const std::string old = "<simpleref refid=\"packets\" value=\"100\"/>";
  const auto with = [&](const std::string& setting) {
    TestProfiles changed;
    return checked(changed.write(kSourcePrf, profiles.read(kSourcePrf)).replace(kChainSad, old, setting));
  };
  EXPECT_EQ(with("<simplesequenceref refid=\"list\"><values><value>1</value></values></simplesequenceref>"
                 "<structref refid=\"s\"><simpleref refid=\"m\" value=\"1\"/></structref>"),
            "");
  EXPECT_THAT(with("<simpleref refid=\"list\" value=\"1\"/>"), HasSubstr("use <simplesequenceref>"));
  EXPECT_THAT(with("<structref refid=\"colour\"><simpleref refid=\"m\" value=\"1\"/></structref>"),
              HasSubstr("use <simpleref>"));
  EXPECT_THAT(with("<structref refid=\"s\"><simpleref refid=\"n\" value=\"1\"/></structref>"),
              HasSubstr("has no member 'n'"));
  EXPECT_THAT(with(old + old), HasSubstr("property 'packets' is set twice"));
}

TEST(Redhawk, ExtensionsAreUnderstoodOrNamedOnce) {
  TestProfiles profiles;
  profiles.replace(kChainSad, "id=\"filter_1\"/>",
                   "id=\"filter_1\" startorder=\"1\"><loggingconfig "
                   "level=\"INFO\">x</loggingconfig></componentinstantiation>");
  profiles.replace(kChainSad, "id=\"sink_1\"/>", "id=\"sink_1\" startorder=\"2\"/>");
  profiles.replace(
      kChainSad, "</connections>",
      "</connections><externalports><port externalname=\"audio\"><providesidentifier>in</providesidentifier>"
      "<componentinstantiationref refid=\"sink_1\"/></port></externalports>"
      "<externalproperties><property comprefid=\"source_1\" propid=\"packets\"/></externalproperties>"
      "<options><option name=\"AWARE_APPLICATION\" value=\"true\"/></options>"
      "<usesdevicedependencies><usesdevice id=\"tuner\"><structref refid=\"a\"><simpleref refid=\"b\" "
      "value=\"1\"/></structref></usesdevice></usesdevicedependencies>");
  profiles.replace(kSourcePrf, "<kind kindtype=\"configure\"/>", "<kind kindtype=\"property\"/>");
  EXPECT_EQ(
      checked(profiles),
      "chain.sad.xml:22:9: warning: startorder of <componentinstantiation> of REDHAWK has an effect in a "
      "domain only; `orbweaver run` starts receivers before senders, and the assembly controller as late "
      "as its connections allow\n"
      "chain.sad.xml:22:62: warning: the file of <loggingconfig> of REDHAWK has no effect, but its level "
      "has; components here log to standard error\n"
      "chain.sad.xml:40:168: warning: <externalproperties> of REDHAWK has an effect in a domain only; "
      "`orbweaver run` has no domain that could use it\n"
      "chain.sad.xml:40:258: warning: <options> of REDHAWK has no effect; they are options of REDHAWK's "
      "application factory\n"
      "chain.sad.xml:40:324: warning: <usesdevicedependencies> of REDHAWK has an effect in a domain only; "
      "`orbweaver run` has one host and no devices\n");
  const auto loaded = profiles.load();
  EXPECT_TRUE(loaded) << loaded.error().message;
}

TEST(Redhawk, AffinitiesWithoutEffectAreNamedOncePerClass) {
  TestProfiles profiles;
  for (const std::string id : {"filter_1", "sink_1"})
    profiles.replace(kChainSad, "id=\"" + id + "\"/>",
                     "id=\"" + id +
                         "\"><affinity><simpleref refid=\"affinity::exec_directive_class\" value=\"nic\"/>"
                         "<simpleref refid=\"affinity::exec_directive_value\" value=\"eth0\"/></affinity>"
                         "</componentinstantiation>");
  EXPECT_EQ(
      checked(profiles),
      "chain.sad.xml:22:47: warning: <affinity> of REDHAWK has an effect in a domain only; `orbweaver run` "
      "binds no process to cores; a domain uses the class cpu\n"
      "chain.sad.xml:22:47: warning: <affinity> of REDHAWK of the class 'nic' has no effect; only the class "
      "cpu has, with a list of processors\n");
}

TEST(Redhawk, ReferencesOfExtensionsAreChecked) {
  TestProfiles profiles;
  profiles.replace(
      kChainSad, "</connections>",
      "</connections><externalports><port><providesidentifier>inn</providesidentifier>"
      "<componentinstantiationref refid=\"sink_1\"/></port></externalports>"
      "<externalproperties><property comprefid=\"source_1\" propid=\"pakets\"/></externalproperties>");
  profiles.replace(kChainSad, "<componentinstantiationref refid=\"sink_1\"/></providesport>",
                   "<deviceusedbyapplication usesrefid=\"tuner\"/></providesport>");
  EXPECT_THAT(checked(profiles),
              AllOf(HasSubstr("component 'sink_1' has no provides port 'inn'"),
                    HasSubstr("component 'source_1' has no property 'pakets'"),
                    HasSubstr("there is no <usesdevice> 'tuner' in <usesdevicedependencies>")));
}

/// Each connection has a base of its own, from which a thousand interfaces derive.
TEST(Scd, TheWorkForInheritanceIsBounded) {
  std::string ports, interfaces, connections;
  constexpr int kPorts = 2000;
  for (int i = 0; i < kPorts; ++i) {
    const std::string n = std::to_string(i);
    ports += "<uses repid='IDL:B" + n + ":1.0' usesname='o" + n + "'/>";
    interfaces += "<interface repid='IDL:B" + n + ":1.0' name='B'><inheritsinterface repid='IDL:B" +
                  std::to_string(i + 1) + ":1.0'/></interface>";
    connections += "<connectinterface><usesport><usesidentifier>o" + n +
                   "</usesidentifier><componentinstantiationref refid='source_1'/></usesport>"
                   "<providesport><providesidentifier>in</providesidentifier><componentinstantiationref "
                   "refid='filter_1'/></providesport></connectinterface>";
  }
  TestProfiles profiles;
  profiles.replace("source.scd.xml", "</ports>", ports + "</ports>");
  profiles.replace("source.scd.xml", "<interfaces>", "<interfaces>" + interfaces);
  profiles.replace(kChainSad, "</connections>", connections + "</connections>");
  Findings findings;
  Profiles("", Profiles::CodeFiles::may_be_missing, findings).check(profiles.path(kChainSad));
  // None of the connections fits. Those after the limit have one mistake together.
  EXPECT_GT(findings.mistakes(), 1000u);
  EXPECT_LT(findings.mistakes(), 1500u);
}

TEST(Scd, NeedsACorbaVersionOrMaxconnections) {
  TestProfiles profiles;
  profiles.replace("sink.scd.xml", "<corbaversion>2.2</corbaversion>", "");
  EXPECT_THAT(checked(profiles, "sink.scd.xml"), HasSubstr("needs a <corbaversion> before this"));
  EXPECT_EQ(checked(profiles.replace("sink.scd.xml", "providesname=\"in\"",
                                     "providesname=\"in\" maxconnections=\"1\""),
                    "sink.scd.xml"),
            "");
  EXPECT_THAT(checked(profiles.replace("sink.scd.xml", "maxconnections=\"1\"", "maxconnections=\"-1\""),
                      "sink.scd.xml"),
              HasSubstr("maxconnections cannot be '-1'"));
}

/// A node with a device and a service, and its domain.
struct ProfilesOfANode : TestProfiles {
  ProfilesOfANode() {
    write("device.scd.xml", read("sink.scd.xml")).replace("device.scd.xml", ">resource<", ">device<");
    write("device.spd.xml", read("sink.spd.xml")).replace("device.spd.xml", "sink.scd.xml", "device.scd.xml");
    write("n.dcd.xml",
          "<deviceconfiguration id='n' name='n'><devicemanagersoftpkg><localfile "
          "name='sink.spd.xml'/></devicemanagersoftpkg>"
          "<componentfiles><componentfile id='d'><localfile name='device.spd.xml'/></componentfile>"
          "<componentfile id='f'><localfile name='filter.spd.xml'/></componentfile></componentfiles>"
          "<partitioning><componentplacement><componentfileref refid='d'/><devicepkgfile><localfile "
          "name='x.dpd.xml'/></devicepkgfile>"
          "<componentinstantiation id='gpp'/></componentplacement>"
          "<componentplacement><componentfileref refid='f'/><deployondevice "
          "refid='gpp'/><componentinstantiation id='fir'/></componentplacement>"
          "</partitioning><connections><connectinterface><usesport><usesidentifier>out</"
          "usesidentifier><componentinstantiationref refid='fir'/></usesport>"
          "<providesport><providesidentifier>in</providesidentifier><componentinstantiationref "
          "refid='gpp'/></providesport></connectinterface></connections>"
          "<domainmanager><namingservice name='D/D'/></domainmanager>"
          "<filesystemnames><filesystemname mountname='/x' "
          "deviceid='gpp'/></filesystemnames></deviceconfiguration>");
    write("x.dpd.xml",
          "<devicepkg id='p' name='p'><author/><hwdeviceregistration id='h' "
          "name='h'><propertyfile><localfile name='source.prf.xml'/></propertyfile>"
          "<description/><manufacturer/><modelnumber/><deviceclass><class>c</class></deviceclass></"
          "hwdeviceregistration></devicepkg>");
    write("d.dmd.xml",
          "<domainmanagerconfiguration id='d' name='d'><domainmanagersoftpkg><localfile "
          "name='sink.spd.xml'/></domainmanagersoftpkg>"
          "<services><service><usesidentifier>log</usesidentifier><findby><domainfinder "
          "type='log'/></findby></service></services></domainmanagerconfiguration>");
    write("p.xml", "<profile filename='n.dcd.xml'/>");
  }
};

TEST(Nodes, AreCheckedWithTheirDevices) {
  const std::string warnings =
      "n.dcd.xml:1:519: warning: <deployondevice> of SCA 2.2.2 has no effect; a node starts each of its "
      "devices on its own host\n"
      "n.dcd.xml:1:949: warning: <filesystemnames> of SCA 2.2.2 has no effect; a node has one file system, "
      "the folder of --root\n";
  EXPECT_EQ(checked(ProfilesOfANode(), "n.dcd.xml"), warnings);
  EXPECT_EQ(checked(ProfilesOfANode(), "d.dmd.xml"), "");
  EXPECT_EQ(checked(ProfilesOfANode(), "p.xml"), warnings);
  ProfilesOfANode elsewhere;
  const std::string end = "in</providesidentifier><componentinstantiationref refid='";
  elsewhere.replace("n.dcd.xml", end + "gpp'", end + "other:gpp'");
  EXPECT_THAT(checked(elsewhere, "n.dcd.xml"),
              AllOf(HasSubstr(": warning: component 'other:gpp' is not in this DCD; the connection has an "
                              "effect in a domain only, if a device of another node has this id"),
                    Not(HasSubstr("there is no component"))));
  elsewhere.replace("n.dcd.xml", "other:gpp'", "n'");
  EXPECT_THAT(checked(elsewhere, "n.dcd.xml"), Not(HasSubstr("component"))) << "the node itself";
  ProfilesOfANode profiles;
  profiles.replace("n.dcd.xml", "deployondevice refid='gpp'", "deployondevice refid='fir'");
  profiles.replace("n.dcd.xml", "deviceid='gpp'", "deviceid='cpu'");
  profiles.replace("n.dcd.xml", "<namingservice name='D/D'/>", "");
  profiles.replace("n.dcd.xml", ">in<", ">inn<");
  profiles.replace("x.dpd.xml", "source.prf.xml", "none.prf.xml");
  EXPECT_THAT(
      checked(profiles, "p.xml"),
      AllOf(HasSubstr("'fir' is not a device: the type in filter.scd.xml is resource"),
            HasSubstr("there is no component 'cpu'"), HasSubstr("<domainmanager> needs a <namingservice>"),
            HasSubstr("has no provides port 'inn'"), HasSubstr("the file 'none.prf.xml' does not exist")));
}

}  // namespace
}  // namespace orbweaver::sca
