#include "sca/cf222/domain_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <map>
#include <utility>

namespace orbweaver::sca {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// What the members of a shared state have in common.
struct Shared {
  std::map<std::string, std::map<std::string, std::string>> parts;
  bool is_led = false;
};

class SharedRecords final : public state::RecordStore {
 public:
  explicit SharedRecords(std::map<std::string, std::string>& records) : records_(records) {}
  Result<std::map<std::string, std::string>> read_all() override { return records_; }
  Result<void> commit(const std::vector<state::RecordChange>& changes, Durability) override {
    for (const state::RecordChange& change : changes) {
      records_.erase(change.key);
      if (change.value) records_[change.key] = *change.value;
    }
    return {};
  }

 private:
  std::map<std::string, std::string>& records_;
};

class Member final : public state::SharedState {
 public:
  explicit Member(Shared& shared) : shared_(shared) {}
  Result<bool> lead(const platform::Fd&, const Told& waiting, Told lost) override {
    waiting("standing by: another one leads");
    lost("it was stopped");
    shared_.is_led = true;
    return true;
  }
  std::unique_ptr<state::RecordStore> open(const std::string& part) override {
    return std::make_unique<SharedRecords>(shared_.parts[part]);
  }
  void resign() noexcept override { shared_.is_led = false; }
  std::string text() const override { return "etcd://host:2379"; }

 private:
  Shared& shared_;
};

/// Adds an installed application, and a name.
void write(DomainState& state) {
  const auto model = state.open_model();
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_TRUE((*model)->put(InstalledApplication{"id", "radio", "/radio.sad.xml"}));
  const auto names = state.open_names();
  ASSERT_TRUE(names) << names.error().message;
  naming::Change change;
  change.create = "NameService";
  EXPECT_TRUE(names->store->commit(change));
}

void expect_written(DomainState& state) {
  const auto model = state.open_model();
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_TRUE((*model)->installed_application("id"));
  const auto names = state.open_names();
  ASSERT_TRUE(names) << names.error().message;
  EXPECT_NE(names->state.find("NameService"), nullptr);
}

TEST(DomainState, KeepsRecordsAndNamesInTwoFiles) {
  std::string folder = fs::temp_directory_path() / "orbweaver-state-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string file = fs::path(folder) / "domain.sqlite";
  EXPECT_TRUE(*make_file_state(file)->acquire(
      platform::Fd(), [](auto&) {}, [](auto&) {}));
  write(*make_file_state(file));
  EXPECT_TRUE(fs::exists(fs::path(folder) / "domain-names.sqlite"));
  const auto state = make_file_state(file);
  expect_written(*state);
  EXPECT_EQ(state->text(), "state in " + file);
  EXPECT_FALSE(state->excludes_others());
  fs::remove_all(folder);
}

TEST(DomainState, KeepsNothingWithoutAFile) {
  const auto state = make_file_state("");
  ASSERT_TRUE((*state->open_model())->put(InstalledApplication{"id", "radio", "/radio.sad.xml"}));
  EXPECT_FALSE((*state->open_model())->installed_application("id"));
  EXPECT_EQ(state->open_names()->store, nullptr);
}

TEST(DomainState, IsThatOfTheMemberThatLeads) {
  Shared shared;
  const auto first = make_shared_domain_state(std::make_unique<Member>(shared));
  std::vector<std::string> told;
  const auto tell = [&](const std::string& text) { told.push_back(text); };
  EXPECT_TRUE(*first->acquire(platform::Fd(), tell, tell));
  EXPECT_THAT(told, ElementsAre("standing by: another one leads", "it was stopped"));
  EXPECT_TRUE(shared.is_led);
  EXPECT_TRUE(first->excludes_others());
  write(*first);
  first->release();
  EXPECT_FALSE(shared.is_led);
  const auto second = make_shared_domain_state(std::make_unique<Member>(shared));
  expect_written(*second);
  EXPECT_EQ(second->text(), "state in etcd://host:2379");
  shared.parts["records"]["other/x"] = "{}";
  EXPECT_THAT(second->open_model().error().message,
              HasSubstr("etcd://host:2379: record 'other/x' is of an unknown kind"));
}

}  // namespace
}  // namespace orbweaver::sca
