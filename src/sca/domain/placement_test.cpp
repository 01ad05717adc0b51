#include "sca/domain/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "sca/device_state/capacity.h"

namespace orbweaver::sca {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// An allocator with an account for each device, which records its calls: "+0 memory=64", "-0 memory=64".
class RecordingAllocator : public CapacityAllocator {
 public:
  explicit RecordingAllocator(std::vector<double> memory_of_devices) {
    for (const double memory : memory_of_devices) accounts_.emplace_back().add("memory", memory);
  }

  Result<void> allocate(std::size_t device, const std::vector<Requirement>& capacities) override {
    auto allocated = accounts_[device].allocate(amounts(capacities));
    if (allocated) record('+', device, capacities);
    return allocated;
  }
  void deallocate(std::size_t device, const std::vector<Requirement>& capacities) noexcept override {
    EXPECT_TRUE(accounts_[device].deallocate(amounts(capacities)));
    record('-', device, capacities);
  }

  double left(std::size_t device) const { return accounts_[device].left("memory"); }
  const std::vector<std::string>& calls() const { return calls_; }

 private:
  static std::vector<Amount> amounts(const std::vector<Requirement>& capacities) {
    std::vector<Amount> amounts;
    for (const auto& capacity : capacities) amounts.push_back({capacity.id, std::stod(capacity.value)});
    return amounts;
  }
  void record(char sign, std::size_t device, const std::vector<Requirement>& capacities) {
    std::string call = sign + std::to_string(device);
    for (const auto& capacity : capacities) call += " " + capacity.id + "=" + capacity.value;
    calls_.push_back(call);
  }

