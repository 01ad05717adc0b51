#include "sca/domain/domain_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <utility>

#include "sca/domain/record_json.h"

namespace orbweaver::sca {
namespace {

using state::RecordChange;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A store that survives the model that uses it, and can be made to fail.
struct Disk {
  std::map<std::string, std::string> records;
  int commits = 0;
  bool full = false;
};

class DiskStore : public state::RecordStore {
 public:
  explicit DiskStore(Disk& disk) : disk_(disk) {}
  Result<std::map<std::string, std::string>> read_all() override { return disk_.records; }
  Result<void> commit(const std::vector<RecordChange>& changes, Durability) override {
    if (disk_.full) return Error{ErrorKind::unavailable, "no space"};
    ++disk_.commits;
    for (const RecordChange& change : changes) {
      disk_.records.erase(change.key);
      if (change.value) disk_.records[change.key] = *change.value;
    }
    return {};
  }

 private:
  Disk& disk_;
};

std::unique_ptr<DomainModel> open(Disk& disk) {
  auto model = DomainModel::open(std::make_unique<DiskStore>(disk));
  if (!model) throw std::runtime_error(model.error().message);
  return std::move(*model);
}

Application application(const std::string& id) {
  Application application;
  application.id = id;
  application.name = "radio " + id;
  application.installed = "DCE:radio";
  application.profile = "/radio.sad.xml";
  application.state = ApplicationState::started;
  application.controller = "source_1:" + id;
  application.components = {
      {"source_1:" + id, "source_1", "x86", "gpp_1", 4711, "IOR:00", "source_1_1", "", false}};
  application.start_order = {"sink:radio", "source:radio"};
  application.connections = {{"c1", "source:radio", "IOR:01", "IOR:02"}};
  application.loads = {{"gpp_1", "/radio/source"}};
  application.external_ports = {{"audio", "sink:radio", "out"}};
  application.external_properties = {{"volume", "sink:radio", "gain"}};
  application.allocations = {{"gpp_1", {{"memory", "64"}, {"cores", "0.5"}}}};
  application.devices = {{"gpp_1", "IOR:03"}};
  const DeclaredType gains{PropertyForm::sequence, {"float", true}, {}};
  const DeclaredType tuner{PropertyForm::structure, {}, {{"band", {"ulong", false}, false}}};
  application.redeployment = {true,
                              true,
                              true,
                              "node 'left' is lost",
                              {{"gains", gains, PropertyValue::sequence({"1+j2", "3"})},
                               {"tuner", tuner, PropertyValue::structure({{"band", "7"}})}},
                              {{"source_1", "gpp_1"}},
                              {{"os_name", "Linux"}},
                              {{"source_1", "p", {0, 2}}}};
  return application;
}

/// A domain of two nodes, with a device and a service each.
void fill(DomainModel& model) {
  for (const std::string n : {"1", "2"}) {
    ASSERT_TRUE(model.put(Node{"n" + n, "node " + n, "IOR:0" + n, "/node.dcd.xml"}));
    ASSERT_TRUE(model.put(RegisteredDevice{"d" + n, "gpp_" + n, "n" + n, "IOR:1" + n, "/gpp.spd.xml", true}));
    ASSERT_TRUE(model.put(Service{"s" + n, "n" + n, "IOR:2" + n}));
  }
}

/// The changes of a model in text: "added node n1".
std::vector<std::string>& watch(DomainModel& model, std::vector<std::string>& seen) {
  model.observe([&seen](const DomainChange& change) {
    constexpr const char* kKinds[] = {"added", "changed", "removed"};
    constexpr const char* kSubjects[] = {"node", "device", "service", "installed application", "application"};
    seen.push_back(std::string(kKinds[static_cast<int>(change.kind)]) + " " +
                   kSubjects[static_cast<int>(change.subject)] + " " + change.id);
  });
  return seen;
}

TEST(DomainModel, SurvivesARestart) {
  Disk disk;
  {
    const auto model = open(disk);
    fill(*model);
    ASSERT_TRUE(model->put(Service{"of the domain", "", "IOR:30"}));
    ASSERT_TRUE(model->put(InstalledApplication{"DCE:radio", "radio", "/radio.sad.xml"}));
    ASSERT_TRUE(model->put(application("1")));
  }
  const auto model = open(disk);
  EXPECT_THAT(model->nodes(), ElementsAre(Node{"n1", "node 1", "IOR:01", "/node.dcd.xml"},
                                          Node{"n2", "node 2", "IOR:02", "/node.dcd.xml"}));
  EXPECT_EQ(model->device("d2"), (RegisteredDevice{"d2", "gpp_2", "n2", "IOR:12", "/gpp.spd.xml", true}));
  EXPECT_EQ(model->services().size(), 3u);
  EXPECT_EQ(model->installed_application("DCE:radio")->profile, "/radio.sad.xml");
  EXPECT_THAT(model->applications(), ElementsAre(application("1")));
}

TEST(DomainModel, KeepsEachStateOfAnApplication) {
  for (const auto state :
       {ApplicationState::deploying, ApplicationState::stopped, ApplicationState::started,
        ApplicationState::failed, ApplicationState::releasing, ApplicationState::orphaned}) {
    Application written = application("1"), read;
    written.state = state;
    ASSERT_TRUE(from_json_text(to_json_text(written), read));
    EXPECT_EQ(read, written) << static_cast<int>(state);
    EXPECT_EQ(to_json_text(read), to_json_text(written));
  }
}

TEST(DomainModel, ReplacesAnApplicationInOneChange) {
  Disk disk;
  const auto model = open(disk);
  ASSERT_TRUE(model->put(application("1")));
  Application left = application("1"), next = application("2");
  left.state = ApplicationState::orphaned;
  next.name = left.name;
  std::vector<std::string> seen;
  watch(*model, seen);
  const int commits = disk.commits;
  ASSERT_TRUE(model->replace("1", left, next));
  EXPECT_EQ(disk.commits, commits + 1);
  EXPECT_THAT(model->applications(), ElementsAre(next));
  EXPECT_THAT(model->orphans(), ElementsAre(left));
  EXPECT_THAT(seen, ElementsAre("removed application 1", "added application 2"));
  EXPECT_EQ(model->replace("1", std::nullopt, next).error().kind, ErrorKind::invalid);
  ASSERT_TRUE(model->replace("2", std::nullopt, application("3")));
  EXPECT_THAT(open(disk)->applications(), ElementsAre(application("3")));
}

TEST(DomainModel, ChangesNothingThatItCannotStore) {
  Disk disk;
  const auto model = open(disk);
  fill(*model);
  std::vector<std::string> seen;
  watch(*model, seen);
  disk.full = true;
  EXPECT_EQ(model->put(Node{"n3", "", "", ""}).error().kind, ErrorKind::unavailable);
  EXPECT_FALSE(model->put(RegisteredDevice{"d1", "other label", "n1", "", "", true}));
  EXPECT_FALSE(model->remove_node("n1"));
  EXPECT_FALSE(model->remove_device("d1"));
  EXPECT_FALSE(model->node("n3"));
  EXPECT_EQ(model->device("d1")->label, "gpp_1");
  EXPECT_EQ(model->nodes().size(), 2u);
  EXPECT_THAT(seen, IsEmpty());
}

TEST(DomainModel, KeepsTheOrderInWhichServicesWereRegistered) {
  Disk disk;
  const auto orders = [](const DomainModel& model) {
    std::vector<std::string> all;
    for (const Service& each : model.services()) all.push_back(each.name + std::to_string(each.order));
    return all;
  };
  {
    const auto model = open(disk);
    for (const char* const name : {"b", "c", "a"}) ASSERT_TRUE(model->put(Service{name, "", "IOR:1"}));
    EXPECT_THAT(orders(*model), ElementsAre("a3", "b1", "c2"));
  }
  const auto model = open(disk);
  ASSERT_TRUE(model->put(Service{"b", "", "IOR:2"}));
  EXPECT_THAT(orders(*model), ElementsAre("a3", "b1", "c2")) << "it has been replaced";
  ASSERT_TRUE(model->remove_service("b"));
  ASSERT_TRUE(model->put(Service{"b", "", "IOR:3"}));
  EXPECT_THAT(orders(*model), ElementsAre("a3", "b4", "c2"));
}

TEST(DomainModel, ReadsServicesWithoutAnOrder) {
  Disk disk;
  disk.records["service/s"] = R"({"name":"s","node":"","reference":"IOR:1"})";
  EXPECT_EQ(open(disk)->service("s")->order, 0u);
}

TEST(DomainModel, RemovesANodeWithItsDevicesAndServices) {
  Disk disk;
  const auto model = open(disk);
  fill(*model);
  std::vector<std::string> seen;
  watch(*model, seen);
  const int commits = disk.commits;
  ASSERT_TRUE(model->remove_node("n1"));
  EXPECT_EQ(disk.commits, commits + 1) << "a crash in between must not leave a part";
  EXPECT_THAT(seen, ElementsAre("removed service s1", "removed device d1", "removed node n1"));
  EXPECT_FALSE(model->device("d1"));
  EXPECT_FALSE(model->service("s1"));
  EXPECT_TRUE(model->device("d2"));
  EXPECT_EQ(disk.records.size(), 3u);
}

TEST(DomainModel, NotifiesObserversInTheOrderOfTheChanges) {
  Disk disk;
  const auto model = open(disk);
  std::vector<std::string> seen;
  watch(*model, seen);
  fill(*model);
  ASSERT_TRUE(model->put(Node{"n1", "new label", "IOR:09", ""}));
  ASSERT_TRUE(model->put(application("1")));
  ASSERT_TRUE(model->remove_application("1"));
  EXPECT_THAT(seen, ElementsAre("added node n1", "added device d1", "added service s1", "added node n2",
                                "added device d2", "added service s2", "changed node n1",
                                "added application 1", "removed application 1"));
}

TEST(DomainModel, LetsAnObserverReadTheModel) {
  Disk disk;
  const auto model = open(disk);
  std::string label;
  model->observe([&](const DomainChange& change) { label = model->node(change.id)->label; });
  ASSERT_TRUE(model->put(Node{"n1", "node 1", "", ""}));
  EXPECT_EQ(label, "node 1");
}

TEST(DomainModel, RejectsRecordsThatContradictOthers) {
  Disk disk;
  const auto model = open(disk);
  fill(*model);
  EXPECT_EQ(model->put(RegisteredDevice{"d3", "", "n9", "", "", true}).error().message,
            "node 'n9' of device 'd3' is not registered");
  EXPECT_EQ(model->put(RegisteredDevice{"d1", "", "n2", "", "", true}).error().message,
            "device 'd1' is registered by node 'n1'");
  EXPECT_EQ(model->put(Service{"s1", "n2", ""}).error().message, "service 's1' is registered by node 'n1'");
  EXPECT_EQ(model->put(Node{"", "", "", ""}).error().kind, ErrorKind::invalid);
  EXPECT_EQ(model->put(Node{"caf\xe9", "", "", ""}).error().message, "an id is not valid UTF-8");
  ASSERT_TRUE(model->put(InstalledApplication{"DCE:1", "radio", "/a"}));
  EXPECT_EQ(model->put(InstalledApplication{"DCE:1", "radar", "/b"}).error().message,
            "application 'DCE:1' is installed already");
  EXPECT_EQ(model->put(InstalledApplication{"DCE:2", "radio", "/b"}).error().message,
            "an application named 'radio' is installed already: 'DCE:1'");
  ASSERT_TRUE(model->put(application("1")));
  Application other = application("2");
  other.name = "radio 1";
  EXPECT_EQ(model->put(other).error().message, "an application named 'radio 1' exists already: '1'");
  for (const auto& removed : {model->remove_node("x"), model->remove_device("x"), model->remove_service("x"),
                              model->remove_installed_application("x"), model->remove_application("x")}) {
    EXPECT_EQ(removed.error().message, "'x' is not registered");
  }
}

TEST(DomainModel, RejectsADamagedState) {
  const std::pair<const char*, const char*> damaged[] = {
      {"node/n1", "{"},
      {"node/n1", "[]"},
      {"node/n1", R"({"id":"n1"})"},
      {"node/n1", R"({"id":1,"label":"","reference":"","profile":""})"},
      {"node/n1", R"({"id":"n2","label":"","reference":"","profile":""})"},
      {"application/1",
       R"({"id":"1","name":"","installed":"","profile":"","state":"paused","failure":"","controller":"",)"
       R"("components":[],"start_order":[],"connections":[],"loads":[],"allocations":[],)"
       R"("external_ports":[],"external_properties":[]})"},
      {"application/1",
       R"({"id":"1","name":"","installed":"","profile":"","state":5,"failure":"","controller":"",)"
       R"("components":[],"start_order":[],"connections":[],"loads":[],"allocations":[],)"
       R"("external_ports":[],"external_properties":[]})"},
      {"nodes/n1", R"({"id":"n1","label":"","reference":"","profile":""})"},
  };
  for (const auto& [key, value] : damaged) {
    Disk disk;
    disk.records[key] = value;
    const auto model = DomainModel::open(std::make_unique<DiskStore>(disk));
    ASSERT_FALSE(model) << value;
    EXPECT_EQ(model.error().kind, ErrorKind::invalid);
    EXPECT_THAT(model.error().message, HasSubstr(std::string("record '") + key + "'"));
  }
}

TEST(DomainModel, ReadsApplicationsWithoutTheReferencesOfTheirDevices) {
  std::string text = to_json_text(application("1"));
  const std::string devices = R"("devices":[{"id":"gpp_1","reference":"IOR:03"}],)";
  ASSERT_NE(text.find(devices), std::string::npos);
  text.erase(text.find(devices), devices.size());
  Application read;
  ASSERT_TRUE(from_json_text(text, read));
  EXPECT_THAT(read.devices, IsEmpty());
}

TEST(DomainModel, KeepsWhatAReleasedApplicationHasLeft) {
  Disk disk;
  std::vector<std::string> seen;
  Application left = application("1");
  {
    const auto model = open(disk);
    ASSERT_TRUE(model->put(application("1")));
    EXPECT_FALSE(model->orphan(left)) << "its state is that of an application";
    left.state = ApplicationState::orphaned;
    watch(*model, seen);
    const int before = disk.commits;
    ASSERT_TRUE(model->orphan(left));
    EXPECT_EQ(disk.commits, before + 1) << "no end of the process is between the two";
    EXPECT_FALSE(model->orphan(left)) << "it is no application any more";
    EXPECT_THAT(seen, ElementsAre("removed application 1"));
    EXPECT_THAT(model->applications(), IsEmpty());
    Application next = application("2");
    next.name = left.name;
    EXPECT_TRUE(model->put(next)) << "its name is free";
  }
  const auto model = open(disk);
  EXPECT_THAT(model->orphans(), ElementsAre(left));
  left.loads.clear();
  ASSERT_TRUE(model->put_orphan(left));
  EXPECT_THAT(model->orphans(), ElementsAre(left));
  ASSERT_TRUE(model->remove_orphan("1"));
  EXPECT_FALSE(model->put_orphan(left));
  EXPECT_THAT(open(disk)->orphans(), IsEmpty());
  EXPECT_THAT(open(disk)->applications(), ::testing::SizeIs(1));
}

TEST(DomainModel, StoresTextThatIsNoUtf8) {
  Disk disk;
  const auto model = open(disk);
  ASSERT_TRUE(model->put(Node{"n1", "caf\xe9", "", ""}));
  EXPECT_EQ(open(disk)->node("n1")->label, "caf\xef\xbf\xbd");
}

TEST(DomainModel, CanBeReadWhileItChanges) {
  Disk disk;
  const auto model = open(disk);
  std::atomic<bool> end{false};
  std::thread reading([&] {
    while (!end) {
      for (const RegisteredDevice& device : model->devices()) ASSERT_EQ(device.node, "n1");
    }
  });
  ASSERT_TRUE(model->put(Node{"n1", "", "", ""}));
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(model->put(RegisteredDevice{"d1", std::to_string(i), "n1", "", "", true}));
    if (i % 10 == 0) {
      ASSERT_TRUE(model->remove_device("d1"));
    }
  }
  end = true;
  reading.join();
}

TEST(DomainModel, LimitsTheNumberOfRecords) {
  Disk disk;
  const auto model = open(disk);
  for (std::size_t i = 0; i < DomainModel::kMaxNodes; ++i)
    ASSERT_TRUE(model->put(Node{"node " + std::to_string(i), "", "", ""}));
  const auto added = model->put(Node{"one more", "", "", ""});
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().kind, ErrorKind::unavailable);
  EXPECT_EQ(added.error().message, "the domain has 1000 nodes, the most that it admits");
  EXPECT_FALSE(model->node("one more"));
  EXPECT_TRUE(model->put(Node{"node 7", "again", "", ""}));
  ASSERT_TRUE(model->remove_node("node 8"));
  EXPECT_TRUE(model->put(Node{"one more", "", "", ""}));
}

}  // namespace
}  // namespace orbweaver::sca
