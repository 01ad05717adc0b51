// Mixes of messages: the file of the Internet mix, its errors, and the sizes of messages.
#include "bench/userplane/message_mix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace orbweaver::bench {
namespace {

using ::testing::HasSubstr;

const std::string kInternetMix = std::string(ORBWEAVER_BENCH_PROGRAMS) + "/bench-internet-mix.xml";

TEST(MessageMix, ReadsTheInternetMixOfTheDocument) {
  const MessageMix mix = read_message_mix(kInternetMix);
  EXPECT_EQ(mix.name, "Internet mix");
  const std::vector<SizeRange> expected{{40, 40, 56.4},  {48, 48, 9.1},     {52, 52, 10.9},
                                        {576, 576, 3.9}, {1420, 1420, 6.3}, {1500, 1500, 13.4}};
  EXPECT_EQ(mix.ranges, expected);
}

TEST(MessageSizes, HaveTheSharesAndTheMeanOfTheDocument) {
  const MessageSizes sizes = sizes_of(read_message_mix(kInternetMix));
  std::map<std::uint32_t, int> counts;
  for (const std::uint32_t size : sizes) ++counts[size];
  const std::map<std::uint32_t, int> expected{{40, 564}, {48, 91},   {52, 109},
                                              {576, 39}, {1420, 63}, {1500, 134}};
  EXPECT_EQ(counts, expected);
  EXPECT_NEAR(mean_bytes(sizes), 345.5, 0.1);
}

TEST(MessageSizes, AreInARandomOrderThatIsAlwaysTheSame) {
  const MessageMix mix = read_message_mix(kInternetMix);
  EXPECT_EQ(sizes_of(mix), sizes_of(mix));
  const MessageSizes sizes = sizes_of(mix);
  EXPECT_FALSE(std::is_sorted(sizes.begin(), sizes.end()));
  // The first tenth has large messages too.
  EXPECT_GT(std::count_if(sizes.begin(), sizes.begin() + 100, [](auto size) { return size > 1000; }), 5);
}

TEST(MessageSizes, AreDistributedEvenlyWithinARange) {
  const MessageSizes sizes = sizes_of({"", {{100, 1099, 100}}});
  MessageSizes sorted = sizes;
  std::sort(sorted.begin(), sorted.end());
  for (std::uint32_t i = 0; i < sorted.size(); ++i) ASSERT_EQ(sorted[i], 100 + i);
}

TEST(MessageSizes, RoundSharesToAllMessages) {
  const MessageSizes sizes = sizes_of({"", {{20, 20, 33.333}, {30, 30, 33.333}, {40, 40, 33.334}}});
  EXPECT_EQ(std::count(sizes.begin(), sizes.end(), 20), 333);
  EXPECT_EQ(std::count(sizes.begin(), sizes.end(), 40), 334);
}

TEST(MessageSizes, AreAllTheSameWithoutAMix) {
  const MessageSizes sizes = sizes_of(messages_of(1024));
  EXPECT_EQ(std::count(sizes.begin(), sizes.end(), 1024), static_cast<std::ptrdiff_t>(sizes.size()));
}

struct BrokenMix {
  const char* text;
  const char* message;
};

TEST(MessageMix, NamesLineAndProblemOfAnInvalidFile) {
  const BrokenMix cases[] = {
      {"", "mix.xml:1: this is not well-formed XML"},
      {"<messagemix name='x'>\n<size min='40' max='40' share='100'>\n</messagemix>",
       "mix.xml:3: this is not well-formed XML"},
      {"<softpkg/>", "mix.xml:1: the outermost element is 'softpkg'; it has to be 'messagemix'"},
      {"<messagemix/>", "mix.xml:1: the attribute 'name' is missing; add it"},
      {"<messagemix name='x'/>", "mix.xml:1: there is no element 'size'; add one for each size of messages"},
      {"<messagemix name='x'>\n\n<bin/></messagemix>",
       "mix.xml:3: there is an element 'bin'; 'messagemix' has elements 'size'"},
      {"<messagemix name='x'>\n40 bytes\n</messagemix>", "there is text or something else between"},
      {"<messagemix name='x'>\n<size min='40' max='40'/></messagemix>",
       "mix.xml:2: the attribute 'share' is missing; add it"},
      {"<messagemix name='x'>\n<size min='40' max='40' share='1' count='2'/></messagemix>",
       "mix.xml:2: there is an attribute 'count'; remove it"},
      {"<messagemix name='x'>\n<size min='40' min='41' max='42' share='100'/></messagemix>",
       "mix.xml:2: the attribute 'min' is there twice; remove one"},
      {"<messagemix name='x'>\n<size min='40' max='40' share='100'>6</size></messagemix>",
       "mix.xml:2: a 'size' has contents; its values are attributes"},
      {"<messagemix name='x'>\n<size min='15' max='40' share='100'/></messagemix>",
       "mix.xml:2: min is '15'; a message has from 16 to 32768 bytes"},
      {"<messagemix name='x'>\n<size min='40' max='40000' share='100'/></messagemix>",
       "mix.xml:2: max is '40000'; a message has from 16 to 32768 bytes"},
      {"<messagemix name='x'>\n<size min='-40' max='40' share='100'/></messagemix>",
       "mix.xml:2: min is '-40'"},
      {"<messagemix name='x'>\n<size min='40.5' max='41' share='100'/></messagemix>",
       "mix.xml:2: min is '40.5'"},
      {"<messagemix name='x'>\n<size min='50' max='40' share='100'/></messagemix>",
       "mix.xml:2: min is 50 and max is 40; min is at most max"},
      {"<messagemix name='x'>\n<size min='40' max='40' share='nan'/></messagemix>",
       "mix.xml:2: share is 'nan'; a share is from 0.1 to 100 percent"},
      {"<messagemix name='x'>\n<size min='40' max='40' share='56.4%'/></messagemix>",
       "mix.xml:2: share is '56.4%'"},
      {"<messagemix name='x'>\n<size min='40' max='40' share='93'/></messagemix>",
       "mix.xml:1: the shares have a sum of 93; it has to be 100"},
      {"<!DOCTYPE messagemix SYSTEM 'a.dtd'>\n<messagemix name='x'/>", "there is a document type; remove it"},
  };
  for (const BrokenMix& each : cases) {
    try {
      parse_message_mix(each.text, "mix.xml");
      ADD_FAILURE() << "accepted: " << each.text;
    } catch (const InvalidMix& problem) {
      EXPECT_THAT(problem.what(), HasSubstr(each.message));
      EXPECT_EQ(std::string(problem.what()).find('\n'), std::string::npos) << "one line: " << problem.what();
    }
  }
}

TEST(MessageMix, DoesNotPrintControlCharactersOfAFile) {
  EXPECT_THAT(
      [] {
        parse_message_mix("<messagemix name='x'><size min='\x1b[2J' max='1' share='1'/></messagemix>",
                          "mix.xml");
      },
      ::testing::ThrowsMessage<InvalidMix>(HasSubstr("min is '?[2J'")));
}

TEST(MessageMix, LimitsTheNumberOfSizes) {
  std::string text = "<messagemix name='x'>";
  for (int i = 0; i < 101; ++i) text += "<size min='40' max='40' share='1'/>";
  EXPECT_THAT(
      [&] { parse_message_mix(text + "</messagemix>", "mix.xml"); },
      ::testing::ThrowsMessage<InvalidMix>("mix.xml:1: there are 101 sizes; at most 100 are possible"));
}

TEST(MessageMix, NamesAFileThatCannotBeRead) {
  EXPECT_THAT(
      [] { read_message_mix("/nonexistent/mix.xml"); },
      ::testing::ThrowsMessage<InvalidMix>("/nonexistent/mix.xml: there is no such file; check its name"));
  EXPECT_THAT([] { read_message_mix("/"); },
              ::testing::ThrowsMessage<InvalidMix>("/: this is not a regular file; name an XML file"));
}

}  // namespace
}  // namespace orbweaver::bench
