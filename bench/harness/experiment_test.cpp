#include "experiment.h"

#include <gmock/gmock.h>

#include <sstream>
#include <stdexcept>

#include "known_subjects.h"
#include "option_text.h"
#include "plan.h"

namespace orbweaver::bench {
namespace {

using testing::ElementsAre;

struct Pair {
  std::uint32_t number = 7;
  std::vector<std::uint32_t> list;
};

bool store_option(Pair& pair, const std::string& key, const std::string& value) {
  if (key == "--number") return store(pair.number, value);
  return key == "--list" && store(pair.list, value);
}

TEST(Interleave, BeginsEachRoundWithAnotherSubject) {
  std::vector<std::size_t> order;
  interleave(3, 2, [&](std::size_t subject) { order.push_back(subject); });
  EXPECT_THAT(order, ElementsAre(0, 1, 1, 0, 0, 1));
  interleave(3, 0, [&](std::size_t) { FAIL(); });
}

TEST(Skipped, PrintsEachReasonOnce) {
  std::ostringstream err;
  Skipped skipped(err);
  for (const char* reason : {"a", "b", "a"}) skipped.add(reason);
  EXPECT_EQ(err.str(), "skipped: a\nskipped: b\n");
}

TEST(StatusOf, DistinguishesInvalidOptionsFromFailures) {
  std::ostringstream err;
  EXPECT_EQ(status_of([] { return 3; }, err), 3);
  EXPECT_EQ(status_of([]() -> int { throw InvalidPlan("--rounds: from 1"); }, err), 2);
  EXPECT_EQ(status_of([]() -> int { throw std::logic_error("a bug"); }, err), 1);
  EXPECT_EQ(err.str(), "orbweaver bench: --rounds: from 1\norbweaver bench: a bug\n");
}

TEST(WriteRows, WritesToStandardOutputForAHyphenAndNowhereWithoutAFile) {
  std::ostringstream out, err;
  const auto write = [](std::ostream& to) { to << "rows"; };
  EXPECT_TRUE(write_rows("", write, out, err));
  EXPECT_EQ(out.str(), "");
  EXPECT_TRUE(write_rows("-", write, out, err));
  EXPECT_EQ(out.str(), "rows");
  EXPECT_FALSE(write_rows("/proc/no/file", write, out, err));
  EXPECT_EQ(err.str(), "orbweaver bench: cannot write /proc/no/file\n");
}

TEST(OptionText, StoresWholeNumbersAndLists) {
  const auto pair = settings_from_args<Pair>({"--number", "12", "--list", "1,2,30"}, store_option);
  ASSERT_TRUE(pair);
  EXPECT_EQ(pair->number, 12u);
  EXPECT_EQ(joined(pair->list), "1,2,30");
}

TEST(OptionText, RejectsOtherText) {
  for (const char* value : {"", "1x", "-1", "4294967296"})
    EXPECT_FALSE(settings_from_args<Pair>({"--number", value}, store_option)) << value;
  for (const char* value : {"", "1,", ",1", "1,,2"})
    EXPECT_FALSE(settings_from_args<Pair>({"--list", value}, store_option)) << value;
  EXPECT_FALSE(settings_from_args<Pair>({"--number"}, store_option));
  EXPECT_FALSE(settings_from_args<Pair>({"--other", "1"}, store_option));
}

TEST(KnownSubjects, SayHowToGetWhatMayBeMissing) {
  EXPECT_EQ(known_subjects().front().name, "floor");
  EXPECT_EQ(how_to_get("cyclonedds"), "Debian: cyclonedds-dev cyclonedds-tools iceoryx");
  EXPECT_EQ(how_to_get("nobody"), "");
}

TEST(AsUsual, IsNeitherPinnedNorToldHowToWait) {
  EXPECT_EQ(named<Wait>("default"), Wait::as_usual);
  EXPECT_EQ(default_pin(Wait::as_usual), Pin::none);
  EXPECT_TRUE(blocks(Wait::as_usual));
}

}  // namespace
}  // namespace orbweaver::bench
