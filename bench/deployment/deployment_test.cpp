#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "assembly.h"
#include "bench/harness/child.h"
#include "command.h"
#include "growth.h"
#include "measured_domain.h"
#include "platform/testing/becomes_true.h"

namespace orbweaver::bench {
namespace {

using platform::testing::becomes_true;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::SizeIs;

/// Sanitizers keep memory that is not used any more.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kKeepsFreedMemory = true;
#else
constexpr bool kKeepsFreedMemory = false;
#endif

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

TEST(DeploymentCommand, MeasuresTheGrowthOfEachProcess) {
  std::ostringstream out, err;
  DeploymentPlan plan{{2}, 0, 1, 2};
  plan.growth = true;
  ASSERT_EQ(run_deployment_command(plan, ORBWEAVER_COMMAND, "-", out, err), 0) << err.str();
  const auto rows = nlohmann::json::parse(out.str());
  ASSERT_THAT(rows, SizeIs(1));
  ASSERT_THAT(rows[0]["readings"], SizeIs(2));
  std::vector<std::string> names;
  for (const auto& each : rows[0]["readings"][1]["processes"]) {
    names.push_back(each["process"]);
    EXPECT_GT(each["private_kib"], 0);
    EXPECT_GT(each["descriptors"], 0);
    EXPECT_GT(each["threads"], 0);
  }
  EXPECT_THAT(names, ElementsAre("naming service", "domain manager", "node", "orbweaver-devic"));
  EXPECT_THAT(err.str(), HasSubstr("private memory in the second half"));
}

TEST(Growth, IsTheSlopeOfTheSecondHalfOfTheReadings) {
  Growth growth;
  for (const long kib : {900, 0, 500, 503, 506, 509}) growth.readings.push_back({{{"domain", 0, kib}}});
  EXPECT_DOUBLE_EQ(growth.private_kib_each(0), 3);
  growth.readings.resize(1);
  EXPECT_EQ(growth.private_kib_each(0), 0);
}

/// What is there after a few applications is there after many, too.
TEST(Domain, HoldsNoMoreAfterManyApplications) {
  constexpr int kFirst = 5, kMore = 25;
  MeasuredDomain domain(ORBWEAVER_COMMAND, {true, false});
  domain.install(Assembly{4, 3});
  for (int i = 0; i < kFirst; ++i) domain.run();
  const Held before = domain.held_at_rest();
  for (int i = 0; i < kMore; ++i) domain.run();
  Held after;
  EXPECT_TRUE(becomes_true([&] {
    after = domain.held();
    return after.no_more_than(before);
  }));
  ASSERT_EQ(after.processes.size(), before.processes.size());
  for (std::size_t i = 0; i < after.processes.size(); ++i) {
    const HeldBy &was = before.processes[i], &is = after.processes[i];
    SCOPED_TRACE(is.process);
    EXPECT_LE(is.descriptors, was.descriptors);
    EXPECT_LE(is.threads, was.threads);
    if (!kKeepsFreedMemory) {
      EXPECT_LT(is.private_kib - was.private_kib, 100 * kMore);
    }
  }
  EXPECT_LE(after.files, before.files);
}

/// Bytes that a process has mapped of each of its segments of shared memory.
std::vector<std::size_t> segments_of(pid_t process) {
  std::ifstream maps("/proc/" + std::to_string(process) + "/maps");
  std::map<std::string, std::size_t> segments;  // by inode
  for (std::string line; std::getline(maps, line);) {
    if (line.find("orbweaver-shm") == std::string::npos) continue;
    std::istringstream fields(line);
    std::size_t begin = 0, end = 0;
    char dash = 0;
    std::string permissions, offset, device, inode;
    fields >> std::hex >> begin >> dash >> end >> permissions >> offset >> device >> inode;
    segments[inode] += end - begin;
  }
  std::vector<std::size_t> bytes;
  for (const auto& [inode, mapped] : segments) bytes.push_back(mapped);
  return bytes;
}

/// Rings of 128 KiB, each mapped twice, and a page.
TEST(Domain, HasSmallRingsInItsConnectionsWithComponents) {
  constexpr std::size_t kComponents = 4, kMost = 4 * 131'072 + 4096;
  MeasuredDomain domain(ORBWEAVER_COMMAND);
  domain.install(Assembly{kComponents, 3});
  const auto application = domain.create();
  const auto segments = segments_of(domain.domain_pid());
  EXPECT_GE(segments.size(), 2 * kComponents) << "it calls each component, and each has bound its name";
  EXPECT_THAT(segments, Each(Le(kMost)));
  application->releaseObject();
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
