// Tests the documented format of the dump and the links of the HTML pages, with IDL that has all constructs.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>

#include "idlc/driver/compile.h"
#include "idlc/dump/json_dump.h"
#include "idlc/html/html_pages.h"
#include "idlc/source/render.h"

namespace {

using namespace orbweaver::idl;
using nlohmann::json;
using Words = std::set<std::string>;

const std::string kFolder = ORBWEAVER_SOURCE_DIR;
const std::string kFiles[] = {kFolder + "/tests/idl/everything.idl", kFolder + "/tests/idl/no_run_time.idl"};

struct CheckedIdl {
  explicit CheckedIdl(const std::string& path) : compiled(compile(sources, path, {}, diagnostics)) {
    EXPECT_TRUE(diagnostics.ok()) << render_text(diagnostics, sources, false);
  }
  Sources sources;
  Diagnostics diagnostics;
  CompileResult compiled;
};

// Collects the members of each kind of definition in a dump.
void collect(const json& definitions, std::map<std::string, Words>& into) {
  const Words common{"kind",     "name",      "scoped_name", "repository_id",
                     "location", "main_file", "comment",     "annotations"};
  for (const json& each : definitions) {
    Words& members = into[each.at("kind")];
    for (const auto& [name, value] : each.items()) {
      if (!common.contains(name)) members.insert(name);
    }
    if (each.contains("definitions")) collect(each.at("definitions"), into);
  }
}

// The rows of the table of kinds in the documentation: | `kind` | `member` … |
std::map<std::string, Words> documented() {
  std::ifstream in(kFolder + "/docs/formats/idl-dump.md");
  std::map<std::string, Words> out;
  bool within = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("| `kind` |")) within = true;
    if (line.starts_with("A member of")) within = false;
    if (!within || !line.starts_with("| `") || line.starts_with("| `kind`")) continue;
    std::string kind = line.substr(3, line.find('`', 3) - 3);
    static const std::regex word("`([a-z_ ]+)`");
    auto begin = line.cbegin() + static_cast<std::ptrdiff_t>(kind.size()) + 5;
    for (std::sregex_iterator at(begin, line.cend(), word), end; at != end; ++at) out[kind].insert((*at)[1]);
    out[kind];
  }
  return out;
}

TEST(IdlDump, MatchesItsDocumentation) {
  std::map<std::string, Words> found;
  for (const std::string& path : kFiles) {
    CheckedIdl idl(path);
    ASSERT_TRUE(idl.compiled.unit);
    collect(json::parse(dump_json(*idl.compiled.unit, idl.sources)).at("definitions"), found);
  }
  const std::map<std::string, Words> expected = documented();
  for (const auto& [kind, members] : found) {
    ASSERT_TRUE(expected.contains(kind)) << kind;
    for (const std::string& member : members)
      EXPECT_TRUE(expected.at(kind).contains(member)) << kind << ": " << member;
  }
  for (const auto& [kind, members] : expected) EXPECT_TRUE(found.contains(kind)) << kind << " does not occur";
}

TEST(IdlHtml, HasNoDeadLinks) {
  for (const std::string& path : kFiles) {
    CheckedIdl idl(path);
    ASSERT_TRUE(idl.compiled.unit);
    const std::string page = HtmlPages({path}).page(*idl.compiled.unit, idl.sources).text();
    auto all = [&](const char* pattern) {
      Words out;
      const std::regex what(pattern);
      for (std::sregex_iterator at(page.begin(), page.end(), what), end; at != end; ++at)
        out.insert((*at)[1]);
      return out;
    };
    const Words anchors = all("id=\"([^\"]*)\""), links = all("href=\"#([^\"]*)\"");
    EXPECT_GT(links.size(), 10u);
    for (const std::string& each : links) EXPECT_TRUE(anchors.contains(each)) << path << ": " << each;
  }
}

}  // namespace
