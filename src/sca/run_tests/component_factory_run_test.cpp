// Component factories that are written with the component library, of both editions.
#include "sca/run_tests/run_process.h"

namespace {

using namespace orbweaver::sca::testing;
using ::testing::HasSubstr;

const std::string kOwnFactory = "run_test_component_factory";
const std::string kOwnSad = kOwnFactory + ".sad.xml";
const std::string kReference = "<componentfactoryref refid=\"factory_1\"/>";

enum class FactoryEdition { sca222, sca41 };

/// The assembly in which a factory with classes of its own creates all components but the source. `trouble`
/// is that of the factory (component_factory.cpp), `of_filter` that of filter_1 (filter.h).
struct OwnFactoryProfiles : RunProfiles {
  explicit OwnFactoryProfiles(FactoryEdition edition = FactoryEdition::sca41, const std::string& trouble = "",
                              const std::string& of_filter = "") {
    const std::string program = "<localfile name=\"" + kOwnFactory + "\"/>";
    for (const std::string& part :
         {kOwnFactory, std::string("run_test_made_filter"), std::string("run_test_made_sink")})
      replace(part + ".spd.xml", program,
              "<localfile name=\"" + std::string(ORBWEAVER_RUN_TEST_FOLDER) + "/" + kOwnFactory + "\"/>");
    if (!trouble.empty())
      replace(kOwnSad, "<componentinstantiation id=\"factory_1\"/>",
              "<componentinstantiation id=\"factory_1\"><componentproperties><simpleref refid=\"trouble\" "
              "value=\"" +
                  trouble + "\"/></componentproperties></componentinstantiation>");
    if (!of_filter.empty())
      replace(
          kOwnSad, "id=\"filter_1\">\n        " + kReference,
          "id=\"filter_1\">\n        <componentfactoryref refid=\"factory_1\"><componentfactoryproperties>"
          "<simpleref refid=\"trouble\" value=\"" +
              of_filter + "\"/></componentfactoryproperties></componentfactoryref>");
    if (edition == FactoryEdition::sca41) return;
    const std::string scd = kOwnFactory + ".scd.xml";
    replace(scd, "applicationcomponentfactory", "resourcefactory");
    replace(scd, "ComponentFactory", "ResourceFactory");
    std::string sad = read(kOwnSad);
    for (const auto& [from, to] : std::initializer_list<std::pair<std::string, std::string>>{
             {"<componentfactoryref refid=\"factory_1\"/>",
              "<componentfactoryref refid=\"factory_1\">"
              "</componentfactoryref>"},
             {"<componentfactoryref", "<findcomponent><componentresourcefactoryref"},
             {"</componentfactoryref>", "</componentresourcefactoryref></findcomponent>"},
             {"componentfactoryproperties>", "resourcefactoryproperties>"},
             {"run_test_made_", "run_test_made222_"}}) {
      for (auto at = sad.find(from); at != std::string::npos; at = sad.find(from, at + to.size()))
        sad.replace(at, from.size(), to);
    }
    write(kOwnSad, sad);
    for (const std::string part : {"filter", "sink"}) {
      write("run_test_made222_" + part + ".spd.xml", read("run_test_made_" + part + ".spd.xml"));
      replace("run_test_made222_" + part + ".spd.xml", "run_test_" + part + "41.scd.xml", part + ".scd.xml");
    }
  }
};

std::vector<std::string> arguments(const std::string& assembly, bool in_domain,
                                   const std::string& packets = "3000") {
  std::vector<std::string> words{assembly, "--set", "source_1.packets=" + packets};
  if (in_domain) words.push_back("--domain");
  return words;
}

/// An edition of the factory, and whether it is deployed in a domain.
struct Placement {
  FactoryEdition edition;
  bool in_domain;
};
std::string name_of(const Placement& placement) {
  return std::string(placement.edition == FactoryEdition::sca41 ? "Sca41" : "Sca222") +
         (placement.in_domain ? "InADomain" : "WithoutADomain");
}
void PrintTo(const Placement& placement, std::ostream* out) { *out << name_of(placement); }
// tests/domain has those of SCA 4.1 in a domain.
const auto kPlacements =
    ::testing::Values(Placement{FactoryEdition::sca222, false}, Placement{FactoryEdition::sca222, true},
                      Placement{FactoryEdition::sca41, false});

class OwnFactoryRun : public ::testing::TestWithParam<Placement> {};

TEST_P(OwnFactoryRun, CreatesItsComponentsInOneProcess) {
  OwnFactoryProfiles profiles(GetParam().edition);
  RunProcess run(arguments(profiles.path(kOwnSad), GetParam().in_domain));
  EXPECT_EQ(run.end(), "exited with status 0") << run.output;
  const auto result = run.result();
  for (const char* const sink : {"sink_1", "sink_2"}) {
    const auto stats = find(result["components"], "id", sink)["stats"];
    EXPECT_EQ(stats["samples"], 3000 * 160);
    EXPECT_EQ(stats["mismatches"], 0);
  }
  std::set<int> processes;
  if (!GetParam().in_domain) {
    for (const auto& component : result["components"]) processes.insert(component["pid"].get<int>());
    EXPECT_EQ(processes.size(), 2u) << "the source, and the factory with its components";
    EXPECT_EQ(find(result["components"], "id", "filter_1")["exit"], "exited with status 0");
  }
  EXPECT_EQ(find(result["hops"], "to", "sink_1.in")["transport"], "collocated");
  EXPECT_EQ(find(result["hops"], "to", "filter_1.in")["transport"], "shm");
  EXPECT_THAT(run.output, ::testing::Not(HasSubstr("warning")));
  run.expect_nothing_left();
}

INSTANTIATE_TEST_SUITE_P(Of, OwnFactoryRun, kPlacements,
                         [](const auto& placement) { return name_of(placement.param); });

TEST(OwnFactory, IsRejectedInADomainIfItIsOneOfSca41) {
  OwnFactoryProfiles profiles(FactoryEdition::sca41);
  RunProcess run(arguments(profiles.path(kOwnSad), true));
  EXPECT_EQ(run.end(), "exited with status 2") << run.output;
  EXPECT_THAT(run.output, HasSubstr("component 'filter_1' is "));
  EXPECT_THAT(run.output, HasSubstr("leave out --domain, or create the application in a domain"));
}

/// A factory, or filter_1, that fails, and what the run says; without and in a domain.
struct FactoryTrouble {
  const char *of_factory, *of_filter;
  const char *message, *message_in_domain;
};
void PrintTo(const FactoryTrouble& trouble, std::ostream* out) {
  *out << trouble.of_factory << trouble.of_filter;
}
const FactoryTrouble kTroubles[] = {
    {"construct", "", "component factory factory_1 cannot be created: the board is missing",
     "has ended before it registered: its process exited with status 2"},
    {"initialize", "", "component factory factory_1 cannot be initialized: the firmware is too old",
     "the firmware is too old"},
    {"create", "", "component filter_1 cannot be created: no channel is free (",
     "cannot be created by resource factory 'factory_1': no channel is free"},
    {"exit", "", "exited with status 7", "cannot be created by resource factory 'factory_1': "},
    {"", "construct", "component filter_1 cannot be created: the licence has run out (",
     "cannot be created by resource factory 'factory_1': the licence has run out"},
    {"", "initialize", "component filter_1 cannot be initialized: the coefficients are missing",
     "cannot be initialized: the coefficients are missing"}};

class FailedOwnFactoryRun : public ::testing::TestWithParam<std::tuple<Placement, FactoryTrouble>> {};

TEST_P(FailedOwnFactoryRun, NamesTheStepAndLeavesNothing) {
  const auto& [placement, trouble] = GetParam();
  OwnFactoryProfiles profiles(placement.edition, trouble.of_factory, trouble.of_filter);
  RunProcess run(arguments(profiles.path(kOwnSad), placement.in_domain, "100000000"));
  EXPECT_EQ(run.end(), "exited with status 1") << run.output;
  EXPECT_THAT(run.output, HasSubstr(placement.in_domain ? trouble.message_in_domain : trouble.message));
  run.expect_nothing_left();
}

std::string name_of_failure(const ::testing::TestParamInfo<std::tuple<Placement, FactoryTrouble>>& info) {
  const auto& [placement, trouble] = info.param;
  const std::string part = *trouble.of_factory != '\0' ? "Factory" : "Component";
  return name_of(placement) + part + "_" + trouble.of_factory + trouble.of_filter;
}

INSTANTIATE_TEST_SUITE_P(Of, FailedOwnFactoryRun,
                         ::testing::Combine(kPlacements, ::testing::ValuesIn(kTroubles)), name_of_failure);

TEST(OwnFactory, StopsWhileItHangsInTheCreationOfAComponent) {
  OwnFactoryProfiles profiles(FactoryEdition::sca222, "hang");
  RunProcess run({profiles.path(kOwnSad), "--domain"});
  run.pid_of("factory_1");
  run.launcher().signal(SIGTERM);
  EXPECT_EQ(run.end(), "exited with status 143") << run.output;
  run.expect_nothing_left();
}

}  // namespace
