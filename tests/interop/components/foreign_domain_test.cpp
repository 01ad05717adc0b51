// Components of other ORBs, deployed by a domain on the devices of several nodes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <orbweaver/orb.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "../../domain/domain_commands.h"
#include "CosNamingC.h"
#include "FrameworkC.h"
#include "chain.h"
#include "platform/testing/becomes_true.h"
#include "platform/testing/read_file.h"

namespace {

namespace fs = std::filesystem;
using interop::Chain;
using interop::Orb;
using orbweaver::Command;
using orbweaver::platform::testing::becomes_true;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Each component requires `kRequired` of the memory of a device, each of which has `kOffered`.
constexpr const char *kRequired = "400", *kOffered = "1000";

struct Stages {
  const char* name;
  std::vector<Orb> orbs;
};
void PrintTo(const Stages& stages, std::ostream* os) { *os << stages.name; }

/// A domain with three nodes, whose files are the folder of the build.
class ForeignDomain : public orbweaver::DomainCommands, public ::testing::WithParamInterface<Stages> {
 protected:
  ForeignDomain() {
    for (const auto& file : fs::directory_iterator(ORBWEAVER_NODE_PROFILES))
      fs::copy(file.path(), folder_ / file.path().filename());
    offer_memory();
    domain_ = start({"domain", "--root", ORBWEAVER_BUILD_FOLDER, "--port", port_}, "serving domain");
    for (const char* const node : {"left", "middle", "right"})
      nodes_[node] = start({"node", (folder_ / "node.dcd.xml").string(), "--name", node, "--naming", naming_},
                           "all its devices and services are registered");
  }

  /// The component of an application that is bound under this name, without the number behind it.
  IDL::traits<orbweaver::framework::Observable>::ref_type component(const std::string& application,
                                                                    const std::string& name) {
    const auto root = IDL::traits<CosNaming::NamingContext>::narrow(orb_->string_to_object(naming_));
    const auto context = IDL::traits<CosNaming::NamingContext>::narrow(root->resolve(
        {CosNaming::NameComponent("orbweaver", ""), CosNaming::NameComponent(application, "")}));
    CosNaming::BindingList bindings;
    IDL::traits<CosNaming::BindingIterator>::ref_type rest;
    context->list(100, bindings, rest);
    for (const auto& each : bindings) {
      const std::string id = each.binding_name().front().id();
      if (id.substr(0, id.rfind('_')) == name)
        return IDL::traits<orbweaver::framework::Observable>::narrow(context->resolve(each.binding_name()));
    }
    return nullptr;
  }

  /// An assembly in the files of the domain: a source, stages and a sink.
  static void add_components(Chain& chain, const std::vector<Orb>& orbs, const std::string& packets) {
    const Chain::Values required{{"memory_mb", kRequired}};
    chain.add("source_1", "run_test_source",
              Chain::Values{{"packets", packets}, {"size", "1000"}, {"realtime", "true"}}, required);
    for (const Orb& orb : orbs)
      chain.add(orb.name, orb.name + std::string("-stage"), Chain::Values(), required);
    chain.add("sink_1", "run_test_sink", Chain::Values(), required);
  }
  void create(const Chain& chain) {
    const std::string file = chain.sad();
    call({"app", "install", file.substr(std::string(ORBWEAVER_BUILD_FOLDER).size())});
    call({"app", "create", "DCE:chain", "--as", "chain"});
  }

  std::unique_ptr<Command> domain_;
  std::map<std::string, std::unique_ptr<Command>> nodes_;
  IDL::traits<CORBA::ORB>::ref_type orb_ = make_orb();

