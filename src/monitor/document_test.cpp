#include "monitor/document.h"

#include <gtest/gtest.h>

#include <random>

#include "monitor/testing/fake_source.h"

namespace orbweaver::monitor {
namespace {

using nlohmann::json;

json random_json(std::mt19937& random, int depth) {
  switch (random() % (depth > 0 ? 4 : 3)) {
    case 0: return random() % 3;
    case 1: return std::string(random() % 2, 'a');
    case 2: return json::array({random() % 2});
    default: break;
  }
  json object = json::object();
  for (const char* name : {"a", "b", "c"}) {
    if (random() % 2 != 0) object[name] = random_json(random, depth - 1);
  }
  return object;
}

TEST(MergePatch, MakesOneDocumentOfTheOther) {
  std::mt19937 random(7);
  for (int i = 0; i < 5000; ++i) {
    const json from = {{"x", random_json(random, 4)}, {"y", random_json(random, 3)}};
    const json to = {{"x", random_json(random, 4)}, {"z", random_json(random, 3)}};
    json patched = from;
    patched.merge_patch(merge_patch(from, to));
    // An object that replaces another value has no member to remove.
    ASSERT_EQ(patched, to) << from << to;
    ASSERT_TRUE(merge_patch(to, to).empty());
  }
}

TEST(MergePatch, NamesOnlyWhatChanges) {
  const json from = {{"components", {{"a", {{"cpu", 1}, {"name", "A"}}}, {"b", {{"cpu", 2}}}}}};
  json to = from;
  to["components"]["a"]["cpu"] = 3;
  to["components"].erase("b");
  EXPECT_EQ(merge_patch(from, to), json::parse(R"({"components": {"a": {"cpu": 3}, "b": null}})"));
}

TEST(Document, HasEveryPartOfTheDomain) {
  testing::FakeSource source;
  RateMeter rates;
  Snapshot snapshot = source.read();
  rates.update(snapshot);
  snapshot = source.read();
  snapshot.read_ns = 1'000'000'000;
  rates.update(snapshot);
  const json document = document_of(snapshot, rates);
  EXPECT_EQ(document["nodes"].size(), 3u);
  EXPECT_EQ(document["components"].size(), 9u);
  EXPECT_EQ(document["connections"].size(), 8u);
  const json& hop = document["connections"]["modulator_1_to_channel_1:voice_1"];
  EXPECT_EQ(hop["packets_per_s"], 25);
  EXPECT_EQ(hop["transport"], "tcp");
  EXPECT_EQ(hop["queue"]["limit"], 64);
  EXPECT_GT(hop["latency"]["p99_us"], hop["latency"]["p50_us"]);
  EXPECT_EQ(document["components"]["channel_1:voice_1"]["cpu_percent"], 32.5);
  EXPECT_EQ(document["components"]["deframer_1:voice_1"]["counters"]["frames"], 50);
}

TEST(Document, ContainsNoNull) {
  Snapshot snapshot;
  snapshot.nodes.push_back({"n", "", false, {Device{"d", "", "", "", ""}}});
  Component component;
  component.id = "c";
  component.counters = {{"infinite", 1.0 / 0.0}};
  snapshot.components.push_back(component);
  snapshot.connections.emplace_back();
  EXPECT_EQ(text_of(document_of(snapshot, RateMeter())).find("null"), std::string::npos);
}

TEST(Document, ReplacesBytesThatAreNoUtf8) {
  Snapshot snapshot;
  snapshot.domain = "a\xff";
  EXPECT_NE(text_of(document_of(snapshot, RateMeter())).find("a\xef\xbf\xbd"), std::string::npos);
}

}  // namespace
}  // namespace orbweaver::monitor
