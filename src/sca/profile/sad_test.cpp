#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sca/testdata/test_profiles.h"

namespace orbweaver::sca {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::TestProfiles;

TEST(Sad, LoadsAllReferencedProfiles) {
  const auto loaded = TestProfiles().load();
  ASSERT_TRUE(loaded) << loaded.error().message;
  const Assembly& assembly = *loaded;
  EXPECT_EQ(assembly.id, "DCE:chain");
  EXPECT_EQ(assembly.name, "Chain");
  ASSERT_EQ(assembly.components.size(), 3u);
  EXPECT_EQ(assembly.components[0].id, "source_1");
  EXPECT_EQ(assembly.components[0].name, "Source");
  EXPECT_EQ(assembly.components[0].naming, "source");
  EXPECT_EQ(assembly.components[1].naming, "filter_1") << "the id if no name is given";
  EXPECT_EQ(assembly.components[0].settings[0].id, "packets");
  EXPECT_EQ(assembly.package_of(2).name, "sink");
  EXPECT_EQ(assembly.package_of(0).properties.find("packets")->value, "10");
  ASSERT_EQ(assembly.connections.size(), 2u);
  EXPECT_EQ(assembly.connections[1].provides.component, 2u);
  EXPECT_EQ(assembly.connections[1].interface, "IDL:orbweaver/stream/FloatInput:1.0");
  EXPECT_EQ(assembly.controller, 0u);
}

TEST(Sad, HasAPackageOnceThatSeveralComponentFilesName) {
  TestProfiles profiles;
  profiles.replace(
      "chain.sad.xml", "<componentfiles>",
      "<componentfiles><componentfile id=\"first\" type=\"SPD\"><localfile "
      "name=\"sink.spd.xml\"/></componentfile><componentfile id=\"second\" type=\"SPD\"><localfile "
      "name=\"../x/../" +
          std::filesystem::path(profiles.path("")).parent_path().filename().string() +
          "/sink.spd.xml\"/></componentfile>");
  profiles.replace("chain.sad.xml", "<componentfileref refid=\"sink_spd\"/>",
                   "<componentfileref refid=\"second\"/>");
  const auto loaded = profiles.load();
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->packages.size(), 3u);
  EXPECT_EQ(loaded->package_of(0).name, "source");
  EXPECT_EQ(loaded->package_of(1).name, "filter");
  EXPECT_EQ(loaded->package_of(2).name, "sink");
}

TEST(Sad, ReadsProcessCollocation) {
  TestProfiles profiles;
  profiles.replace("chain.sad.xml", "id=\"filter_1\"", "id=\"filter_1\" processcollocation=\"all\"");
  const auto loaded = profiles.load();
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->components[1].process, "all");
  EXPECT_EQ(loaded->components[2].process, "");
}

TEST(Sad, AcceptsPortIdentifiersOfBothVersions) {
  TestProfiles profiles;
  profiles.replace("chain.sad.xml", "<usesidentifier>out</usesidentifier>", "<identifier>out</identifier>");
  EXPECT_EQ(profiles.problem(), "nothing");
}

TEST(Sad, NamesAMissingFile) {
  EXPECT_THAT(load_assembly("/nowhere/x.sad.xml").error().message,
              HasSubstr("/nowhere/x.sad.xml: there is no such file"));
}

TEST(Sad, NamesAMissingPackageAtItsReference) {
  EXPECT_THAT(TestProfiles().remove("filter.spd.xml").problem(),
              StartsWith("chain.sad.xml:7:47: the file 'filter.spd.xml' does not exist"));
}

TEST(Sad, RejectsAnUnknownComponentFile) {
  EXPECT_THAT(TestProfiles()
                  .replace("chain.sad.xml", "<componentfileref refid=\"sink_spd\"/>",
                           "<componentfileref refid=\"sinc_spd\"/>")
                  .problem(),
              AllOf(StartsWith("chain.sad.xml:25:9: there is no componentfile 'sinc_spd'"),
                    HasSubstr("did you mean 'sink_spd'? there is filter_spd, sink_spd or source_spd")));
}

