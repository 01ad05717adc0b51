// The monitor over HTTP: its routes, who may use them, and that nothing is read by other origins.
#include "monitor/monitor.h"

#include <gmock/gmock.h>

#include <set>

#include "monitor/api.h"
#include "monitor/assets.h"
#include "monitor/testing/running_monitor.h"

namespace orbweaver::monitor {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using testing::kToken;

const std::string kProperties = "/api/v1/components/channel_1%3Avoice_1/properties";

class MonitorHttp : public testing::RunningMonitor {
 protected:
  json get(const std::string& path) {
    const auto response = client()->Get(path.c_str());
    if (!response || response->status != 200) {
      ADD_FAILURE() << path << ": " << (response ? response->body : "no response");
      return {};
    }
    return json::parse(response->body, nullptr, false);
  }
  /// The status of a command with the token, or without it.
  int send(const std::string& method, const std::string& path, const std::string& body = "",
           bool token = true, const std::string& type = "application/json") {
    const httplib::Headers headers = token ? with_token() : httplib::Headers();
    const auto made = client();
    const auto response = method == "POST"    ? made->Post(path.c_str(), headers, body, type.c_str())
                          : method == "PATCH" ? made->Patch(path.c_str(), headers, body, type.c_str())
                                              : made->Delete(path.c_str(), headers);
    last_body_ = response ? response->body : "";
    return response ? response->status : 0;
  }
  std::string last_body_;
};

TEST_F(MonitorHttp, OpenApiListsEveryRoute) {
  Reader reader(source_);
  const AccessRules rules;
  const ApiContext context{source_, reader, rules, [] { return std::size_t{0}; }};
  std::set<std::string> served;
  const Routes routes = make_routes(context);
  for (const Route& each : routes.all()) served.insert(each.method + " " + each.path);
  std::set<std::string> described;
  const json openapi = json::parse(asset("openapi.json"));
  for (const auto& [path, operations] : openapi["paths"].items()) {
    for (const auto& [method, operation] : operations.items()) {
      std::string upper = method;
      for (char& c : upper) c = static_cast<char>(std::toupper(c));
      described.insert(upper + " " + path);
      EXPECT_EQ(operation.contains("security"), method != "get" || path == "/api/v1/access") << path;
    }
  }
  EXPECT_EQ(served, described);
}

TEST_F(MonitorHttp, AnswersEveryRouteWithoutParameters) {
  start();
  const json openapi = json::parse(asset("openapi.json"));
  for (const auto& [path, operations] : openapi["paths"].items()) {
    if (!operations.contains("get") || path.find('{') != std::string::npos || path == "/api/v1/events")
      continue;
    const auto response = client()->Get(path.c_str());
    ASSERT_TRUE(response) << path;
    EXPECT_EQ(response->status, 200) << path;
    EXPECT_FALSE(response->body.empty()) << path;
    const std::string type = response->get_header_value("Content-Type");
    EXPECT_TRUE(operations["get"]["responses"]["200"]["content"].contains(type.substr(0, type.find(';'))))
        << path << ": " << type;
  }
}

TEST_F(MonitorHttp, ServesDomainAndItsParts) {
  start();
  EXPECT_EQ(get("/api/v1/domain")["components"].size(), 9u);
  EXPECT_EQ(get("/api/v1/applications")["voice_1"]["state"], "started");
  EXPECT_EQ(get("/api/v1/components/channel_1%3Avoice_1")["node"], "channel");
  EXPECT_EQ(get("/api/v1/nodes/receiver")["devices"].size(), 2u);
  EXPECT_EQ(get("/api/v1/log?after=3").size(), 2u);
  EXPECT_EQ(get("/api/v1/log?after=3")[0]["level_name"], "DEGRADED_ALARM");
  EXPECT_EQ(get("/api/v1/log?after=3")[0]["source_id"], "orbweaver");
  EXPECT_EQ(get(kProperties)[0]["value"], "11");
  EXPECT_EQ(client()->Get("/api/v1/nodes/none")->status, 404);
  EXPECT_EQ(client()->Get("/api/v1/components/none/properties")->status, 422);
  EXPECT_EQ(client()->Get("/api/v1/log?after=x")->status, 400);
  EXPECT_EQ(client()->Get("/none")->status, 404);
  EXPECT_EQ(client()->Get("/api/v1/nodes/%0a")->status, 400);
}

TEST_F(MonitorHttp, FindsIdsWithAnyCharacter) {
  source_.change([](Snapshot& snapshot) {
    snapshot.nodes.push_back({"a/b?c#d%2F\"<>\xc3\xa4", "odd", true, {}});
  });
  start();
  EXPECT_EQ(get("/api/v1/nodes/a%2Fb%3Fc%23d%252F%22%3C%3E%C3%A4")["label"], "odd");
}

TEST_F(MonitorHttp, AnswersHeadWithoutABody) {
  start();
  const auto response = client()->Head("/api/v1/domain");
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 200);
  EXPECT_TRUE(response->body.empty());
}

