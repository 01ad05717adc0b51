// Components that a resource factory creates.
#include "sca/run_tests/run_process.h"

namespace {

using namespace orbweaver::sca::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kFile = "run_test_factory.sad.xml";
const std::string kFactory = std::string(ORBWEAVER_RUN_TEST_FOLDER) + "/" + kFile;
const std::string kFind = "<findcomponent><componentresourcefactoryref refid=\"factory_1\"/></findcomponent>";

/// Replaces how the component is placed: `attributes` of its element and `children` of it.
void place(RunProfiles& profiles, const std::string& component, const std::string& attributes,
           const std::string& children) {
  const std::string begin = "<componentinstantiation id=\"" + component + "\"";
  const std::string end = "\n      </componentinstantiation>";
  profiles.replace(kFile, begin + ">\n        " + kFind + end,
                   begin + attributes + ">\n        " + children + end);
}

/// What a run computed: counts of each hop, and the counters of each component.
nlohmann::json outcome(const nlohmann::json& result) {
  nlohmann::json all;
  for (const auto& hop : result["hops"]) {
    for (const char* count : {"packets", "bytes", "lost", "reordered", "end_of_stream"})
      all[hop["from"].get<std::string>() + " " + hop["to"].get<std::string>()][count] = hop[count];
  }
  for (const auto& component : result["components"])
    all[component["id"].get<std::string>()] = component["stats"];
  return all;
}

std::set<int> pids(const nlohmann::json& result) {
  std::set<int> all;
  for (const auto& component : result["components"]) all.insert(component["pid"].get<int>());
  return all;
}

nlohmann::json completed(const std::string& assembly) {
  RunProcess run({assembly, "--set", "source_1.packets=3000", "--set", "source_1.size=100"});
  EXPECT_EQ(run.end(), "exited with status 0") << run.output;
  run.expect_nothing_left();
  EXPECT_THAT(run.output, Not(HasSubstr("warning")));
  const nlohmann::json result = run.result();
  for (const auto& component : result["components"])
    EXPECT_EQ(component["exit"], "exited with status 0") << component["id"];
  return result;
}

TEST(FactoryRun, GivesTheSameResultsInEveryPlacement) {
  const nlohmann::json one = completed(kFactory);
  EXPECT_EQ(pids(one).size(), 1u);
  for (const auto& hop : one["hops"]) EXPECT_EQ(hop["transport"], "collocated");
  EXPECT_EQ(find(one["components"], "id", "sink_1")["stats"]["samples"], 300'000);
  EXPECT_EQ(find(one["components"], "id", "sink_1")["stats"]["mismatches"], 0);
  EXPECT_GT(find(one["components"], "id", "sink_1")["stats"]["checksum"], 0);

  const nlohmann::json apart = completed(std::string(ORBWEAVER_RUN_TEST_FOLDER) + "/run_test_chain.sad.xml");
  EXPECT_EQ(pids(apart).size(), 4u);
  EXPECT_EQ(outcome(apart), outcome(one));

  // The source alone, the filter in the factory, one sink in a host with the other.
  RunProfiles profiles;
  place(profiles, "source_1", "", "");
  place(profiles, "sink_1", " processcollocation=\"sinks\"", "");
  place(profiles, "sink_2", " processcollocation=\"sinks\"", "");
  const nlohmann::json mixed = completed(profiles.path(kFile));
  EXPECT_EQ(pids(mixed).size(), 3u);
  EXPECT_EQ(outcome(mixed), outcome(one));

  // Two factories.
  RunProfiles two;
  two.replace(kFile, "<componentinstantiation id=\"factory_1\"/>",
              "<componentinstantiation id=\"factory_1\"/><componentinstantiation id=\"factory_2\"/>");
  place(two, "sink_1", "",
        "<findcomponent><componentresourcefactoryref refid=\"factory_2\"/></findcomponent>");
  const nlohmann::json both = completed(two.path(kFile));
  EXPECT_EQ(pids(both).size(), 2u);
  EXPECT_EQ(outcome(both), outcome(one));
}

TEST(DirectRun, GivesTheSameResults) {
  const std::string direct =
      "<componentproperties><simpleref refid=\"DIRECT_INPUTS\" value=\"in\"/></componentproperties>";
  const auto queue_of = [](const nlohmann::json& result, const char* input) {
    return find(result["hops"], "to", input)["queue_high_water"].get<int>();
  };
  RunProfiles profiles;
  place(profiles, "filter_1", "", direct + kFind);
  place(profiles, "sink_1", "", direct + kFind);
  const nlohmann::json one = completed(profiles.path(kFile));
  EXPECT_EQ(outcome(one), outcome(completed(kFactory)));
  EXPECT_EQ(queue_of(one, "filter_1.in"), 0) << "direct calls";
  EXPECT_EQ(queue_of(one, "sink_1.in"), 0);
  EXPECT_GT(queue_of(one, "sink_2.in"), 0);

  // In a host, and with a sender in another process, whose packets are queued.
  RunProfiles mixed;
  place(mixed, "source_1", "", "");
  place(mixed, "filter_1", " processcollocation=\"p\"", direct);
  place(mixed, "sink_1", " processcollocation=\"p\"", direct);
  const nlohmann::json apart = completed(mixed.path(kFile));
  EXPECT_EQ(outcome(apart), outcome(one));
  EXPECT_GT(queue_of(apart, "filter_1.in"), 0);
  EXPECT_EQ(queue_of(apart, "sink_1.in"), 0);
}

TEST(DirectRun, StopsInOrderOnASignal) {
  RunProfiles profiles;
  for (const char* component : {"filter_1", "sink_1", "sink_2"})
    place(profiles, component, "",
          "<componentproperties><simpleref refid=\"DIRECT_INPUTS\" value=\"in\"/></componentproperties>" +
              kFind);
  RunProcess run({profiles.path(kFile), "--realtime", "--set", "source_1.packets=1000000"});
  run.until_running();
  run.launcher().signal(SIGTERM);
  EXPECT_EQ(run.end(), "exited with status 143") << run.output;
  for (const nlohmann::json result = run.result(); const auto& c : result["components"])
    EXPECT_EQ(c["exit"], "exited with status 0");
  run.expect_nothing_left();
}

TEST(FactoryRun, NamesAComponentThatCannotBeCreated) {
  RunProcess run({kFactory, "--set", "filter_1.trouble=construct"});
  EXPECT_EQ(run.end(), "exited with status 1") << run.output;
  EXPECT_EQ(run.result()["message"],
            "component filter_1 cannot be created: the licence has run out (resource factory factory_1, " +
                kFactory + ":24:24)");
  run.expect_nothing_left();
}

TEST(FactoryRun, NamesAnUnknownClass) {
  RunProfiles profiles;
  profiles.replace("run_test_filter.spd.xml", "run_test_filter.so\"/>",
                   "run_test_filter.so\"/><entrypoint>make_nothing</entrypoint>");
  RunProcess run({profiles.path(kFile)});
  EXPECT_EQ(run.end(), "exited with status 1") << run.output;
  const std::string message = run.result()["message"];
  EXPECT_THAT(message, AllOf(HasSubstr("component filter_1 cannot be created: "),
                             HasSubstr("there is no function 'make_nothing'"), HasSubstr(kFile + ":24:24)")));
  run.expect_nothing_left();
}

TEST(FactoryRun, NamesAKilledFactoryWithItsComponents) {
  RunProfiles profiles;
  place(profiles, "sink_2", "", "");
  RunProcess run({profiles.path(kFile), "--realtime", "--set", "source_1.packets=1000000"});
  run.until_running();
  const int pid = run.signal("factory_1", SIGKILL);
  EXPECT_EQ(run.end(), "exited with status 1") << run.output;
  const nlohmann::json result = run.result();
  EXPECT_EQ(result["message"],
            "resource factory factory_1 with components source_1+filter_1+sink_1 (process " +
                std::to_string(pid) + ") killed by SIGKILL");
  EXPECT_EQ(find(result["components"], "id", "filter_1")["exit"], "killed by SIGKILL");
  EXPECT_EQ(find(result["components"], "id", "sink_2")["exit"], "exited with status 0");
  run.expect_nothing_left();
}

TEST(FactoryRun, StopsInOrderOnASignal) {
  RunProcess run({kFactory, "--realtime", "--set", "source_1.packets=1000000"});
  run.until_running();
  run.launcher().signal(SIGTERM);
  EXPECT_EQ(run.end(), "exited with status 143") << run.output;
  for (const nlohmann::json result = run.result(); const auto& c : result["components"])
    EXPECT_EQ(c["exit"], "exited with status 0");
  run.expect_nothing_left();
}

struct FactoryFailure {
  const char* kind;
  const char* said;
};
// Prints the kind as the test's parameter name; the default would print addresses.
void PrintTo(const FactoryFailure& trouble, std::ostream* os) { *os << trouble.kind; }
class FailedFactoryRun : public ::testing::TestWithParam<FactoryFailure> {};

TEST_P(FailedFactoryRun, EndsNamingTheComponentOnce) {
  RunProcess run({kFactory, "--set", std::string("filter_1.trouble=") + GetParam().kind});
  EXPECT_EQ(run.end(), "exited with status 1") << run.output;
  const std::string message = run.result()["message"];
  EXPECT_THAT(message, AllOf(HasSubstr("filter_1"), HasSubstr(GetParam().said)));
  const std::string lines = "\n" + run.output;
  EXPECT_EQ(lines.find("\nfailed: "), lines.rfind("\nfailed: ")) << run.output;
  run.expect_nothing_left();
}

INSTANTIATE_TEST_SUITE_P(
    Every, FailedFactoryRun,
    ::testing::Values(FactoryFailure{"construct_int", "cannot be created: an exception of type int"},
                      FactoryFailure{"initialize", "cannot be initialized: the coefficients are missing"},
                      FactoryFailure{"throw", "component filter_1 failed: the paper is torn"},
                      FactoryFailure{"abort", "component filter_1 failed: SIGABRT (process "},
                      FactoryFailure{"exit", "exited with status 7"}),
    [](const auto& trouble) { return trouble.param.kind; });

TEST(FactoryRun, NamesTheComponentThatCrashes) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer handles SIGSEGV";
#endif
  RunProcess run({kFactory, "--set", "filter_1.trouble=crash"});
  EXPECT_EQ(run.end(), "exited with status 1") << run.output;
  EXPECT_THAT(
      run.result()["message"].get<std::string>(),
      AllOf(HasSubstr("component filter_1 failed: SIGSEGV (process "), HasSubstr("killed by SIGSEGV")));
  run.expect_nothing_left();
}

TEST(DirectRun, NamesTheComponentThatFailsOnTheThreadOfItsSender) {
  RunProfiles profiles;
  place(
      profiles, "filter_1", "",
      "<componentproperties><simpleref refid=\"DIRECT_INPUTS\" value=\"in\"/></componentproperties>" + kFind);
  for (const auto& [trouble, said] :
       {FactoryFailure{"abort", "component filter_1 failed: SIGABRT (process "},
        FactoryFailure{"throw", "component filter_1 failed: the paper is torn (process "}}) {
    RunProcess run({profiles.path(kFile), "--set", std::string("filter_1.trouble=") + trouble});
    EXPECT_EQ(run.end(), "exited with status 1") << run.output;
    EXPECT_THAT(run.result()["message"].get<std::string>(), HasSubstr(said));
    run.expect_nothing_left();
  }
}

/// Runs the assembly of `profiles`, which is rejected before anything is started, and returns its output.
std::string refusal(RunProfiles& profiles) {
  RunProcess run({profiles.path(kFile)});
  EXPECT_EQ(run.end(), "exited with status 2") << run.output;
  run.expect_nothing_left();
  return run.output;
}

TEST(FactoryRun, RejectsAMissingProgram) {
  RunProfiles profiles;
  profiles.replace("resource-factory.spd.xml", "name=\"orbweaver-host\"", "name=\"nowhere\"");
  EXPECT_THAT(refusal(profiles),
              HasSubstr("resource-factory.spd.xml:9:3: the code of implementation 'host' is "
                        "missing"));
}

TEST(FactoryRun, NamesAProgramThatIsNoFactory) {
  RunProfiles profiles;
  profiles.replace("resource-factory.spd.xml", "name=\"orbweaver-host\"",
                   "name=\"" + std::string(ORBWEAVER_RUN_TEST_FOLDER) + "/run_test_sink\"");
  RunProcess run({profiles.path(kFile)});
  EXPECT_EQ(run.end(), "exited with status 1") << run.output;
  EXPECT_THAT(run.result()["message"].get<std::string>(),
              HasSubstr("resource factory factory_1 is not a CF::ResourceFactory (" + profiles.path(kFile) +
                        ":13:7)"));
  run.expect_nothing_left();
}

/// The assembly in which a factory with a class of its own creates sink_1; `trouble` as in
/// foreign_factory.cpp.
struct ForeignProfiles : RunProfiles {
  explicit ForeignProfiles(const std::string& trouble = "", const std::string& subtype = "sink") {
    for (const char* component : {"source_1", "filter_1", "sink_2"}) place(*this, component, "", "");
    place(*this, "sink_1", "",
          "<findcomponent><componentresourcefactoryref "
          "refid=\"factory_1\"><resourcefactoryproperties><simpleref "
          "refid=\"subtype\" value=\"" +
              subtype + "\"/></resourcefactoryproperties></componentresourcefactoryref></findcomponent>");
    replace("resource-factory.spd.xml", "name=\"orbweaver-host\"",
            "name=\"" + std::string(ORBWEAVER_RUN_TEST_FOLDER) + "/run_test_foreign_factory\"");
    write("resource-factory.prf.xml",
          "<properties><simple id=\"trouble\" type=\"string\"><value>" + trouble +
              "</value><kind kindtype=\"execparam\"/></simple><simple id=\"subtype\" type=\"string\">"
              "<kind kindtype=\"factoryparam\"/></simple></properties>");
  }
};

TEST(ForeignFactoryRun, GivesTheSameResults) {
  const nlohmann::json foreign = completed(ForeignProfiles().path(kFile));
  EXPECT_EQ(pids(foreign).size(), 4u);
  EXPECT_EQ(outcome(foreign), outcome(completed(kFactory)));
}

TEST(ForeignFactoryRun, NamesAnUnknownClass) {
  ForeignProfiles profiles("", "filter");
  RunProcess run({profiles.path(kFile)});
  EXPECT_EQ(run.end(), "exited with status 1") << run.output;
  EXPECT_EQ(run.result()["message"],
            "component sink_1 cannot be created: there is no such class: 1 (resource factory factory_1, " +
                profiles.path(kFile) + ":30:24)");
  run.expect_nothing_left();
}

class FailedForeignFactoryRun : public ::testing::TestWithParam<FactoryFailure> {};

TEST_P(FailedForeignFactoryRun, EndsNamingThePlaceOnce) {
  ForeignProfiles profiles(GetParam().kind);
  RunProcess run({profiles.path(kFile), "--set", "source_1.packets=20"});
  EXPECT_EQ(run.end(), "exited with status 1") << run.output;
  EXPECT_THAT(run.result()["message"].get<std::string>(), HasSubstr(GetParam().said));
  const std::string lines = "\n" + run.output;
  EXPECT_EQ(lines.find("\nfailed: "), lines.rfind("\nfailed: ")) << run.output;
  run.expect_nothing_left();
}

INSTANTIATE_TEST_SUITE_P(
    Every, FailedForeignFactoryRun,
    ::testing::Values(
        FactoryFailure{"failure",
                       "component sink_1 cannot be created: no channel is free (resource factory "
                       "factory_1, "},
        FactoryFailure{"nil",
                       "component sink_1 cannot be created: no reference is returned (resource factory"},
        FactoryFailure{"system", "component sink_1 cannot be created (resource factory factory_1, "},
        FactoryFailure{"exit", "resource factory factory_1 with component sink_1 (process "},
        FactoryFailure{"unknown",
                       "component sink_1 cannot be released: resource factory factory_1 has no "
                       "resource of this id ("},
        FactoryFailure{"stay", "resource factory factory_1 cannot be shut down: the lock is held ("}),
    [](const auto& trouble) { return trouble.param.kind; });

}  // namespace
