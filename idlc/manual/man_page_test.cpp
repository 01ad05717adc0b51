#include "idlc/manual/man_page.h"

#include <gmock/gmock.h>

namespace orbweaver {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string page_of(const CLI::App& app) { return man_page(app, {"test a page", "1.2", {}}); }

TEST(ManPage, BeginsWithNameAndVersion) {
  CLI::App app("Tests pages.", "lab-tool");
  EXPECT_THAT(page_of(app), HasSubstr(".TH LAB\\-TOOL 1 \"\" \"Orbweaver 1.2\" \"User commands\"\n"
                                      ".SH NAME\nlab\\-tool \\- test a page\n.SH SYNOPSIS\n"));
}

TEST(ManPage, DescribesOptionsAndOperands) {
  CLI::App app("", "tool");
  int lines = 10;
  std::string file;
  app.add_option("FILE", file, "what is read")->required();
  app.add_option("--lines,-n", lines, "Number of lines")->type_name("N")->capture_default_str();
  const std::string page = page_of(app);
  EXPECT_THAT(page, HasSubstr("\\fBtool\\fR \\fIFILE\\fR [\\fIOPTION\\fR \\&...]\n"));
  EXPECT_THAT(page, HasSubstr(".TP\n\\fIFILE\\fR\nWhat is read.\n"));
  EXPECT_THAT(page,
              HasSubstr(".TP\n\\fB\\-n\\fR, \\fB\\-\\-lines\\fR \\fIN\\fR\nNumber of lines. Default: 10.\n"));
  EXPECT_THAT(page, Not(HasSubstr("help")));
}

TEST(ManPage, HasASectionForEachListedCommand) {
  CLI::App app("", "tool");
  bool json = false;
  CLI::App* const group = app.add_subcommand("log", "Prints the log");
  group->require_subcommand(1);
  group->add_subcommand("follow", "Prints what is new")->add_flag("--json", json, "Prints JSON");
  app.add_subcommand("secret", "")->group("");
  app.require_subcommand(1);
  const std::string page = page_of(app);
  EXPECT_THAT(page, HasSubstr(".SH SYNOPSIS\n.nh\n\\fBtool log follow\\fR [\\fIOPTION\\fR \\&...]\n.hy\n"));
  EXPECT_THAT(page, HasSubstr(".SS log\n.PP\nPrints the log.\n.SS log follow\n.PP\nPrints what is new.\n"
                              ".TP\n\\fB\\-\\-json\\fR\nPrints JSON.\n"));
  EXPECT_THAT(page, Not(HasSubstr("secret")));
}

TEST(ManPage, KeepsParagraphsAndExamplesOfTheHelp) {
  CLI::App app("", "tool");
  app.footer("One\nparagraph.\n\n  tool --x\n  tool \\\n\nAnother one.");
  EXPECT_THAT(page_of(app),
              HasSubstr(".PP\nOne\nparagraph.\n.PP\n.RS 4\n.nf\ntool \\-\\-x\ntool \\e\n.fi\n.RE\n"
                        ".PP\nAnother one.\n"));
}

TEST(ManPage, DoesNotRepeatTheFooterThatACommandInherits) {
  CLI::App app("", "tool");
  CLI::App* const group = app.add_subcommand("log", "");
  group->footer("About the log.");
  group->add_subcommand("follow", "");
  const std::string page = page_of(app);
  EXPECT_EQ(page.find("About the log."), page.rfind("About the log."));
  EXPECT_THAT(page, HasSubstr("About the log."));
}

TEST(ManPage, HasNoRequestsOfTheText) {
  CLI::App app("", "tool");
  app.footer(".so /etc/passwd\n'quoted'");
  EXPECT_THAT(page_of(app), HasSubstr("\\&.so /etc/passwd\n\\&'quoted'\n"));
}

}  // namespace
}  // namespace orbweaver
