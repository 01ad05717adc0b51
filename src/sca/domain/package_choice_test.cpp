#include "sca/domain/package_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace orbweaver::sca {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ImplementationNeeds implementation(const std::string& id, const std::string& system = "Linux") {
  return {id, {{system}}, {}, {}};
}

/// An implementation that needs that much memory.
ImplementationNeeds with_memory(const std::string& id, const std::string& memory) {
  return {id, {}, {}, {{"memory", memory}}};
}

ImplementationNeeds depending(ImplementationNeeds needs, std::vector<PackageUse> packages) {
  needs.packages = std::move(packages);
  return needs;
}

/// A choice for a device with Linux and some memory, which has no other allocation property.
class PackageChoices : public ::testing::Test {
 protected:
  Result<void> choose(const std::vector<PackageUse>& uses) {
    PackageChoice choice(packages, platform,
                         {[this](const std::vector<Requirement>& required) { return allocate(required); },
                          [this] { return allocated.size(); },
                          [this](std::size_t mark) {
                            for (; allocated.size() > mark; allocated.pop_back()) memory += allocated.back();
                          }});
    auto done = choice.choose(uses);
    chosen.clear();
    for (const PlacedPackage& each : choice.take())
      chosen.push_back(each.package + ":" + packages.at(each.package)[each.implementation].id);
    return done;
  }
  Result<void> allocate(const std::vector<Requirement>& required) {
    ++calls;
    for (const Requirement& each : required) {
      const int amount = std::stoi(each.value);
      if (amount > memory) return Error{ErrorKind::unavailable, each.value + " of memory"};
      memory -= amount;
      allocated.push_back(amount);
    }
    return {};
  }

  std::map<std::string, std::vector<ImplementationNeeds>> packages;
  Platform platform{"Linux", "", "x86_64"};
  int memory = 100, calls = 0;
  std::vector<int> allocated;
  std::vector<std::string> chosen;
};

TEST_F(PackageChoices, AreTheFirstImplementationsForThePlatform) {
  packages["filter"] = {implementation("a", "VxWorks"), implementation("b"), implementation("c")};
  EXPECT_TRUE(choose({{"filter", ""}}));
  EXPECT_THAT(chosen, ElementsAre("filter:b"));
  EXPECT_TRUE(choose({{"filter", "c"}}));
  EXPECT_THAT(chosen, ElementsAre("filter:c"));
}

TEST_F(PackageChoices, FitWithThePackagesThatTheyDependOn) {
  packages["fft"] = {depending(implementation("fast"), {{"vector", ""}}),
                     depending(implementation("slow"), {{"base", ""}})};
  packages["vector"] = {implementation("v", "VxWorks")};
  packages["base"] = {implementation("b")};
  EXPECT_TRUE(choose({{"fft", ""}, {"base", ""}}));
  EXPECT_THAT(chosen, ElementsAre("fft:slow", "base:b"));
}

TEST_F(PackageChoices, HaveTheCapacitiesThatTheyRequire) {
  packages["tables"] = {with_memory("large", "80"), with_memory("small", "30")};
  packages["code"] = {with_memory("code", "40")};
  EXPECT_TRUE(choose({{"code", ""}, {"tables", ""}}));
  EXPECT_THAT(chosen, ElementsAre("code:code", "tables:small"));
  EXPECT_THAT(allocated, ElementsAre(40, 30));
}

TEST_F(PackageChoices, GiveBackWhatAnImplementationThatWasGivenUpHasAllocated) {
  packages["fft"] = {depending(with_memory("fast", "60"), {{"vector", ""}}), with_memory("slow", "60")};
  packages["vector"] = {with_memory("v", "50")};
  EXPECT_TRUE(choose({{"fft", ""}}));
  EXPECT_THAT(chosen, ElementsAre("fft:slow"));
  EXPECT_EQ(memory, 40);
}

TEST_F(PackageChoices, NameTheDependencyThatDoesNotFit) {
  packages["fft"] = {implementation("a", "VxWorks"), depending(implementation("b"), {{"vector", "v2"}})};
  packages["vector"] = {implementation("v1"), implementation("v2", "Win32")};
  const auto done = choose({{"fft", ""}});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message,
            "no implementation of fft, which it depends on, fits:\n"
            "  implementation 'a': is for VxWorks, and this is Linux\n"
            "  implementation 'b': no implementation of vector, which it depends on, fits:\n"
            "    implementation 'v2': is for Win32, and this is Linux");
  EXPECT_THAT(chosen, IsEmpty());
  EXPECT_EQ(choose({{"other", ""}}).error().message,
            "no implementation of other, which it depends on, fits; there is none");
}