TEST(Sad, RejectsAnUnknownComponentInAConnection) {
  EXPECT_THAT(
      TestProfiles()
          .replace("chain.sad.xml", "<componentinstantiationref refid=\"sink_1\"/>",
                   "<componentinstantiationref refid=\"sink_2\"/>")
          .problem(),
      HasSubstr(
          "there is no component 'sink_2'; did you mean 'sink_1'? there is filter_1, sink_1 or source_1"));
}

TEST(Sad, RejectsDuplicateComponentIds) {
  EXPECT_THAT(TestProfiles().replace("chain.sad.xml", "id=\"sink_1\"", "id=\"filter_1\"").problem(),
              HasSubstr("chain.sad.xml:26:9: a second id 'filter_1'; the first is in line 22: rename one"));
}

TEST(Sad, RejectsDuplicateConnectionIds) {
  EXPECT_THAT(TestProfiles().replace("chain.sad.xml", "id=\"c2\"", "id=\"c1\"").problem(),
              HasSubstr("a second id 'c1'"));
}

TEST(Sad, RejectsAnUndeclaredPort) {
  EXPECT_THAT(
      TestProfiles().replace("chain.sad.xml", "<usesidentifier>out", "<usesidentifier>audio").problem(),
      AllOf(StartsWith("chain.sad.xml:33:7: component 'source_1' has no uses port 'audio'; it declares out"),
            HasSubstr("source.scd.xml")));
  EXPECT_THAT(
      TestProfiles().replace("chain.sad.xml", "<providesidentifier>in", "<providesidentifier>out").problem(),
      HasSubstr("'filter_1' has no provides port 'out' (it is a uses port); swap its two ends"));
}

TEST(Sad, RejectsPortsOfDifferentInterfaces) {
  EXPECT_THAT(TestProfiles()
                  .replace("filter.scd.xml", "<provides repid=\"IDL:orbweaver/stream/FloatInput:1.0\"",
                           "<provides repid=\"IDL:orbweaver/stream/ShortInput:1.0\"")
                  .problem(),
              AllOf(StartsWith("chain.sad.xml:32:5:"),
                    HasSubstr("calls IDL:orbweaver/stream/FloatInput:1.0, but port 'in' of 'filter_1' is "
                              "IDL:orbweaver/stream/ShortInput:1.0")));
}

TEST(Sad, AcceptsADerivedProvidesPort) {
  TestProfiles profiles;
  profiles.replace("source.scd.xml", "<uses repid=\"IDL:orbweaver/stream/FloatInput:1.0\"",
                   "<uses repid=\"IDL:orbweaver/stream/Input:1.0\"");
  EXPECT_EQ(profiles.problem(), "nothing");
}

TEST(Sad, AcceptsAConnectionToTheComponent) {
  TestProfiles profiles;
  profiles.replace(
      "chain.sad.xml",
      "<providesport><providesidentifier>in</providesidentifier><componentinstantiationref "
      "refid=\"filter_1\"/></providesport>",
      "<componentsupportedinterface><supportedidentifier>IDL:CF/LifeCycle:1.0</"
      "supportedidentifier><componentinstantiationref refid=\"filter_1\"/></componentsupportedinterface>");
  profiles.replace("source.scd.xml", "<uses repid=\"IDL:orbweaver/stream/FloatInput:1.0\"",
                   "<uses repid=\"IDL:CF/LifeCycle:1.0\"");
  EXPECT_EQ(profiles.problem(), "nothing");
}

TEST(Sad, RejectsADuplicateConnection) {
  TestProfiles profiles;
  const std::string text = profiles.read("chain.sad.xml");
  const auto begin = text.find("    <connectinterface id=\"c1\">");
  std::string again = text.substr(begin, text.find("    <connectinterface id=\"c2\">") - begin);
  again.replace(again.find("c1"), 2, "c3");
  profiles.replace("chain.sad.xml", "  </connections>", again + "  </connections>");
  EXPECT_THAT(profiles.problem(), HasSubstr("these two ports are connected already"));
}

