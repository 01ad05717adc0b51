// Texts with every construct, components and templates among them, damaged word by word: whatever comes of
// it, the compiler says what is wrong or prints what is right.
#include "tests/idl/damage.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "idlc/cpp/cpp.h"
#include "idlc/driver/compile.h"
#include "idlc/dump/json.h"
#include "idlc/source/render.h"

namespace {

using namespace orbweaver::idl;

class IdlDamage : public ::testing::TestWithParam<const char*> {};

TEST_P(IdlDamage, IsToldOrHarmless) {
  std::ifstream in(std::filesystem::path(ORBWEAVER_VERDICTS).parent_path() / GetParam());
  const std::vector<std::string> whole = words(std::string(std::istreambuf_iterator<char>(in), {}));
  ASSERT_GT(whole.size(), 100u);
  std::mt19937 random(20261121);
  int told = 0;
  for (int i = 0; i < 400; ++i) {
    std::vector<std::string> list = whole;
    for (std::size_t sins = 1 + random() % 3; sins > 0; --sins) damage(list, whole, random);
    std::string text;
    for (const std::string& each : list) text += each;
    Sources sources;
    Diagnostics diagnostics;
    const Compiled compiled = compile(sources, sources.add("damaged.idl", text), {}, diagnostics);
    told += diagnostics.ok() ? 0 : 1;
    ASSERT_EQ(compiled.unit != nullptr, diagnostics.ok()) << text;
    ASSERT_LT(diagnostics.error_count(), 200u) << render_text(diagnostics, sources, false);
    if (!compiled.unit) continue;
    dump_json(*compiled.unit, sources);
    generate_cpp(*compiled.unit, diagnostics);
  }
  EXPECT_GT(told, 100);
  EXPECT_LT(told, 400);
}

INSTANTIATE_TEST_SUITE_P(All, IdlDamage, ::testing::Values("everything.idl", "checked_only.idl"), [](const auto& file) {
  const std::string name = file.param;
  return name.substr(0, name.find('.'));
});

}  // namespace
