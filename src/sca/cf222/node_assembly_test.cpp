// Assemblies in the file system of a node.
#include "sca/cf222/testing/domain_fixture.h"

namespace orbweaver::sca {
namespace {

using namespace orbweaver::sca::testing;
using ::testing::HasSubstr;

struct NodeAssembly : DomainTest {
  NodeAssembly() {
    for (const auto& file : std::filesystem::directory_iterator(root.path()))
      std::filesystem::copy_file(file.path(), node->folder.path(file.path().filename().string()));
    join();
    deployment.asked = [this](const DeploymentRequest& request, DeploymentDomain& in) {
      code = in.file_name(request.assembly.packages.at(0).implementations.at(0).file);
    };
  }
  const std::string name = "/label-of-node-1/chain.sad.xml";
  std::string code;  ///< The name of a component's code when an application is created.
};

TEST_F(NodeAssembly, IsInstalledAndCreated) {
  client->installApplication(name);
  const auto factory = use(client->applicationFactories().at(0));
  EXPECT_EQ(factory->softwareProfile(), name);
  factory->create("rx", {}, {});
  EXPECT_THAT(code, ::testing::StartsWith("/label-of-node-1/"));
}

TEST_F(NodeAssembly, IsReadAgainAfterARestart) {
  client->installApplication(name);
  start();
  use(client->applicationFactories().at(0))->create("rx", {}, {});
  EXPECT_THAT(code, ::testing::StartsWith("/label-of-node-1/"));
}

TEST_F(NodeAssembly, IsRejectedWithTheNamesOfItsFilesThere) {
  node->folder.write("bad.sad.xml", "<softwareassembly>");
  EXPECT_THAT(message_of([&] { client->installApplication("/label-of-node-1/bad.sad.xml"); }),
              ::testing::StartsWith("/label-of-node-1/bad.sad.xml:1:"));
  EXPECT_THROW(client->installApplication("/label-of-node-1/none.sad.xml"), CF::InvalidFileName);
  EXPECT_THROW(client->installApplication("/label-of-node-2/chain.sad.xml"), CF::InvalidFileName);
}

TEST_F(NodeAssembly, HasLimitedProfiles) {
  std::string files;
  for (int i = 0; i < 1100; ++i)
    files += "<componentfile id=\"f" + std::to_string(i) + "\"><localfile name=\"" + std::to_string(i) +
             ".spd.xml\"/></componentfile>";
  node->folder.write("many.sad.xml", "<softwareassembly id=\"many\"><componentfiles>" + files +
                                         "</componentfiles></softwareassembly>");
  EXPECT_THAT(message_of([&] { client->installApplication("/label-of-node-1/many.sad.xml"); }),
              HasSubstr("names more than 1024 profiles"));
}

}  // namespace
}  // namespace orbweaver::sca