TEST_F(MonitorHttp, NamesTheMethodsOfAPath) {
  start();
  const auto response = client()->Delete("/api/v1/applications", with_token());
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 405);
  EXPECT_EQ(response->get_header_value("Allow"), "GET, POST");
}

TEST_F(MonitorHttp, CommandsNeedTheToken) {
  start();
  EXPECT_EQ(send("POST", "/api/v1/applications/voice_1/stop", "", false), 401);
  EXPECT_EQ(send("DELETE", "/api/v1/applications/voice_1", "", false), 401);
  EXPECT_EQ(send("PATCH", kProperties, R"({"es_n0_db": 7})", false), 401);
  EXPECT_EQ(
      send("POST", "/api/v1/applications", R"({"installed": "DCE:voice.three-nodes", "name": "x"})", false),
      401);
  EXPECT_EQ(source_.read().applications.size(), 1u);
  EXPECT_EQ(source_.read().applications[0].state, "started");
  EXPECT_EQ((*source_.properties("channel_1:voice_1"))[0].value, "11");
}

TEST_F(MonitorHttp, CommandsChangeTheDomain) {
  start();
  EXPECT_EQ(send("POST", "/api/v1/applications/voice_1/stop"), 204);
  EXPECT_EQ(get("/api/v1/applications/voice_1")["state"], "stopped");
  EXPECT_EQ(send("POST", "/api/v1/applications/voice_1/start"), 204);
  EXPECT_EQ(get("/api/v1/applications/voice_1")["state"], "started");
  EXPECT_EQ(
      send("POST", "/api/v1/applications", R"({"installed": "DCE:voice.three-nodes", "name": "voice_2"})"),
      204);
  EXPECT_EQ(get("/api/v1/components").size(), 18u);
  EXPECT_EQ(send("DELETE", "/api/v1/applications/voice_2"), 204);
  EXPECT_EQ(get("/api/v1/components").size(), 9u);
  EXPECT_EQ(send("PATCH", kProperties, R"({"es_n0_db": 7.5, "label": "new"})"), 204);
  EXPECT_EQ(get(kProperties)[0]["value"], "7.5");
  EXPECT_EQ(get(kProperties)[2]["value"], "new");
}