TEST_F(PackageChoices, NameTheImplementationThatFitsNoMore) {
  packages["fft"] = {depending(with_memory("a", "10"), {{"vector", ""}, {"none", ""}}),
                     depending(with_memory("b", "60"), {{"vector", ""}})};
  packages["vector"] = {with_memory("v", "50")};
  const auto done = choose({{"fft", ""}});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message,
            "no implementation of fft, which it depends on, fits:\n"
            "  implementation 'a': no implementation of none, which it depends on, fits; there is none\n"
            "  implementation 'b': no implementation of vector, which it depends on, fits:\n"
            "    implementation 'v': 50 of memory");
}

TEST_F(PackageChoices, CountAPackageOnceThatSeveralDependOn) {
  packages["a"] = {depending(with_memory("a", "1"), {{"base", ""}})};
  packages["b"] = {depending(with_memory("b", "2"), {{"base", ""}})};
  packages["base"] = {with_memory("base", "90")};
  EXPECT_TRUE(choose({{"a", ""}, {"b", ""}}));
  EXPECT_THAT(chosen, ElementsAre("a:a", "base:base", "b:b"));
  EXPECT_EQ(memory, 7);
}

TEST_F(PackageChoices, EndIfPackagesDependOnEachOther) {
  packages["a"] = {depending(implementation("a"), {{"b", ""}})};
  packages["b"] = {depending(implementation("b"), {{"a", ""}})};
  EXPECT_TRUE(choose({{"a", ""}}));
  EXPECT_THAT(chosen, ElementsAre("a:a", "b:b"));
}

TEST_F(PackageChoices, TakePolynomialEffort) {
  // Each package has an implementation that fails after the next package has been chosen.
  for (int i = 0; i < 60; ++i) {
    const std::string next = "p" + std::to_string(i + 1);
    packages["p" + std::to_string(i)] = {depending(implementation("1"), {{next, ""}, {"none", ""}}),
                                         depending(implementation("2"), {{next, ""}})};
  }
  packages["p60"] = {implementation("end")};
  EXPECT_TRUE(choose({{"p0", ""}}));
  EXPECT_EQ(chosen.size(), 61u);
  EXPECT_LE(calls, 61 * 61 * 2);
}

TEST(Placement, ChoosesAnImplementationWhosePackagesFitTheDevice) {
  class NoCapacities final : public CapacityAllocator {
    Result<void> allocate(std::size_t, const std::vector<Requirement>&) override { return {}; }
    void deallocate(std::size_t, const std::vector<Requirement>&) noexcept override {}
  } allocator;
  CandidateDevice one, two;
  one.id = "gpp_1";
  two.id = "gpp_2";
  one.platform = {"Linux", "", "x86_64"};
  two.platform = {"Linux", "", "aarch64"};
  PlacementRequest request;
  request.components = {{"fir", {depending(implementation("fast"), {{"fft", ""}})}, {}, ""}};
  request.packages["fft"] = {{"arm", {}, {"aarch64"}, {}}};
  auto placed = place(request, {one, two}, allocator);
  ASSERT_TRUE(placed) << placed.error().message;
  EXPECT_EQ(placed->components[0].device, 1u);
  EXPECT_THAT(placed->components[0].packages, ElementsAre(PlacedPackage{"fft", 0}));

  request.components[0].implementations.push_back(implementation("plain"));
  placed = place(request, {one}, allocator);
  ASSERT_TRUE(placed) << placed.error().message;
  EXPECT_EQ(placed->components[0].implementation, 1u);
  EXPECT_THAT(placed->components[0].packages, IsEmpty());

  request.components[0].implementations.pop_back();
  placed = place(request, {one}, allocator);
  ASSERT_FALSE(placed);
  EXPECT_EQ(placed.error().message,
            "component 'fir' can be placed on no device:\n"
            "  gpp_1, implementation 'fast': no implementation of fft, which it depends on, fits:\n"
            "    implementation 'arm': is for the processor aarch64, and this is x86_64");
}

}  // namespace
}  // namespace orbweaver::sca