  std::vector<CapacityAccount> accounts_;
  std::vector<std::string> calls_;
};

/// A device with allocatable memory and the property `radio`, which is compared.
CandidateDevice device(const std::string& id, const std::string& node, const std::string& radio = "none") {
  CandidateDevice device;
  device.id = id;
  device.node = node;
  device.platform = {"Linux", "6.1.0-13-amd64", "x86_64"};
  device.properties = {{"memory", "memory", "ulong", MatchAction::external, ""},
                       {"DCE:radio", "radio", "string", MatchAction::equal, radio}};
  return device;
}

/// A component with one implementation, which needs that much memory.
ComponentNeeds component(const std::string& id, const std::string& memory) {
  return {id, {{"x86", {{"Linux"}}, {"x86_64"}, {{"memory", memory}}}}, {}, {}};
}

std::vector<std::size_t> devices_of(const Placement& placement) {
  std::vector<std::size_t> devices;
  for (const auto& placed : placement.components) devices.push_back(placed.device);
  return devices;
}

TEST(Placement, UsesTheFirstDeviceThatTakesTheComponent) {
  RecordingAllocator allocator({100, 100});
  const auto placed = place({{component("a", "60"), component("b", "60"), component("c", "40")}, {}},
                            {device("gpp_1", "n1"), device("gpp_2", "n2")}, allocator);
  ASSERT_TRUE(placed) << placed.error().message;
  EXPECT_THAT(devices_of(*placed), ElementsAre(0, 1, 0));
  EXPECT_THAT(allocator.calls(), ElementsAre("+0 memory=60", "+1 memory=60", "+0 memory=40"));
}

/// An allocator that gives a device once, and records what it was asked for.
class OneTuner final : public CapacityAllocator {
 public:
  Result<void> allocate(std::size_t device, const std::vector<Requirement>& capacities) override {
    asked.push_back(std::to_string(device) + " " + capacities.at(0).id + "=" + capacities[0].value);
    if (capacities[0].value != R"({"band":"7"})") return Error{ErrorKind::unavailable, "has no such tuner"};
    return {};
  }
  void deallocate(std::size_t, const std::vector<Requirement>&) noexcept override {}
  std::vector<std::string> asked;
};

TEST(Placement, LetsTheDeviceDecideOnAStruct) {
  auto tuners = device("tuners", "n1");
  tuners.executes = false;
  DeclaredType type;
  type.form = PropertyForm::structure;
  type.members = {{"band", {"ulong"}, false}};
  AllocationProperty tuner;
  tuner.id = "DCE:tuner";
  tuner.name = "tuner";
  tuner.structure = std::make_shared<DeclaredType>(type);
  tuners.properties.push_back(tuner);
  const auto use = [&](const std::string& value, PropertyForm form) {
    OneTuner allocator;
    const auto placed =
        place({{}, {}, {{"u", {{"tuner", value, form}}}}}, {device("gpp", "n1"), tuners}, allocator);
    if (!placed) return placed.error().message;
    EXPECT_EQ(placed->used, std::vector<std::size_t>{1});
    EXPECT_THAT(allocator.asked, ElementsAre(R"(1 DCE:tuner={"band":"7"})"));
    return std::string();
  };
  EXPECT_EQ(use(R"({"band":"7"})", PropertyForm::structure), "");
  EXPECT_THAT(use(R"({"band":"8"})", PropertyForm::structure),
              ::testing::AllOf(HasSubstr("gpp on n1: has no allocation property 'tuner'"),
                               HasSubstr("tuners on n1: has no such tuner")));
  EXPECT_THAT(use("7", PropertyForm::simple),
              HasSubstr("its allocation property 'tuner' is a struct, and not a simple value"));
  EXPECT_THAT(use(R"([{"band":"7"}])", PropertyForm::structure_sequence),
              HasSubstr("is a struct, and not a sequence of structs"));
}

TEST(Placement, DeallocatesInReverseOrderWhenItFails) {
  RecordingAllocator allocator({100, 100});
  const auto placed = place({{component("a", "60"), component("b", "60"), component("c", "50")}, {}},
                            {device("gpp_1", "n1"), device("gpp_2", "n2")}, allocator);
  ASSERT_FALSE(placed);
  EXPECT_EQ(placed.error().kind, ErrorKind::unavailable);
  EXPECT_EQ(placed.error().message,
            "component 'c' can be placed on no device:\n"
            "  gpp_1 on n1, implementation 'x86': 50 of memory, of which 40 are left\n"
            "  gpp_2 on n2, implementation 'x86': 50 of memory, of which 40 are left");
  EXPECT_THAT(allocator.calls(), ElementsAre("+0 memory=60", "+1 memory=60", "-1 memory=60", "-0 memory=60"));
}

TEST(Placement, SaysWhyEachDeviceIsRefused) {
  RecordingAllocator allocator({100, 100, 100, 100, 100});
  auto devices = {device("a", "n"), device("b", "n"), device("c", "n"), device("d", "n"), device("e", "n")};
  std::vector<CandidateDevice> candidates(devices);
  candidates[0].closed = "is locked";
  candidates[1].executes = false;
  candidates[2].platform.processor = "aarch64";
  candidates[3].properties.pop_back();
  ComponentNeeds needs = component("fir_1", "1");
  needs.implementations[0].requirements.push_back({"DCE:radio", "vhf"});
  const auto placed = place({{needs}, {}}, candidates, allocator);
  ASSERT_FALSE(placed);
  EXPECT_EQ(placed.error().message,
            "component 'fir_1' can be placed on no device:\n"
            "  a on n: is locked\n"
            "  b on n: executes no programs\n"
            "  c on n, implementation 'x86': is for the processor x86_64, and this is aarch64\n"
            "  d on n, implementation 'x86': has no allocation property 'DCE:radio'\n"
            "  e on n, implementation 'x86': radio is 'none', and has to be 'vhf'");
  EXPECT_THAT(allocator.calls(), IsEmpty());
}

TEST(Placement, FindsAPropertyByItsNameToo) {
  RecordingAllocator allocator({100, 100});
  ComponentNeeds needs = component("a", "1");
  needs.implementations[0].requirements.push_back({"radio", "vhf"});
  const auto placed = place({{needs}, {}}, {device("d1", "n"), device("d2", "n", "vhf")}, allocator);
  ASSERT_TRUE(placed) << placed.error().message;
  EXPECT_THAT(devices_of(*placed), ElementsAre(1));
}

TEST(Placement, TriesImplementationsInTheirOrder) {
  RecordingAllocator allocator({100});
  ComponentNeeds needs = component("a", "200");
  needs.implementations.push_back({"small", {}, {}, {{"memory", "20"}}});
  needs.implementations.push_back({"smaller", {}, {}, {{"memory", "10"}}});
  const auto placed = place({{needs}, {}}, {device("d", "n")}, allocator);
  ASSERT_TRUE(placed) << placed.error().message;
  EXPECT_EQ(placed->components[0].implementation, 1u);
}

TEST(Placement, ComparesTheVersionOfTheSystem) {
  RecordingAllocator allocator({100, 100});
  ComponentNeeds needs = component("a", "1");
  needs.implementations[0].systems = {{"Linux", "5.10"}, {"Linux", "6.2"}};
  std::vector<CandidateDevice> candidates{device("d1", "n"), device("d2", "n")};
  candidates[1].platform.version = "6.2.0";
  auto placed = place({{needs}, {}}, candidates, allocator);
  ASSERT_TRUE(placed) << placed.error().message;
  EXPECT_THAT(devices_of(*placed), ElementsAre(1));
  candidates.pop_back();
  placed = place({{needs}, {}}, candidates, allocator);
  EXPECT_THAT(placed.error().message, HasSubstr("d1 on n, implementation 'x86': is for Linux 5.10 or Linux "
                                                "6.2, and this is Linux 6.1.0-13-amd64"));
}

TEST(Placement, HonoursTheAssignedDevice) {
  RecordingAllocator allocator({100, 100});
  ComponentNeeds needs = component("a", "1");
  needs.assigned_device = "d2";
  auto placed = place({{needs}, {}}, {device("d1", "n"), device("d2", "n")}, allocator);
  ASSERT_TRUE(placed) << placed.error().message;
  EXPECT_THAT(devices_of(*placed), ElementsAre(1));
  needs.assigned_device = "d3";
  placed = place({{needs}, {}}, {device("d1", "n")}, allocator);
  EXPECT_THAT(placed.error().message, HasSubstr("d1 on n: the component is assigned to device 'd3'"));
}

TEST(Placement, KeepsAHostCollocationOnOneNode) {
  // Node n1 has room for `a` only, so that both go to n2, on two devices.
  RecordingAllocator allocator({100, 60, 60});
  const PlacementRequest request{{component("a", "60"), component("x", "10"), component("b", "60")},
                                 {{"rx", {0, 2}}}};
  const auto placed = place(request, {device("d1", "n1"), device("d2", "n2"), device("d3", "n2")}, allocator);
  ASSERT_TRUE(placed) << placed.error().message;
  EXPECT_THAT(devices_of(*placed), ElementsAre(1, 0, 2));
  EXPECT_EQ(allocator.left(0), 90) << "the attempt on n1 has to be given back";
}

TEST(Placement, SaysWhyAHostCollocationFitsNoNode) {
  RecordingAllocator allocator({100, 10});
  const PlacementRequest request{{component("a", "60"), component("b", "60")}, {{"rx", {0, 1}}}};
  const auto placed = place(request, {device("d1", "n1"), device("d2", "n2")}, allocator);
  ASSERT_FALSE(placed);
  EXPECT_EQ(placed.error().message,
            "host collocation 'rx' can be placed on no node:\n"
            "  n1: component 'b' can be placed on no device:\n"
            "    d1 on n1, implementation 'x86': 60 of memory, of which 40 are left\n"
            "  n2: component 'a' can be placed on no device:\n"
            "    d2 on n2, implementation 'x86': 60 of memory, of which 10 are left");
  EXPECT_EQ(allocator.left(0), 100);
}

TEST(Placement, AllocatesUsedDevicesOnAnyNode) {
  RecordingAllocator allocator({100, 100});
  ComponentNeeds needs = component("a", "60");
  needs.uses.push_back({"antenna", {{"radio", "vhf"}, {"memory", "5"}}});
  std::vector<CandidateDevice> devices{device("gpp", "n1"), device("tuner", "n2", "vhf")};
  devices[1].executes = false;
  auto placed = place({{needs}, {{"rx", {0}}}}, devices, allocator);
  ASSERT_TRUE(placed) << placed.error().message;
  EXPECT_THAT(placed->components[0].used, ElementsAre(1));
  EXPECT_THAT(allocator.calls(), ElementsAre("+0 memory=60", "+1 memory=5"));
  deallocate_all(*placed, allocator);
  EXPECT_THAT(allocator.calls(), ElementsAre("+0 memory=60", "+1 memory=5", "-1 memory=5", "-0 memory=60"));

  devices[1].closed = "is disabled";
  placed = place({{needs}, {}}, devices, allocator);
  ASSERT_FALSE(placed);
  EXPECT_EQ(placed.error().message,
            "component 'a' can be placed on no device:\n"
            "  gpp on n1, implementation 'x86': no device fits its usesdevice 'antenna':\n"
            "    gpp on n1: radio is 'none', and has to be 'vhf'\n"
            "    tuner on n2: is disabled\n"
            "  tuner on n2: executes no programs");
  EXPECT_EQ(allocator.left(0), 100);
}

TEST(Placement, DeallocatesWhatADeviceHasWhenTheComponentGoesToAnotherOne) {
  // The first device takes the component, and then has no space for its use, for which it is the only one.
  RecordingAllocator allocator({100, 100});
  ComponentNeeds needs = component("a", "60");
  needs.uses.push_back({"antenna", {{"radio", "vhf"}, {"memory", "50"}}});
  const auto placed = place({{needs}, {}}, {device("d1", "n", "vhf"), device("d2", "n")}, allocator);
  ASSERT_TRUE(placed) << placed.error().message;
  EXPECT_THAT(devices_of(*placed), ElementsAre(1));
  EXPECT_THAT(allocator.calls(), ElementsAre("+0 memory=60", "-0 memory=60", "+1 memory=60", "+0 memory=50"));
}

TEST(Placement, CountsReasonsBeyondSixteen) {
  RecordingAllocator allocator({});
  std::vector<CandidateDevice> devices(20, device("d", "n"));
  for (auto& each : devices) each.closed = "is locked";
  const auto placed = place({{component("a", "1")}, {}}, devices, allocator);
  ASSERT_FALSE(placed);
  EXPECT_THAT(placed.error().message, HasSubstr("and 4 more"));
}

TEST(Placement, SaysThatThereIsNoDevice) {
  RecordingAllocator allocator({});
  EXPECT_EQ(place({{component("a", "1")}, {}}, {}, allocator).error().message,
            "component 'a' can be placed on no device; there is none");
  EXPECT_EQ(place({{component("a", "1")}, {{"rx", {0}}}}, {}, allocator).error().message,
            "host collocation 'rx' can be placed on no node; there is none");
}

/// A component that shares a process.
ComponentNeeds in_process(const std::string& id, const std::string& process, const std::string& memory) {
  ComponentNeeds needs = component(id, memory);
  needs.process = process;
  return needs;
}

TEST(Placement, PlacesComponentsOfOneProcessOnOneDevice) {
  RecordingAllocator allocator({100, 100});
  const auto placed =
      place({{in_process("a", "p", "60"), component("b", "30"), in_process("c", "p", "40")}, {}},
            {device("gpp_1", "n1"), device("gpp_2", "n1")}, allocator);
  ASSERT_TRUE(placed) << placed.error().message;
  EXPECT_THAT(devices_of(*placed), ElementsAre(0, 1, 0));

  RecordingAllocator small({70, 100});
  const auto moved = place({{in_process("a", "p", "60"), in_process("c", "p", "40")}, {}},
                           {device("gpp_1", "n1"), device("gpp_2", "n1")}, small);
  ASSERT_TRUE(moved) << moved.error().message;
  EXPECT_THAT(devices_of(*moved), ElementsAre(1, 1));
  EXPECT_EQ(small.left(0), 70);

  RecordingAllocator none({70, 70});
  const auto refused = place({{in_process("a", "p", "60"), in_process("c", "p", "40")}, {}},
                             {device("gpp_1", "n1"), device("gpp_2", "n1")}, none);
  EXPECT_THAT(refused.error().message, HasSubstr("the components of process 'p' can be placed on no device"));
  EXPECT_EQ(none.left(0) + none.left(1), 140);
}

TEST(Placement, PlacesAProcessOnTheNodeOfItsCollocation) {
  RecordingAllocator allocator({50, 100, 100});
  const auto placed = place(
      {{component("a", "50"), in_process("b", "p", "60"), in_process("c", "p", "40")}, {{"close", {0, 1}}}},
      {device("gpp_1", "n1"), device("gpp_2", "n2"), device("gpp_3", "n2")}, allocator);
  ASSERT_TRUE(placed) << placed.error().message;
  EXPECT_THAT(devices_of(*placed), ElementsAre(1, 2, 2))
      << "c is not in the collocation, but shares a process";
  EXPECT_EQ(allocator.left(0), 50);
}

TEST(Placement, KeepsACollocationTogetherIfAMemberSharesAProcessWithAnother) {
  const std::vector<CandidateDevice> devices{device("gpp_1", "n1"), device("gpp_2", "n2")};
  PlacementRequest request{{in_process("a", "p", "10"), in_process("b", "p", "10"), component("c", "10")},
                           {{"first", {0}}, {"second", {1, 2}}}};
  request.components[2].assigned_device = "gpp_2";
  RecordingAllocator allocator({100, 100});
  const auto placed = place(request, devices, allocator);
  ASSERT_FALSE(placed);
  EXPECT_THAT(placed.error().message, HasSubstr("n2: component 'b' is on n1, in the process of another one"));
  EXPECT_EQ(allocator.left(0) + allocator.left(1), 200);
}

TEST(Placement, RejectsADeviceThatTwoCollocationsUseOnTwoNodes) {
  const std::vector<CandidateDevice> devices{device("gpp_1", "n1"), device("gpp_2", "n2")};
  PlacementRequest request{{component("a", "10"), component("b", "10")},
                           {{"first", {0}, {0}}, {"second", {1}, {0}}}};
  request.uses = {{"tuner", {{"memory", "10"}}}};
  RecordingAllocator allocator({100, 100});
  const auto together = place(request, devices, allocator);
  ASSERT_TRUE(together) << together.error().message;
  EXPECT_THAT(devices_of(*together), ElementsAre(0, 0));
  request.components[1].assigned_device = "gpp_2";
  RecordingAllocator apart({100, 100});
  const auto refused = place(request, devices, apart);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("n2: its usesdevice 'tuner' is on n1"));
  EXPECT_EQ(apart.left(0) + apart.left(1), 200);
}