TEST_F(MonitorHttp, CommandsSayWhatIsWrong) {
  start();
  EXPECT_EQ(send("POST", "/api/v1/applications/none/stop"), 404);
  EXPECT_THAT(last_body_, HasSubstr("there is no application 'none'"));
  EXPECT_EQ(send("POST", "/api/v1/applications/none/start"), 404);
  EXPECT_EQ(send("DELETE", "/api/v1/applications/none"), 404);
  EXPECT_EQ(send("PATCH", kProperties, R"({"seed": 2})"), 422);
  EXPECT_THAT(last_body_, HasSubstr("read only"));
  EXPECT_EQ(send("PATCH", kProperties, R"({"es_n0_db": "loud"})"), 422);
  EXPECT_EQ(send("PATCH", kProperties, R"({"es_n0_db": [1]})"), 422) << "a sequence, which it is not";
  for (const char* body : {"", "{", "[]", "{}", "7", R"({"es_n0_db": null})"})
    EXPECT_EQ(send("PATCH", kProperties, body), 400) << body;
  EXPECT_EQ(send("PATCH", kProperties, std::string(30'000, '[')), 400);
  EXPECT_EQ(send("PATCH", kProperties, R"({"es_n0_db": 7})", true, "text/plain"), 415);
  const std::string deep = "{\"es_n0_db\": " + std::string(30'000, '[') + std::string(30'000, ']') + "}";
  EXPECT_EQ(send("PATCH", kProperties, deep), 400);
  EXPECT_THAT(last_body_, HasSubstr("nested too deep"));
  for (const char* body :
       {"{}", R"({"installed": "DCE:voice.three-nodes"})", R"({"installed": 1, "name": "x"})",
        R"({"installed": "DCE:voice.three-nodes", "name": ""})"})
    EXPECT_EQ(send("POST", "/api/v1/applications", body), 400) << body;
  EXPECT_EQ((*source_.properties("channel_1:voice_1"))[0].value, "11");
}

TEST_F(MonitorHttp, SaysWhoMayChangeWhat) {
  start();
  EXPECT_EQ(get("/api/v1/access")["changes"], "token required");
  EXPECT_EQ(json::parse(client()->Get("/api/v1/access", with_token())->body)["changes"], "allowed");
  monitor_.reset();
  options_.token_file.clear();
  start();
  EXPECT_EQ(get("/api/v1/access")["changes"], "disabled");
  EXPECT_EQ(send("POST", "/api/v1/applications/voice_1/stop"), 403);
}

TEST_F(MonitorHttp, RefusesOtherHostsAndOrigins) {
  start();
  const std::string own = "127.0.0.1:" + std::to_string(port());
  for (const char* path : {"/", "/api/v1/domain", "/api/v1/events", "/metrics", "/api/v1/openapi.json"}) {
    EXPECT_EQ(client()->Get(path, {{"Host", "other.example"}})->status, 403) << path;
    EXPECT_EQ(client()->Get(path, {{"Host", own}, {"Origin", "http://other.example"}})->status, 403) << path;
    EXPECT_EQ(client()->Get(path, {{"Host", own}, {"Sec-Fetch-Site", "cross-site"}})->status, 403) << path;
  }
  EXPECT_EQ(client()->Get("/api/v1/domain", {{"Host", own}, {"Origin", "http://" + own}})->status, 200);
  httplib::Headers cross_origin = with_token();
  cross_origin.emplace("Origin", "http://other.example");
  EXPECT_EQ(client()->Post("/api/v1/applications/voice_1/stop", cross_origin, "", "application/json")->status,
            403);
  EXPECT_EQ(source_.read().applications[0].state, "started");
}

TEST_F(MonitorHttp, EveryResponseForbidsOtherPagesToUseIt) {
  start();
  const std::string own = "127.0.0.1:" + std::to_string(port());
  const httplib::Result responses[] = {
      client()->Get("/"),
      client()->Get("/api/v1/domain"),
      client()->Get("/none"),
      client()->Get("/", {{"Host", "other.example"}}),
      client()->Get("/", {{"Bad Name", "x"}}),
      client()->Get("/api/v1/domain", {{"Host", own}, {"Origin", "http://" + own}})};
  for (const auto& response : responses) {
    ASSERT_TRUE(response);
    EXPECT_THAT(response->get_header_value("Content-Security-Policy"), HasSubstr("default-src 'none'"));
    EXPECT_EQ(response->get_header_value("X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(response->get_header_value("Cross-Origin-Resource-Policy"), "same-origin");
    EXPECT_EQ(response->get_header_value("Cache-Control"), "no-store");
    for (const auto& [name, value] : response->headers)
      EXPECT_NE(name.rfind("Access-Control", 0), 0u) << name;
  }
}

TEST_F(MonitorHttp, ListensOnLoopbackUnlessAskedForMore) {
  for (const char* address : {"0", ":0", "127.0.0.1:0"}) {
    options_.address = address;
    start();
    EXPECT_EQ(monitor_->url().rfind("http://127.0.0.1:", 0), 0u) << address << " " << monitor_->url();
    EXPECT_EQ(client()->Get("/metrics", {{"Host", "10.0.0.7"}})->status, 403);
    monitor_.reset();
  }
  options_.address = "0.0.0.0:0";
  start();
  EXPECT_EQ(client()->Get("/metrics", {{"Host", "10.0.0.7"}})->status, 200);
  EXPECT_EQ(client()->Get("/metrics", {{"Host", "other.example"}})->status, 403);
}

TEST_F(MonitorHttp, StartReportsWhatIsWrong) {
  const auto error_of = [&](const std::string& address) {
    options_.address = address;
    const auto started = Monitor::start(options_, source_);
    return started ? ErrorKind::transient : started.error().kind;
  };
  EXPECT_EQ(error_of("127.0.0.1:x"), ErrorKind::invalid);
  EXPECT_EQ(error_of("99999"), ErrorKind::invalid);
  options_.address = "0";
  start();
  EXPECT_EQ(error_of(std::to_string(port())), ErrorKind::unavailable) << "the port is in use";
}

TEST(Page, LoadsNothingFromElsewhereAndSetsNoMarkup) {
  for (const Asset& each : assets()) {
    const std::string text(each.text);
    EXPECT_EQ(text.find("https://"), std::string::npos) << each.name;
    for (const char* unsafe :
         {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "style="})
      EXPECT_EQ(text.find(unsafe), std::string::npos) << each.name << ": " << unsafe;
  }
}

}  // namespace
}  // namespace orbweaver::monitor
