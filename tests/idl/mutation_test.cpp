// Compiles mutations of texts that have all constructs, including components and templates: the compiler must
// report errors or generate output.
#include "tests/idl/mutations.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "idlc/cpp/cpp_generator.h"
#include "idlc/driver/compile.h"
#include "idlc/dump/json_dump.h"
#include "idlc/source/render.h"

namespace {

using namespace orbweaver::idl;

class IdlMutation : public ::testing::TestWithParam<const char*> {};

TEST_P(IdlMutation, IsReportedOrAccepted) {
  std::ifstream in(std::filesystem::path(ORBWEAVER_IDL_CONFORMANCE_CASES).parent_path() / GetParam());
  const std::vector<std::string> whole =
      split_into_tokens(std::string(std::istreambuf_iterator<char>(in), {}));
  ASSERT_GT(whole.size(), 100u);
  std::mt19937 random(20261121);
  int rejected = 0;
  for (int i = 0; i < 400; ++i) {
    std::vector<std::string> list = whole;
    for (std::size_t mutations = 1 + random() % 3; mutations > 0; --mutations) mutate(list, whole, random);
    std::string text;
    for (const std::string& each : list) text += each;
    Sources sources;
    Diagnostics diagnostics;
    const CompileResult compiled = compile(sources, sources.add("damaged.idl", text), {}, diagnostics);
    rejected += diagnostics.ok() ? 0 : 1;
    ASSERT_EQ(compiled.unit != nullptr, diagnostics.ok()) << text;
    ASSERT_LT(diagnostics.error_count(), 200u) << render_text(diagnostics, sources, false);
    if (!compiled.unit) continue;
    dump_json(*compiled.unit, sources);
    generate_cpp(*compiled.unit, diagnostics);
  }
  EXPECT_GT(rejected, 100);
  EXPECT_LT(rejected, 400);
}

INSTANTIATE_TEST_SUITE_P(All, IdlMutation, ::testing::Values("everything.idl", "no_run_time.idl"),
                         [](const auto& file) {
                           const std::string name = file.param;
                           return name.substr(0, name.find('.'));
                         });

}  // namespace
