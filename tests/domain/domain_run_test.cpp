#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "running_domain.h"

namespace orbweaver {
namespace {

namespace fs = std::filesystem;
using platform::testing::becomes_true;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(DomainRun, CreatesRunsAndReleasesAnApplication) {
  start_domain();
  start_node();
  create_application();
  EXPECT_EQ(processes("run_test_filter"), 1u);
  EXPECT_EQ(application()["state"], "stopped");
  EXPECT_THAT(application()["components"], SizeIs(4));
  call({"app", "start", "chain"});
  EXPECT_EQ(application()["state"], "started");
  EXPECT_THAT(call({"domain", "tree"}), HasSubstr("application chain"));
  EXPECT_THAT(call({"app", "query", "chain"}), HasSubstr("packets = "));
  call({"app", "stop", "chain"});
  EXPECT_EQ(application()["state"], "stopped");
  call({"app", "release", "chain"});
  EXPECT_THAT(tree()["applications"], IsEmpty());
  EXPECT_EQ(processes("run_test_filter"), 0u);
  call({"app", "uninstall", tree()["installed"][0]["id"]});
  EXPECT_THAT(tree()["installed"], IsEmpty());
}

TEST_F(DomainRun, RunsComponentsOfBothEditionsOfTheScaInOneApplication) {
  start_domain();
  start_node();
  create_application("mixed");
  EXPECT_THAT(application()["components"], SizeIs(5));
  EXPECT_EQ(processes("run_test_filter"), 1u);
  EXPECT_EQ(processes("orbweaver-host"), 1u) << "filter_2 and sink_2";
  call({"app", "start", "mixed"});
  for (const char* const sink : {"running.sink_1:mixed", "running.sink_2:mixed"})
    EXPECT_TRUE(becomes_true([&] { return fs::exists(folder_ / sink); })) << sink;
  EXPECT_THAT(call({"app", "query", "mixed"}), HasSubstr("trouble = "))
      << "of the assembly controller, a component of SCA 4.1";
  call({"app", "stop", "mixed"});
  EXPECT_EQ(application()["state"], "stopped");
  call({"app", "release", "mixed"});
  EXPECT_THAT(tree()["applications"], IsEmpty());
  for (const char* const program : {"run_test_source", "run_test_filter", "run_test_sink", "orbweaver-host"})
    EXPECT_EQ(processes(program), 0u) << program;
}

TEST_F(DomainRun, RunsComponentsThatAComponentFactoryCreates) {
  start_domain();
  start_node();
  create_application("component_factory");
  EXPECT_THAT(application()["components"], SizeIs(5));
  EXPECT_EQ(processes("run_test_component_factory"), 1u);
  EXPECT_EQ(processes("run_test_filter"), 0u);
  call({"app", "start", "component_factory"});
  for (const char* const sink : {"running.sink_1:component_factory", "running.sink_2:component_factory"})
    EXPECT_TRUE(becomes_true([&] { return fs::exists(folder_ / sink); })) << sink;
  call({"app", "release", "component_factory"});
  EXPECT_THAT(tree()["applications"], IsEmpty());
  EXPECT_EQ(processes("run_test_component_factory"), 0u);

  call({"app", "create", tree()["installed"][0]["id"], "--as", "again"});
  kill(pids("run_test_component_factory").at(0), SIGKILL);
  EXPECT_TRUE(becomes_true([&] { return application()["state"] == "failed"; }));
  EXPECT_THAT(application()["failure"].get<std::string>(),
              HasSubstr("factory 'factory_1:again' has ended: killed by SIGKILL"));
  call({"app", "release", "again"});
  EXPECT_EQ(processes("run_test_source"), 0u);
}

TEST_F(DomainRun, RunsAnAssemblyWithinAnAssembly) {
  start_domain();
  start_node();
  create_application("nested");
  EXPECT_THAT(application()["components"], SizeIs(6));
  EXPECT_EQ(processes("run_test_source"), 1u) << "of the left instance";
  EXPECT_EQ(processes("orbweaver-host"), 1u) << "the right instance";
  call({"app", "start", "nested"});
  for (const char* const sink : {"running.sink_1:nested", "running.sink_2:nested"})
    EXPECT_TRUE(becomes_true([&] { return fs::exists(folder_ / sink); })) << sink;
  EXPECT_THAT(call({"app", "query", "nested"}),
              AllOf(HasSubstr("packets = 100"), HasSubstr("right_length = 300")));
  domain->signal(SIGKILL);
  domain->end();
  start_domain();
  EXPECT_THAT(call({"app", "query", "nested"}), HasSubstr("right_length = 300"));
  call({"app", "release", "nested"});
  EXPECT_THAT(tree()["applications"], IsEmpty());
  for (const char* const program : {"run_test_source", "run_test_filter", "run_test_sink", "orbweaver-host"})
    EXPECT_EQ(processes(program), 0u) << program;
}

TEST_F(DomainRun, ReleasesComponentsOfSca41AfterItWasKilled) {
  start_domain();
  start_node();
  create_application("mixed");
  const auto before = application();
  domain->signal(SIGKILL);
  domain->end();
  start_domain();
  EXPECT_EQ(application(), before);
  call({"app", "start", "mixed"});
  EXPECT_TRUE(becomes_true([&] { return fs::exists(folder_ / "running.sink_2:mixed"); }));
  call({"app", "release", "mixed"});
  EXPECT_EQ(processes("orbweaver-host"), 0u);
}

TEST_F(DomainRun, RunsOnANodeOfSca41) {
  start_domain();
  start_node("orbweaver/DomainManager41");
  const auto nodes = tree()["nodes"];
  ASSERT_THAT(nodes, SizeIs(1));
  EXPECT_EQ(nodes[0]["id"], "DCE:orbweaver.node:left");
  EXPECT_EQ(nodes[0]["devices"][0]["admin_state"], "unlocked");
  create_application("mixed");
  EXPECT_THAT(application()["components"], SizeIs(5));
  EXPECT_EQ(processes("orbweaver-host"), 1u) << "filter_2 and sink_2 share a process";
  call({"app", "start", "mixed"});
  for (const char* const sink : {"running.sink_1:mixed", "running.sink_2:mixed"})
    EXPECT_TRUE(becomes_true([&] { return fs::exists(folder_ / sink); })) << sink;
  const auto before = application();
  domain->signal(SIGKILL);
  domain->end();
  start_domain();
  EXPECT_EQ(application(), before) << "the node and what its device has executed are known again";
  call({"app", "stop", "mixed"});
  call({"app", "release", "mixed"});
  EXPECT_THAT(tree()["applications"], IsEmpty());
  for (const char* const program : {"run_test_source", "run_test_filter", "run_test_sink", "orbweaver-host"})
    EXPECT_EQ(processes(program), 0u) << program;
}

TEST_F(DomainRun, FindsItsApplicationsAgainAfterItWasKilled) {
  start_domain();
  start_node();
  create_application();
  call({"app", "start", "chain"});
  const auto before = application();
  domain->signal(SIGKILL);
  domain->end();
  EXPECT_EQ(processes("run_test_filter"), 1u);
  start_domain();
  EXPECT_EQ(application(), before);
  call({"app", "stop", "chain"});
  call({"app", "release", "chain"});
  EXPECT_EQ(processes("run_test_filter"), 0u);
}

TEST_F(DomainRun, ReportsApplicationsOfALostNode) {
  start_domain();
  start_node();
  create_application();
  node->signal(SIGKILL);
  node->end();
  EXPECT_TRUE(becomes_true([&] { return application()["state"] == "failed"; }));
  EXPECT_THAT(application()["failure"].get<std::string>(), HasSubstr("node 'left' is lost"));
  EXPECT_THAT(tree()["nodes"], IsEmpty());
  EXPECT_TRUE(becomes_true([&] { return processes("run_test_filter") == 0; }));
  call({"app", "release", "chain"});
  start_node();
  call({"app", "create", tree()["installed"][0]["id"], "--as", "again"});
  call({"app", "release", "again"});
}

TEST_F(DomainRun, ReportsAComponentThatEnds) {
  start_domain();
  start_node();
  create_application();
  const auto created = application();
  for (const auto& component : created["components"]) {
    if (component["id"].get<std::string>().find("filter") == std::string::npos) continue;
    ASSERT_EQ(kill(component["process"].get<int>(), SIGKILL), 0);
  }
  EXPECT_TRUE(becomes_true([&] { return application()["state"] == "failed"; }));
  EXPECT_THAT(application()["failure"].get<std::string>(), HasSubstr("SIGKILL"));
  call({"app", "release", "chain"});
  EXPECT_EQ(processes("run_test_source"), 0u);
}

TEST_F(DomainRun, SaysWhyACommandCannotBeExecuted) {
  auto [text, end] = attempt({"app", "list"});
  EXPECT_EQ(end, "exited with status 1");
  EXPECT_THAT(text, HasSubstr("does not answer"));
  start_domain();
  std::tie(text, end) = attempt({"app", "install", "/none.sad.xml"});
  EXPECT_EQ(end, "exited with status 1");
  EXPECT_THAT(text, HasSubstr("none.sad.xml"));
  call({"app", "install", "/run_test_chain.sad.xml"});
  std::tie(text, end) = attempt({"app", "create", tree()["installed"][0]["id"]});
  EXPECT_EQ(end, "exited with status 1");
  EXPECT_THAT(text, HasSubstr("can be placed on no device"));
  std::tie(text, end) = attempt({"app", "start", "nobody"});
  EXPECT_EQ(end, "exited with status 1");
  EXPECT_THAT(text, HasSubstr("there is no application 'nobody'"));
}

}  // namespace
}  // namespace orbweaver