 private:
  static IDL::traits<CORBA::ORB>::ref_type make_orb() {
    int argc = 1;
    std::string program = "foreign";
    char* arguments[] = {program.data(), nullptr};
    return CORBA::ORB_init(argc, arguments);
  }
  /// Sets the memory that the device of the DCD has.
  void offer_memory() const {
    const fs::path dcd = folder_ / "node.dcd.xml";
    std::string text = orbweaver::platform::testing::read_file(dcd);
    text.insert(text.find("</componentinstantiation>"),
                std::string("<componentproperties><simpleref refid=\"memory_mb\" value=\"") + kOffered +
                    "\"/></componentproperties>");
    std::ofstream(dcd) << text;
  }
};

TEST_P(ForeignDomain, NamesAComponentThatDies) {
  const Orb& orb = GetParam().orbs.back();
  if (*orb.missing != '\0') GTEST_SKIP() << orb.name << ": " << orb.missing;
  Chain chain("/src/sca/run_tests", "/tests/interop/components", ORBWEAVER_FOREIGN_FOLDER);
  add_components(chain, {orb}, "1000000");
  create(chain);
  call({"app", "start", "chain"});
  const auto created = tree()["applications"].at(0);
  for (const auto& each : created["components"]) {
    if (each["id"] == orb.name + std::string(":chain")) {
      EXPECT_EQ(kill(each["process"], SIGKILL), 0);
    }
  }
  std::string failure;
  EXPECT_TRUE(becomes_true([&] {
    const auto application = tree()["applications"].at(0);
    failure = application["failure"];
    return application["state"] == "failed";
  }));
  EXPECT_THAT(failure,
              HasSubstr("component '" + std::string(orb.name) + ":chain' has ended: killed by SIGKILL"));
  call({"app", "release", "chain"});
  EXPECT_THAT(tree()["applications"], IsEmpty());
}

TEST_P(ForeignDomain, PassesDataUnchangedOverSeveralNodes) {
  for (const Orb& orb : GetParam().orbs)
    if (*orb.missing != '\0') GTEST_SKIP() << orb.name << ": " << orb.missing;
  Chain chain("/src/sca/run_tests", "/tests/interop/components", ORBWEAVER_FOREIGN_FOLDER);
  add_components(chain, GetParam().orbs, "500");
  create(chain);
  std::map<std::string, std::string> device_of;
  std::map<std::string, int> count;
  const auto application = tree()["applications"].at(0);
  for (const auto& each : application["components"]) {
    const std::string device = each["device"];
    device_of[each["id"]] = device;
    EXPECT_LE(++count[device], 2) << "a device has memory for two components";
  }
  EXPECT_EQ(device_of.size(), GetParam().orbs.size() + 2);
  EXPECT_THAT(count, SizeIs((GetParam().orbs.size() + 3) / 2)) << "placed by the profiles alone";
  const auto sink = component("chain", "sink_1");
  ASSERT_TRUE(sink);
  call({"app", "start", "chain"});
  EXPECT_TRUE(becomes_true([&] { return sink->finished(); }));
  std::map<std::string, double> counters;
  for (const auto& each : sink->counters()) counters[each.name()] = each.value();
  EXPECT_EQ(counters["samples"], 500'000);
  EXPECT_EQ(counters["mismatches"], 0);
  for (const Orb& orb : GetParam().orbs) {
    const std::string device = device_of[orb.name + std::string(":chain")];
    Command& node = *nodes_.at(device.substr(device.rfind(':') + 1));
    node.until("level 0.5, offset -7, enabled 1, label 'a stage'");
  }
  call({"app", "stop", "chain"});
  call({"app", "release", "chain"});
  for (const auto& each : application["components"]) {
    const int process = each["process"];
    EXPECT_TRUE(becomes_true([&] { return kill(process, 0) != 0; })) << each["id"];
  }
  const auto after = tree();
  EXPECT_THAT(after["applications"], IsEmpty());
  for (const auto& node : after["nodes"]) EXPECT_EQ(node["devices"][0]["usage_state"], "idle") << node["id"];
}

INSTANTIATE_TEST_SUITE_P(
    With, ForeignDomain,
    ::testing::Values(Stages{"omniorb", {interop::kOmniOrb}}, Stages{"jacorb", {interop::kJacOrb}},
                      Stages{"omniorbpy", {interop::kOmniOrbPy}},
                      Stages{"all", {interop::kOmniOrb, interop::kJacOrb, interop::kOmniOrbPy}}),
    [](const auto& stages) { return stages.param.name; });

}  // namespace
