// docs/bench.md and the help of `orbweaver bench` have all that can be measured.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "case.h"
#include "child.h"
#include "known_subjects.h"
#include "runner.h"

namespace orbweaver::bench {
namespace {

/// The row of an option in the table of docs/bench.md.
std::string documented(const std::string& option) {
  std::ifstream page(ORBWEAVER_SOURCE_DIR "/docs/bench.md");
  for (std::string line; std::getline(page, line);)
    if (line.rfind("| `" + option + "` |", 0) == 0) return line;
  return "no row of " + option;
}

std::string output_of(const std::vector<std::string>& arguments) {
  const std::string program = own_folder() + "/orbweaver";
  if (!std::filesystem::exists(program)) return {};
  Child child(program, arguments);
  std::string output;
  while (const auto line = child.read_line(std::chrono::minutes(2))) output += *line + "\n";
  return output;
}

std::vector<std::string> split(const std::string& names) {
  static const std::regex separator(", ");
  return {std::sregex_token_iterator(names.begin(), names.end(), separator, -1), {}};
}

/// The part of a help text that describes an option, to the next option.
std::string described(const std::string& help, const std::string& option) {
  const std::size_t begin = help.find("  " + option);
  return begin == std::string::npos ? "" : help.substr(begin, help.find("\n  --", begin + 1) - begin);
}

bool has_word(const std::string& text, const std::string& word) {
  return std::regex_search(text, std::regex("(^|[^a-z0-9-])" + word + "($|[^a-z0-9-])"));
}

TEST(BenchNames, AreInTheDocument) {
  for (const std::string& type : split(names<PayloadType>()))
    EXPECT_NE(documented("--type").find("`" + type + "`"), std::string::npos) << type;
  for (const std::string& subject : split(names_of_subjects()))
    EXPECT_NE(documented("--subject").find("`" + subject + "`"), std::string::npos) << subject;
}

TEST(BenchNames, AreInTheHelp) {
  const std::string help = output_of({"bench", "twoway", "--help"});
  if (help.empty()) GTEST_SKIP() << "the command orbweaver is not built";
  for (const std::string& type : split(names<PayloadType>()))
    EXPECT_TRUE(has_word(described(help, "--type"), type)) << type << " in:\n" << help;
  for (const std::string& subject : split(names_of_subjects()))
    EXPECT_TRUE(has_word(described(help, "--subject"), subject)) << subject << " in:\n" << help;
}

TEST(BenchNames, OfExperimentsAreInTheDocument) {
  std::istringstream list(output_of({"bench", "list"}));
  std::string line;
  if (!std::getline(list, line)) GTEST_SKIP() << "the command orbweaver is not built";
  std::ifstream page(ORBWEAVER_SOURCE_DIR "/docs/bench.md");
  const std::string text{std::istreambuf_iterator<char>(page), {}};
  int experiments = 0;
  for (; std::getline(list, line) && !line.empty(); ++experiments) {
    const std::string name = line.substr(0, line.find(' '));
    EXPECT_NE(text.find("orbweaver bench " + name + " "), std::string::npos) << name;
  }
  EXPECT_GE(experiments, 10);
}

}  // namespace
}  // namespace orbweaver::bench