TEST(Sad, ValidatesSettings) {
  const auto with = [](const std::string& setting) {
    return TestProfiles().replace("chain.sad.xml", "refid=\"packets\" value=\"100\"", setting).problem();
  };
  EXPECT_THAT(
      with("refid=\"pakets\" value=\"1\""),
      HasSubstr("has no property 'pakets'; did you mean 'packets'? it has colour, gain, packets or shape"));
  EXPECT_THAT(
      with("refid=\"packets\" value=\"many\""),
      HasSubstr("'many' cannot be the value of 'packets'; it must be a whole number from 0 to 4294967295"));
  EXPECT_THAT(with("refid=\"packets\" value=\"0\""), HasSubstr("it must be from 1 to 1000000 packets"));
  EXPECT_THAT(with("refid=\"packets\" value=\"-1\""), HasSubstr("whole number"));
  EXPECT_THAT(with("refid=\"shape\" value=\"square\""), HasSubstr("must be one of sine, noise"));
  EXPECT_THAT(with("refid=\"gain\" value=\"nan\""), HasSubstr("must be a number"));
  EXPECT_EQ(with("refid=\"gain\" value=\"1e39\""), "nothing") << "it gets the largest float, with a warning";
  EXPECT_EQ(with("refid=\"colour\" value=\"4\""), "nothing") << "its kind is configure";
  EXPECT_EQ(with("refid=\"gain\" value=\"-0.5\""), "nothing");
}

TEST(Sad, RejectsUnknownElementsAndAttributes) {
  EXPECT_THAT(TestProfiles()
                  .replace("chain.sad.xml", "id=\"filter_1\"", "id=\"filter_1\" processcolocation=\"all\"")
                  .problem(),
              HasSubstr("<componentinstantiation> has no attribute 'processcolocation'; did you mean "
                        "'processcollocation'? it can have id, processcollocation"));
  EXPECT_THAT(TestProfiles()
                  .replace("chain.sad.xml", "<usagename>Source</usagename>", "<usename>Source</usename>")
                  .problem(),
              HasSubstr("<usename> is not allowed in <componentinstantiation>; did you mean 'usagename'?"));
}

TEST(Sad, ReportsUnsupportedFormsInOneLine) {
  const auto with = [](const std::string& old_text, const std::string& new_text) {
    return TestProfiles().replace("chain.sad.xml", old_text, new_text).problem();
  };
  EXPECT_THAT(with("<componentinstantiationref refid=\"sink_1\"/></providesport>",
                   "<findby><namingservice name=\"x\"/></findby></providesport>"),
              HasSubstr("<findby> in a connection is not supported by `orbweaver run` yet"));
  EXPECT_THAT(TestProfiles()
                  .replace("source.spd.xml", "<os name=\"Linux\"/>",
                           "<os name=\"Linux\"/><usesdevice id=\"d\" type=\"t\"><propertyref refid=\"p\" "
                           "value=\"1\"/></usesdevice>")
                  .problem(),
              "nothing")
      << "its other implementation is supported";
}

TEST(Sad, CountsTheOtherMistakes) {
  TestProfiles profiles;
  profiles.replace("chain.sad.xml", "refid=\"packets\"", "refid=\"pakets\"");
  profiles.replace("chain.sad.xml", "<assemblycontroller>", "<assemblycontroler>");
  profiles.replace("chain.sad.xml", "</assemblycontroller>", "</assemblycontroler>");
  profiles.replace("sink.spd.xml", "name=\"sink\"", "nam=\"sink\"");
  EXPECT_THAT(profiles.problem(),
              AllOf(StartsWith("chain.sad.xml:15:"),
                    HasSubstr("(the first of 4 mistakes: `orbweaver check` lists them)")));
}

TEST(Scd, TerminatesOnCyclicInheritance) {
  TestProfiles profiles;
  profiles.replace("filter.scd.xml", "<inheritsinterface repid=\"IDL:orbweaver/stream/Input:1.0\"/>",
                   "<inheritsinterface repid=\"IDL:orbweaver/stream/FloatInput:1.0\"/>");
  profiles.replace("source.scd.xml", "<uses repid=\"IDL:orbweaver/stream/FloatInput:1.0\"",
                   "<uses repid=\"IDL:x/Y:1.0\"");
  EXPECT_THAT(profiles.problem(), HasSubstr("calls IDL:x/Y:1.0"));
}