TEST(Placement, AllocatesDevicesForImplementationsAndForTheApplication) {
  RecordingAllocator allocator({100, 100});
  PlacementRequest request{{component("a", "60")}, {}};
  request.components[0].implementations[0].uses = {{"tuner", {{"memory", "50"}}}};
  request.uses = {{"shared", {{"memory", "40"}}}};
  const auto placed = place(request, {device("gpp_1", "n1"), device("gpp_2", "n1")}, allocator);
  ASSERT_TRUE(placed) << placed.error().message;
  EXPECT_THAT(placed->components[0].used, ElementsAre(1));
  EXPECT_THAT(placed->used, ElementsAre(0));
  request.uses.push_back({"too much", {{"memory", "60"}}});
  RecordingAllocator second({100, 100});
  EXPECT_THAT(place(request, {device("gpp_1", "n1"), device("gpp_2", "n1")}, second).error().message,
              HasSubstr("the application: no device fits its usesdevice 'too much'"));
  EXPECT_EQ(second.left(0) + second.left(1), 200);
}

TEST(Placement, ChoosesTheDevicesThatACollocationNamesOnItsNode) {
  std::vector<CandidateDevice> devices{device("gpp_1", "n1", "vhf"), device("gpp_2", "n2"),
                                       device("tuner_2", "n2", "vhf")};
  devices[2].executes = false;
  RecordingAllocator allocator({50, 100, 100});
  PlacementRequest request{{component("a", "60")}, {{"host", {0}, {0}}}};
  request.uses = {{"tuner", {{"DCE:radio", "vhf"}, {"memory", "10"}}}, {"any", {{"memory", "1"}}}};
  const auto placed = place(request, devices, allocator);
  ASSERT_TRUE(placed) << placed.error().message;
  EXPECT_THAT(placed->used, ElementsAre(2, 0)) << "gpp_1 has it, too, on another node";
  request.uses[0].requirements[1].value = "101";
  RecordingAllocator all({50, 100, 100});
  const auto refused = place(request, devices, all);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("no device fits its usesdevice 'tuner'"));
  EXPECT_EQ(all.left(1), 100) << "the component, too, is undone";
}

