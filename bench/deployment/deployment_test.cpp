#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "assembly.h"
#include "bench/harness/child.h"
#include "command.h"
#include "measured_domain.h"

namespace orbweaver::bench {
namespace {

using ::testing::Each;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(DeploymentAssembly, IsAValidProfile) {
  const ScratchFolder folder;
  for (const bool in_one_process : {false, true}) {
    const Assembly assembly{4, 3, in_one_process};
    write_assembly(assembly, folder.path());
    Child check(ORBWEAVER_COMMAND, {"check", folder.path() + "/" + assembly.file_name()});
    std::string output;
    while (const auto line = check.read_line(std::chrono::seconds(120))) output += *line + "\n";
    EXPECT_EQ(check.wait(std::chrono::seconds(120)), 0) << output;
  }
}

TEST(DeploymentCommand, MeasuresProcessesAndLibrariesBesideTheirFloors) {
  std::ostringstream out, err;
  const DeploymentPlan plan{{2}, 2, 1, 2};
  ASSERT_EQ(run_deployment_command(plan, ORBWEAVER_COMMAND, "-", out, err), 0) << err.str();
  const auto rows = nlohmann::json::parse(out.str());
  ASSERT_THAT(rows, SizeIs(2));
  for (const auto& row : rows) {
    EXPECT_EQ(row["components"], 2);
    EXPECT_EQ(row["connections"], 2);
    for (const char* times : {"create_to_started_ms", "floor_ms", "release_ms"}) {
      EXPECT_THAT(row[times].get<std::vector<double>>(), SizeIs(2));
      EXPECT_THAT(row[times].get<std::vector<double>>(), Each(Gt(0)));
    }
    EXPECT_EQ(row["files"][0], row["files"][1]);
  }
  EXPECT_FALSE(rows[0]["in_one_process"]);
  EXPECT_TRUE(rows[1]["in_one_process"]);
  EXPECT_THAT(err.str(), HasSubstr("2 libraries in a process"));
}

TEST(DeploymentCommand, RejectsAnInvalidPlan) {
  std::ostringstream out, err;
  DeploymentPlan plan;
  plan.components = {9, 0};
  EXPECT_EQ(run_deployment_command(plan, ORBWEAVER_COMMAND, "", out, err), 2);
  EXPECT_EQ(err.str(), "bench deployment: --components: each from 1 to 1000\n");
}

TEST(DeploymentCommand, SaysThatTheDomainCannotBeStarted) {
  std::ostringstream out, err;
  EXPECT_EQ(run_deployment_command({}, "/nowhere/orbweaver", "", out, err), 1);
  EXPECT_THAT(err.str(), HasSubstr("the domain has not started"));
}

}  // namespace
}  // namespace orbweaver::bench
