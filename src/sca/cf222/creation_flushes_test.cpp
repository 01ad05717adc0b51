// How often the creation and start of an application flush the files of the domain manager.
#include <filesystem>

#include "naming/hosted_names.h"
#include "sca/cf222/domain_state.h"
#include "sca/cf222/testing/domain_fixture.h"
#include "sca/deployment/deployment.h"
#include "state/testing/flush_count.h"

namespace orbweaver::sca {
namespace {

using namespace orbweaver::sca::testing;

constexpr int kComponents = 9;

/// A domain manager whose state and names are in files, with a node whose device tells what it has, as
/// Orbweaver's does.
struct DomainInFiles : ::testing::Test {
  DomainInFiles() {
    node.folder.write(
        "xml/gpp.prf.xml",
        "<properties><simple id=\"os_name\" type=\"string\"><value>Linux</value><kind "
        "kindtype=\"allocation\"/><action type=\"eq\"/></simple><simple id=\"application_groups\" "
        "type=\"string\"><value>true</value><kind kindtype=\"allocation\"/><action type=\"external\"/>"
        "</simple></properties>");
    node.devices[0]->on_execute = [this](const CF::Properties& parameters) { return execute(parameters); };
    write_assembly();
    open();
  }
  ~DomainInFiles() override {
    if (domain) domain->end();
  }

  /// Starts the domain manager.
  void open() {
    if (domain) domain->end();
    domain.reset();
    model.reset();
    manager = nullptr;
    naming = nullptr;
    orb.reset();
    orb.emplace();
    const auto state = make_file_state(folder.path("domain.sqlite").string());
    model = std::move(*state->open_model());
    auto hosted = naming::host_names(orb->orb, std::move(*state->open_names()));
    naming = hosted.root;
    DomainOptions options;
    options.root = root.path().string();
    options.functions = {
        deploy, [](Application& record, DeploymentDomain& of) { return undeploy(record, of); },
        [](const Application& record, DeploymentDomain& of) { start_components(record, of); },
        [](const Application& record, DeploymentDomain& of) { stop_components(record, of); }};
    options.hosted_names = std::move(hosted.service);
    domain.emplace(orb->orb, naming, *model, std::move(options));
    manager = components.orb().use(domain->start());
  }

  /// The component binds itself, as a process that the node has started.
  std::int32_t execute(const CF::Properties& parameters) {
    std::string context, binding, id;
    for (const CF::DataType& each : parameters) {
      if (each.id() == "NAMING_CONTEXT_IOR") each.value() >>= context;
      if (each.id() == "NAME_BINDING") each.value() >>= binding;
      if (each.id() == "COMPONENT_IDENTIFIER") each.value() >>= id;
    }
    const auto component = CORBA::make_reference<TestComponent>(id);
    component->set_port("out", components.activate(CORBA::make_reference<TestPort>()));
    component->set_port("in", components.activate(CORBA::make_reference<TestPort>()));
    IDL::traits<CosNaming::NamingContext>::narrow(components.orb().orb->string_to_object(context))
        ->bind({CosNaming::NameComponent(binding, "")}, components.activate(component));
    return ++last_process;
  }

