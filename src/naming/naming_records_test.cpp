#include "naming/naming_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace orbweaver::naming {
namespace {

using ::testing::HasSubstr;

/// Records that outlive the store.
class SharedRecords final : public state::RecordStore {
 public:
  explicit SharedRecords(std::map<std::string, std::string>& records) : records_(records) {}
  Result<std::map<std::string, std::string>> read_all() override { return records_; }
  Result<void> commit(const std::vector<state::RecordChange>& changes, Durability) override {
    for (const state::RecordChange& change : changes) {
      if (change.value) {
        records_[change.key] = *change.value;
      } else {
        records_.erase(change.key);
      }
    }
    return {};
  }

 private:
  std::map<std::string, std::string>& records_;
};

class NamingRecords : public ::testing::Test {
 protected:
  Result<NamingFile> open() {
    return open_naming_records(std::make_unique<SharedRecords>(records_), "etcd://host:2379");
  }
  void make(const NamingFile& names, const Change& change) { ASSERT_TRUE(names.store->commit(change)); }
  static Change creation(const ContextId& context) {
    Change change;
    change.create = context;
    return change;
  }
  static Change binding(const ContextId& context, const Key& key, std::optional<Target> target) {
    Change change;
    change.context = context;
    change.key = key;
    change.target = std::move(target);
    return change;
  }

  std::map<std::string, std::string> records_;
};

TEST_F(NamingRecords, KeepsContextsAndBindings) {
  const Key odd{"3:a\xff/", std::string("1:\0b", 4)}, empty{"", ""};
  const Target object{Target::Kind::object, "IOR:01"}, context{Target::Kind::own_context, "NameService/a:"};
  {
    const auto names = open();
    ASSERT_TRUE(names);
    EXPECT_TRUE(names->state.contexts().empty());
    make(*names, creation("NameService"));
    Change both = binding("NameService", empty, context);
    both.create = "NameService/a:";
    make(*names, both);
    make(*names, binding("NameService/a:", odd, object));
    make(*names, binding("NameService/a:", {"gone", ""}, object));
    make(*names, binding("NameService/a:", {"gone", ""}, std::nullopt));
    make(*names, creation("destroyed"));
    Change destruction;
    destruction.destroy = "destroyed";
    make(*names, destruction);
  }
  const auto names = open();
  ASSERT_TRUE(names) << names.error().message;
  EXPECT_EQ(names->state.contexts().size(), 2u);
  EXPECT_EQ(*names->state.find("NameService"), (NamingState::Bindings{{empty, context}}));
  EXPECT_EQ(*names->state.find("NameService/a:"), (NamingState::Bindings{{odd, object}}));
}

TEST_F(NamingRecords, RejectsInvalidRecords) {
  for (const auto& [key, value] : std::map<std::string, std::string>{{"other/x", ""},
                                                                     {"binding/x", "0"},
                                                                     {"binding/99:x1:a", "0"},
                                                                     {"binding/1:x1:a", ""},
                                                                     {"binding/1:x1:a", "9IOR:"}}) {
    records_ = {{"context/x", ""}, {key, value}};
    const auto names = open();
    ASSERT_FALSE(names) << key;
    EXPECT_EQ(names.error().kind, ErrorKind::invalid);
    EXPECT_THAT(names.error().message, HasSubstr("etcd://host:2379: the record '" + key + "'"));
  }
  records_ = {{"binding/1:x1:a", "0IOR:"}};
  EXPECT_THAT(open().error().message, HasSubstr("the context of the name 'a' is missing"));
}

}  // namespace
}  // namespace orbweaver::naming
