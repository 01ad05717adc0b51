// Components that do not match their profiles or this machine are rejected before they are initialized.
#include "sca/run_tests/run_process.h"

namespace {

using namespace orbweaver::sca::testing;
using ::testing::HasSubstr;

/// Runs an assembly that is rejected with this exit status and returns its output.
std::string refusal(RunProfiles& profiles, int status, std::vector<std::string> arguments = {}) {
  arguments.insert(arguments.begin(), profiles.path("run_test_chain.sad.xml"));
  RunProcess run(std::move(arguments));
  EXPECT_EQ(run.end(), "exited with status " + std::to_string(status)) << run.output;
  run.expect_nothing_left();
  return run.output;
}

TEST(DeploymentCheck, RejectsPortsWhoseTypesDiffer) {
  RunProfiles profiles;
  for (const char* part : {"source", "filter", "sink"})
    profiles.replace(std::string(part) + ".scd.xml", "stream/FloatInput", "stream/OctetInput");
  EXPECT_THAT(refusal(profiles, 1),
              HasSubstr("source.scd.xml:10:7: port 'out' of component 'source_1' is "
                        "IDL:orbweaver/stream/FloatInput:1.0 in its class, and its SCD says "
                        "IDL:orbweaver/stream/OctetInput:1.0"));
}

TEST(DeploymentCheck, RejectsPropertiesWhoseTypesDiffer) {
  RunProfiles profiles;
  profiles.replace("run_test_source.prf.xml", "id=\"packets\" type=\"ulong\"",
                   "id=\"packets\" type=\"double\"");
  EXPECT_THAT(refusal(profiles, 1),
              HasSubstr("property 'packets' of component 'source_1' is double here, and ulong in its class"));
}

TEST(DeploymentCheck, RejectsAPropertyMissingInTheClass) {
  RunProfiles profiles;
  profiles.replace("run_test_source.prf.xml", "id=\"in_place\"", "id=\"in_situ\"");
  EXPECT_THAT(
      refusal(profiles, 1),
      HasSubstr("component 'source_1' has no property 'in_situ', though its PRF declares it here; the "
                "class has the properties packets, size, realtime, in_place or metadata"));
}

TEST(DeploymentCheck, RejectsAPortMissingInTheClass) {
  RunProfiles profiles;
  profiles.replace("sink.scd.xml", "providesname=\"in\"", "providesname=\"input\"")
      .replace("run_test_chain.sad.xml", "<providesidentifier>in</providesidentifier>",
               "<providesidentifier>input</providesidentifier>")
      .replace("filter.scd.xml", "providesname=\"in\"", "providesname=\"input\"");
  EXPECT_THAT(refusal(profiles, 1), HasSubstr("has no port 'input', though its SCD declares it here"));
}

TEST(DeploymentCheck, RejectsAnotherSystem) {
  RunProfiles profiles;
  profiles.replace("run_test_filter.spd.xml", "<os name=\"Linux\"/>", "<os name=\"Win32\"/>");
  EXPECT_THAT(refusal(profiles, 2),
              HasSubstr("run_test_filter.spd.xml:7:3: implementation 'process' is for Win32"));
}

TEST(DeploymentCheck, RejectsAForeignProcessor) {
  RunProfiles profiles;
  profiles.replace("run_test_filter.spd.xml", "<os name=\"Linux\"/>",
                   "<os name=\"Linux\"/><processor name=\"vax\"/>");
  EXPECT_THAT(refusal(profiles, 2), HasSubstr("implementation 'process' is for the processor vax"));
}

TEST(DeploymentCheck, RejectsAProgramThatIsNotExecutable) {
  RunProfiles profiles;
  profiles.write("plain", "#!/bin/sh\n")
      .replace("run_test_sink.spd.xml", std::string(ORBWEAVER_RUN_TEST_FOLDER) + "/run_test_sink\"",
               "plain\"");
  EXPECT_THAT(refusal(profiles, 2), HasSubstr("the program of implementation 'process' is not executable"));
}

}  // namespace