  /// Components in a chain, each with code of its own.
  void write_assembly() const {
    root.write("part.scd.xml",
               "<softwarecomponent><corbaversion>2.2</corbaversion><componentrepid "
               "repid=\"IDL:CF/Resource:1.0\"/><componenttype>resource</componenttype><componentfeatures>"
               "<supportsinterface repid=\"IDL:CF/Resource:1.0\" supportsname=\"Resource\"/><ports>"
               "<provides repid=\"IDL:CF/Resource:1.0\" providesname=\"in\"/><uses "
               "repid=\"IDL:CF/Resource:1.0\" usesname=\"out\"/></ports></componentfeatures><interfaces>"
               "<interface repid=\"IDL:CF/Resource:1.0\" name=\"Resource\"/></interfaces>"
               "</softwarecomponent>");
    std::string files, placements, connections;
    for (int i = 0; i < kComponents; ++i) {
      const std::string name = "part" + std::to_string(i);
      root.write(name + ".spd.xml",
                 "<softpkg id=\"DCE:" + name + "\" name=\"" + name +
                     "\"><author/><descriptor><localfile name=\"part.scd.xml\"/></descriptor>"
                     "<implementation id=\"i\"><code type=\"Executable\"><localfile name=\"" +
                     name + "\"/></code><os name=\"Linux\"/></implementation></softpkg>");
      files += "<componentfile id=\"spd_" + name + "\" type=\"SPD\"><localfile name=\"" + name +
               ".spd.xml\"/></componentfile>";
      placements += "<componentplacement><componentfileref refid=\"spd_" + name +
                    "\"/><componentinstantiation id=\"" + name + "\"/></componentplacement>";
      if (i == 0) continue;
      connections += "<connectinterface id=\"c" + std::to_string(i) +
                     "\"><usesport><usesidentifier>out</usesidentifier><componentinstantiationref "
                     "refid=\"part" +
                     std::to_string(i - 1) +
                     "\"/></usesport><providesport><providesidentifier>in</providesidentifier>"
                     "<componentinstantiationref refid=\"" +
                     name + "\"/></providesport></connectinterface>";
    }
    root.write("parts.sad.xml",
               "<softwareassembly id=\"DCE:parts\" name=\"Parts\"><componentfiles>" + files +
                   "</componentfiles><partitioning>" + placements +
                   "</partitioning><assemblycontroller><componentinstantiationref refid=\"part0\"/>"
                   "</assemblycontroller><connections>" +
                   connections + "</connections></softwareassembly>");
  }

  TemporaryFolder folder, root;
  TestNode node{"node-1"}, components{"components", {}};
  std::atomic<std::int32_t> last_process{100};
  std::optional<TestOrb> orb;
  std::unique_ptr<DomainModel> model;
  naming::ContextExtRef naming;
  std::optional<Domain> domain;
  Domain::DomainManagerRef manager;
};

TEST_F(DomainInFiles, FlushesThreeTimesForACreationAndAStartOnThisMachine) {
  manager->registerDeviceManager(components.orb().use(node.manager()));
  manager->installApplication("/parts.sad.xml");
  const auto factory = components.orb().use(manager->applicationFactories().at(0));
  const int before = state::testing::flush_count;
  const auto application = components.orb().use(factory->create("radio", {}, {}));
  EXPECT_EQ(state::testing::flush_count - before, 2) << "names, and the application";
  application->start();
  EXPECT_EQ(state::testing::flush_count - before, 3);
  EXPECT_EQ(application->componentProcessIds().size(), std::size_t{kComponents});
  EXPECT_TRUE(naming->resolve_str("orbweaver/radio/part0_1"));
}

TEST_F(DomainInFiles, RemovesTheNamesOfAnApplicationWithTwoFlushes) {
  const auto context = IDL::traits<CosNaming::NamingContext>::narrow(domain->new_naming_context("radio"));
  for (int i = 0; i < kComponents; ++i)
    context->bind({CosNaming::NameComponent("part" + std::to_string(i), "")}, naming);
  domain->flush_names(context);
  const int before = state::testing::flush_count;
  domain->remove_naming_context("radio");
  EXPECT_EQ(state::testing::flush_count - before, 2) << "name and context";
  EXPECT_THROW(naming->resolve_str("orbweaver/radio"), CosNaming::NamingContext::NotFound);
}

TEST_F(DomainInFiles, KeepsTheNamesThatItHasFlushed) {
  const auto context = IDL::traits<CosNaming::NamingContext>::narrow(domain->new_naming_context("radio"));
  context->bind({CosNaming::NameComponent("part", "")}, naming);
  domain->flush_names(context);
  open();
  EXPECT_TRUE(naming->resolve_str("orbweaver/radio/part"));
}

}  // namespace
}  // namespace orbweaver::sca
