// Compares the generated code for radio.idl with the files in golden/.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "idlc/cpp/cpp_generator.h"
#include "idlc/cpp/servant_skeleton.h"
#include "idlc/driver/compile.h"

namespace {

using namespace orbweaver::idl;
namespace fs = std::filesystem;

const fs::path kGolden = fs::path(ORBWEAVER_SOURCE_DIR) / "tests/idl/golden";

std::string kept(const std::string& name) {
  std::ifstream in(kGolden / name, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// The first line in which two texts differ, from both texts.
std::string difference(const std::string& kept, const std::string& generated) {
  std::istringstream left(kept), right(generated);
  for (int line = 1;; ++line) {
    std::string a, b;
    const bool more = static_cast<bool>(std::getline(left, a)),
               also = static_cast<bool>(std::getline(right, b));
    if (!more && !also) return "";
    if (a != b || more != also) return "line " + std::to_string(line) + "\n  kept: " + a + "\n  made: " + b;
  }
}

TEST(GoldenCode, MatchesTheBackEnd) {
  Sources sources;
  Diagnostics diagnostics;
  CompileResult compiled = compile(sources, (kGolden / "radio.idl").string(), {}, diagnostics);
  ASSERT_TRUE(diagnostics.ok());
  std::vector<OutputFile> files = generate_cpp(*compiled.unit, diagnostics);
  for (OutputFile& each : generate_impl(*compiled.unit)) files.push_back(std::move(each));
  ASSERT_EQ(files.size(), 6u);
  for (const OutputFile& each : files) {
    if (std::getenv("ORBWEAVER_RENEW_GOLDEN") != nullptr)
      std::ofstream(kGolden / each.name, std::ios::binary) << each.text();
    EXPECT_EQ(difference(kept(each.name), each.text()), "")
        << each.name << "; radio.idl says what to do if it is meant";
  }
}

}  // namespace
