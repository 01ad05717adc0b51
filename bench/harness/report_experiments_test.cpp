#include "report_experiments.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace orbweaver::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(ReportExperiments, HaveTheirRuns) {
  const auto found = parse_report_experiments(
      "# [[experiment]]\n"
      "[[experiment]]\nname = \"calls\"\ntitle = \"Two-way calls\"\nquestion = \"How long?\"\n"
      "[[experiment.figures]]\nrun = \"a\"\nname = \"no run\"\n"
      "[[experiment.run]]\nname = \"a\"\narguments = [\"twoway\", \"--type\", \"empty,double\"]\n"
      "quick = [\"--rounds\", \"2\"]\n"
      "[[experiment.run]]\nname = \"b\"\narguments = [\"goals\"]\noptional = true\n"
      "[[experiment.plot]]\nkind = \"size\"\n"
      "[[experiment]]\nname = \"last\"");
  EXPECT_THAT(found, ElementsAre(ReportExperiment{"calls",
                                                  "Two-way calls",
                                                  {{"a", {"twoway", "--type", "empty,double"}, false},
                                                   {"b", {"goals"}, true}}},
                                 ReportExperiment{"last", "", {}}));
}

TEST(ReportExperiments, AreEmptyWithoutATable) {
  for (const char* text : {"", "name = \"a\"", "[[experiment.run]]\nname = \"a\""})
    EXPECT_THAT(parse_report_experiments(text), IsEmpty()) << text;
}

TEST(ReportExperiments, AreThoseOfTheFile) {
  const auto all = report_experiments();
  EXPECT_GE(all.size(), 10u);
  for (const ReportExperiment& each : all) {
    EXPECT_THAT(each.name, Not(IsEmpty()));
    EXPECT_THAT(each.title, Not(IsEmpty())) << each.name;
    EXPECT_THAT(each.runs, Not(IsEmpty())) << each.name;
    for (const ReportRun& run : each.runs) EXPECT_THAT(run.arguments, Not(IsEmpty())) << run.name;
  }
}

}  // namespace
}  // namespace orbweaver::bench
