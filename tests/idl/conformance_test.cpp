// Compiles the small texts in conformance/*.txt, which are ordered by subject. A line that begins with '+' is
// valid IDL. A line that begins with '-' is invalid, and has the message of the first error after '=>'. '¶'
// stands for the end of a line, and '«ed a0»' for these bytes.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "idlc/driver/compile.h"
#include "idlc/source/render.h"

namespace {

using namespace orbweaver::idl;

std::string with_lines(std::string text) {
  const std::string mark = "¶";
  for (std::size_t at; (at = text.find(mark)) != std::string::npos;) text.replace(at, mark.size(), "\n");
  return text;
}

std::string with_bytes(const std::string& text) {
  const std::string begin = "«", end = "»";
  std::string out;
  std::size_t done = 0;
  for (std::size_t at; (at = text.find(begin, done)) != std::string::npos;
       done = text.find(end, at) + end.size()) {
    out += text.substr(done, at - done);
    std::istringstream bytes(text.substr(at + begin.size(), text.find(end, at) - at - begin.size()));
    for (unsigned byte; bytes >> std::hex >> byte;) out += static_cast<char>(byte);
  }
  return out + text.substr(done);
}

void judge(const std::string& line) {
  const bool right = line[0] == '+';
  const std::size_t end = right ? std::string::npos : line.rfind(" => ");
  Sources sources;
  Diagnostics diagnostics;
  const std::uint32_t file = sources.add("test.idl", with_bytes(with_lines(line.substr(2, end - 2))));
  compile(sources, file, {}, diagnostics);
  EXPECT_EQ(diagnostics.ok(), right) << line << "\n" << render_text(diagnostics, sources, false);
  if (right || diagnostics.ok()) return;
  for (const Diagnostic& each : diagnostics.all()) {
    if (each.severity != Severity::error) continue;
    EXPECT_EQ(each.message, line.substr(end + 4)) << line;
    return;
  }
}

TEST(IdlConformance, MatchesTheSpecification) {
  int right = 0, wrong = 0;
  for (const auto& file : std::filesystem::directory_iterator(ORBWEAVER_IDL_CONFORMANCE_CASES)) {
    std::ifstream in(file.path());
    for (std::string line; std::getline(in, line);) {
      if (line.empty() || line[0] == '#') continue;
      ASSERT_TRUE(line[0] == '+' || line[0] == '-') << file.path() << ": " << line;
      ++(line[0] == '+' ? right : wrong);
      judge(line);
    }
  }
  EXPECT_GT(right, 200);
  EXPECT_GT(wrong, 500);
}

}  // namespace