TEST(Placement, MatchesDevicerequiresWithDeployerrequires) {
  std::vector<CandidateDevice> devices{device("plain", "n"), device("red", "n"), device("blue", "n")};
  devices[1].deployer_requires = {{"colour", "red"}, {"level", "2"}};
  devices[2].deployer_requires = {{"colour", "blue"}};
  PlacementRequest request{{component("a", "1"), component("b", "1"), component("c", "1")}, {}};
  request.components[0].device_requires = {{"level", "2"}, {"colour", "red"}};
  request.components[1].device_requires = {{"colour", "blue"}};
  RecordingAllocator allocator({100, 100, 100});
  const auto placed = place(request, devices, allocator);
  ASSERT_TRUE(placed) << placed.error().message;
  EXPECT_THAT(devices_of(*placed), ElementsAre(1, 2, 0)) << "c requires nothing";
  request.components[0].device_requires = {{"colour", "red"}};
  RecordingAllocator other({100, 100, 100});
  const auto refused = place(request, devices, other);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message,
              HasSubstr("plain on n: has no deployerrequires 'colour' = 'red', which the component has"));
  EXPECT_THAT(refused.error().message,
              HasSubstr("red on n: takes only components with devicerequires 'level' = '2'"));
}

}  // namespace
}  // namespace orbweaver::sca