TEST(Scd, RejectsDuplicatePortNames) {
  const std::string uses = "<uses repid=\"IDL:orbweaver/stream/FloatInput:1.0\" usesname=\"";
  EXPECT_THAT(TestProfiles().replace("filter.scd.xml", uses, uses + "out\"/>" + uses).problem(),
              StartsWith("filter.scd.xml:11:73: a second port 'out'; the first is in line 11"));
  EXPECT_EQ(TestProfiles().replace("filter.scd.xml", uses, uses + "in\"/>" + uses).problem(), "nothing")
      << "a bidirectional port of REDHAWK";
}

TEST(Spd, RequiresADescriptorAndAnImplementation) {
  EXPECT_THAT(TestProfiles()
                  .replace("sink.spd.xml", "<descriptor><localfile name=\"sink.scd.xml\"/></descriptor>", "")
                  .problem(),
              StartsWith("sink.spd.xml:3:1: the package has no <descriptor>"));
  EXPECT_THAT(TestProfiles().replace("sink.spd.xml", "type=\"Executable\"", "type=\"Program\"").problem(),
              HasSubstr("code cannot be of type 'Program'; it can be Executable"));
  EXPECT_EQ(TestProfiles().replace("sink.spd.xml", "type=\"Executable\"", "type=\"KernelModule\"").problem(),
            "nothing")
      << "the other implementation is used";
  EXPECT_THAT(TestProfiles()
                  .replace("sink.spd.xml", "implementation id=\"module\"", "implementation id=\"process\"")
                  .problem(),
              HasSubstr("a second id 'process'"));
}

TEST(Sad, WarnsOfAPropertyWithoutEffect) {
  TestProfiles profiles;
  profiles.replace("source.prf.xml", "kindtype=\"configure\"", "kindtype=\"allocation\"");
  const auto loaded = profiles.load();
  ASSERT_TRUE(loaded) << loaded.error().message;
  ASSERT_EQ(loaded->warnings.size(), 1u);
  EXPECT_THAT(loaded->warnings[0],
              HasSubstr("source.prf.xml:17:3: property 'colour' has no effect: it is of kind "
                        "allocation, and only execparam and configure are set"));
  profiles.replace("chain.sad.xml", "refid=\"packets\"", "refid=\"colour\"");
  EXPECT_THAT(profiles.problem(), HasSubstr("property 'colour' cannot be set"));
}

TEST(Sad, WarnsOfAnOutputThatIsNotConnected) {
  TestProfiles profiles;
  EXPECT_TRUE(profiles.load()->warnings.empty());
  const std::string all = profiles.read("chain.sad.xml");
  const auto begin = all.find("    <connectinterface id=\"c1\">"),
             end = all.find("    <connectinterface id=\"c2\">");
  profiles.write("chain.sad.xml", all.substr(0, begin) + all.substr(end));
  const auto loaded = profiles.load();
  ASSERT_TRUE(loaded) << loaded.error().message;
  ASSERT_EQ(loaded->warnings.size(), 1u);
  EXPECT_THAT(
      loaded->warnings[0],
      HasSubstr("chain.sad.xml:13:7: port 'out' of component 'source_1' is not connected: its packets are "
                "dropped and counted"));
}

TEST(Prf, RejectsAnUnknownMode) {
  EXPECT_THAT(TestProfiles().replace("source.prf.xml", "mode=\"readonly\"", "mode=\"rw\"").problem(),
              StartsWith("source.prf.xml:4:3: the attribute 'mode' cannot be 'rw'; it can be readonly, "
                         "readwrite or writeonly"));
}

TEST(Prf, RejectsADefaultOfAnotherType) {
  EXPECT_THAT(TestProfiles().replace("source.prf.xml", "<value>10</value>", "<value>ten</value>").problem(),
              StartsWith("source.prf.xml:6:5: 'ten' cannot be the value of 'packets'"));
  EXPECT_THAT(TestProfiles().replace("source.prf.xml", "type=\"ulong\"", "type=\"uint\"").problem(),
              HasSubstr("the attribute 'type' cannot be 'uint'"));
  EXPECT_THAT(TestProfiles().replace("source.prf.xml", "id=\"gain\"", "id=\"shape\"").problem(),
              HasSubstr("a second id 'shape'; the first is in line 11"));
}

}  // namespace
}  // namespace orbweaver::sca
