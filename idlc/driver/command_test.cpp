// Tests of the program orbweaver-idl: its output, files and exit status.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class IdlCommand : public ::testing::Test {
 protected:
  IdlCommand()
      : folder_(fs::temp_directory_path() / ("orbweaver_idl_" + std::to_string(std::random_device{}()))) {
    fs::create_directories(folder_);
  }
  ~IdlCommand() override { fs::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& text) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  static std::string read(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
  // Runs the program and returns its exit status; the output of both streams is in `output_`.
  int run(const std::string& arguments) {
    const std::string command =
        std::string(ORBWEAVER_IDL) + " " + arguments + " > " + path("output") + " 2>&1 < /dev/null";
    const int status = std::system(command.c_str());
    output_ = read(path("output"));
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  static ssize_t read_some(int from, char* into, std::size_t most) { return ::read(from, into, most); }

  fs::path folder_;
  std::string output_;
};

TEST_F(IdlCommand, ReturnsZeroOrOne) {
  EXPECT_EQ(run("--check " + file("good.idl", "struct S { long x; };")), 0);
  EXPECT_EQ(output_, "");
  EXPECT_EQ(run("--check " + file("bad.idl", "struct S { Missing x; };")), 1);
  EXPECT_THAT(output_, HasSubstr("bad.idl:1:12: error: 'Missing' is not declared\n    struct S { Missing x; "
                                 "};\n               ^~~~~~~\n"));
  EXPECT_EQ(run("--check " + path("good.idl") + " " + path("bad.idl")), 1);
}

TEST_F(IdlCommand, PrintsOneMessageForAFileThatIsNotIdl) {
  EXPECT_EQ(run("--check " + path("none.idl")), 1);
  EXPECT_THAT(output_, HasSubstr("none.idl' cannot be opened"));
  EXPECT_EQ(run("--check " + folder_.string()), 1);
  EXPECT_THAT(output_, HasSubstr("is a directory"));
  EXPECT_EQ(run("--check " + file("binary.idl", std::string("\x7f"
                                                            "ELF\0\0\1\2\3\n\xff\xfe",
                                                            12))),
            1);
  EXPECT_THAT(output_, HasSubstr("is not IDL text"));
  EXPECT_EQ(std::count(output_.begin(), output_.end(), '\n'), 1) << output_;
}

TEST_F(IdlCommand, ReturnsTwoForAnInvalidCommandLine) {
  EXPECT_EQ(run("--no-such-option " + path("none.idl")), 2);
  EXPECT_THAT(output_, HasSubstr("--no-such-option"));
  EXPECT_EQ(run("--check"), 2);
  EXPECT_EQ(run("--check -Wno-such " + path("none.idl")), 2);
  EXPECT_THAT(output_, HasSubstr("unknown warning 'such'"));
  EXPECT_EQ(run("--cpp --depfile " + path("out.d") + " a.idl b.idl"), 2);
  EXPECT_THAT(output_, HasSubstr("--depfile works with one IDL file"));
}

TEST_F(IdlCommand, PrintsItsHelpAndVersion) {
  EXPECT_EQ(run("--version"), 0);
  EXPECT_EQ(output_, "orbweaver-idl " ORBWEAVER_VERSION "\n");
  EXPECT_EQ(run("--help"), 0);
  EXPECT_THAT(output_, HasSubstr("Without --cpp, --dump, --html, --impl or -E, files are only checked."));
}

TEST_F(IdlCommand, WritesFourFilesAndTheirDependencies) {
  file("inc/other.idl", "typedef long T;");
  const std::string main = file("foo.idl", "#include <other.idl>\ninterface I { void f(in T x); };");
  ASSERT_EQ(
      run("--cpp -o " + path("out") + " --depfile " + path("out.d") + " -I " + path("inc") + " " + main), 0)
      << output_;
  for (const char* name : {"fooC.h", "fooC.cpp", "fooS.h", "fooS.cpp"})
    EXPECT_TRUE(fs::exists(folder_ / "out" / name)) << name;
  EXPECT_THAT(read(path("out.d")), HasSubstr("fooC.h"));
  EXPECT_THAT(read(path("out.d")), HasSubstr("other.idl"));
  EXPECT_THAT(read(path("out/fooC.h")), HasSubstr("#include \"otherC.h\""));
  EXPECT_THAT(read(path("out/fooC.h")), Not(HasSubstr("using T")));
}

TEST_F(IdlCommand, KeepsUnchangedFiles) {
  const std::string main = file("foo.idl", "struct S { long x; };");
  ASSERT_EQ(run("--cpp -o " + path("out") + " " + main), 0);
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  fs::last_write_time(folder_ / "out/fooC.h", long_ago);
  ASSERT_EQ(run("--cpp -o " + path("out") + " " + main), 0);
  EXPECT_EQ(fs::last_write_time(folder_ / "out/fooC.h"), long_ago);
}

TEST_F(IdlCommand, WritesNothingOnErrors) {
  EXPECT_EQ(run("--cpp -o " + path("out") + " " + file("foo.idl", "struct S { long x }")), 1);
  EXPECT_FALSE(fs::exists(folder_ / "out/fooC.h"));
  EXPECT_EQ(run("--cpp -o /proc/nowhere " + file("ok.idl", "struct S { long x; };")), 1);
  EXPECT_THAT(output_, HasSubstr("cannot be created"));
}

TEST_F(IdlCommand, WritesToPipesAndDevicesInsteadOfReplacingThem) {
  ASSERT_EQ(mkfifo(path("rule").c_str(), 0600), 0);
  const int pipe = open(path("rule").c_str(), O_RDWR | O_NONBLOCK);
  ASSERT_GE(pipe, 0);
  EXPECT_EQ(
      run("--cpp -o " + path("out") + " --depfile " + path("rule") + " " + file("ok.idl", "typedef long T;")),
      0)
      << output_;
  EXPECT_TRUE(fs::is_fifo(folder_ / "rule"));
  char rule[4096] = {};
  EXPECT_GT(read_some(pipe, rule, sizeof rule - 1), 0);
  EXPECT_THAT(rule, HasSubstr("okC.h"));
  close(pipe);
}

TEST_F(IdlCommand, ReadsStandardInputFromItsDevice) {
  const std::string command = "echo 'struct S { Missing x; };' | " + std::string(ORBWEAVER_IDL) +
                              " --check /dev/stdin 2> " + path("output");
  const int status = std::system(command.c_str());
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << status;
  EXPECT_THAT(read(path("output")), HasSubstr("/dev/stdin:1:12: error: 'Missing' is not declared"));
}

TEST_F(IdlCommand, ReportsFilesThatCannotBeWritten) {
  const std::string main = file("foo.idl", "struct S { long x; };");
  fs::create_directories(folder_ / "out/fooC.h");
  EXPECT_EQ(run("--cpp -o " + path("out") + " " + main), 1);
  EXPECT_THAT(output_, HasSubstr("out/fooC.h' cannot be written: it is a directory"));
  EXPECT_EQ(run("--cpp -o " + path("foo.idl") + " " + main), 1);
  EXPECT_THAT(output_, HasSubstr("foo.idl' cannot be created: "));
  EXPECT_EQ(run("--cpp -o " + path("o") + " --depfile " + path("none/rule") + " " + main), 1);
  EXPECT_THAT(output_, HasSubstr("none/rule' cannot be written: No such file or directory"));
  for (const char* mode : {"--dump ", "-E "}) {
    const std::string command =
        std::string(ORBWEAVER_IDL) + " " + mode + main + " 2> " + path("output") + " > /dev/full";
    const int status = std::system(command.c_str());
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << status;
    EXPECT_THAT(read(path("output")),
                HasSubstr("standard output cannot be written: No space left on device"));
  }
}

TEST_F(IdlCommand, DoesNotOverwriteAServant) {
  const std::string main = file("foo.idl", "interface I { void f(); };");
  fs::create_directories(folder_ / "out");
  std::ofstream(folder_ / "out/foo_impl.cpp") << "mine";
  ASSERT_EQ(run("--impl -o " + path("out") + " " + main), 0) << output_;
  EXPECT_EQ(read(path("out/foo_impl.cpp")), "mine");
  EXPECT_TRUE(fs::exists(folder_ / "out/foo_impl.h"));
}

TEST_F(IdlCommand, TurnsWarningsOffOrIntoErrors) {
  const std::string main = file("w.idl", "#pragma nonsense\ntypedef long T;");
  EXPECT_EQ(run("--check " + main), 0);
  EXPECT_THAT(output_, HasSubstr("[-Wunknown-pragma]"));
  EXPECT_EQ(run("--check -Wno-unknown-pragma " + main), 0);
  EXPECT_EQ(output_, "");
  EXPECT_EQ(run("--check -Werror=unknown-pragma " + main), 1);
  EXPECT_EQ(run("--check -Werror " + main), 1);
}

// The values of all attributes `word` in a page.
std::set<std::string> quoted(const std::string& page, const std::string& word) {
  std::set<std::string> out;
  const std::regex what(word + "=\"([^\"]*)\"");
  for (std::sregex_iterator at(page.begin(), page.end(), what), end; at != end; ++at) out.insert((*at)[1]);
  return out;
}

TEST_F(IdlCommand, LinksPagesOfTheSetOnly) {
  file("away/far.idl", "module Far { struct Off { long x; }; };");
  file("set/base.idl",
       "/// All of it.\nmodule Base { enum E { one, two }; bitset Bits { bitfield<3> low; }; };");
  const std::string main =
      file("set/user.idl",
           "#include \"base.idl\"\n#include <far.idl>\nmodule User { struct S {\n  /// Which one.\n  "
           "Base::E which; Far::Off off; }; interface I { S get(); }; };");
  ASSERT_EQ(run("--html -I " + path("away") + " -o " + path("out") + " " + path("set/base.idl") + " " + main),
            0)
      << output_;
  std::set<std::string> pages;
  for (const auto& each : fs::directory_iterator(folder_ / "out"))
    pages.insert(each.path().filename().string());
  EXPECT_EQ(pages, (std::set<std::string>{"base.html", "index.html", "user.html"}));
  int cross_links = 0;
  for (const std::string& from : pages) {
    for (const std::string& link : quoted(read(path("out/" + from)), "href")) {
      const std::size_t hash = std::min(link.find('#'), link.size());
      const std::string to = hash == 0 ? from : link.substr(0, hash);
      ASSERT_TRUE(pages.contains(to)) << from << ": " << link;
      cross_links += to != from ? 1 : 0;
      if (hash < link.size()) {
        EXPECT_TRUE(quoted(read(path("out/" + to)), "id").contains(link.substr(hash + 1)))
            << from << ": " << link;
      }
    }
  }
  // Two links to the index, four to names and two to pages from it, and one to Base::E.
  EXPECT_GE(cross_links, 7);
  const std::string page = read(path("out/user.html"));
  EXPECT_THAT(page, HasSubstr("<a href=\"base.html#Base::E\">Base::E</a> which;"));
  EXPECT_THAT(page, HasSubstr(" Far::Off off;"));
  EXPECT_THAT(page, HasSubstr("<dt><code>which</code></dt><dd><p>Which one.</p>"));
  EXPECT_THAT(read(path("out/base.html")), HasSubstr("<p>All of it.</p>"));
  EXPECT_THAT(read(path("out/base.html")), HasSubstr("bitfield&lt;3, octet&gt; low;"));
}

TEST_F(IdlCommand, RejectsFilesWithTheSameOutput) {
  const std::string one = file("a/types.idl", "struct A { long x; };"),
                    other = file("b/types.idl", "struct B { long x; };");
  for (const char* mode : {"--cpp", "--html", "--impl"}) {
    EXPECT_EQ(run(std::string(mode) + " -o " + path("out") + " " + one + " " + other), 2);
    EXPECT_THAT(output_, HasSubstr("b/types.idl would overwrite the output of "));
    EXPECT_FALSE(fs::exists(folder_ / "out"));
  }
  EXPECT_EQ(run("--check " + one + " " + other), 0) << output_;
}

TEST_F(IdlCommand, PrintsDiagnosticsAsJson) {
  EXPECT_EQ(run("--check --json " + file("bad.idl", "struct S { Missing x; };")), 1);
  EXPECT_THAT(output_, HasSubstr("\"name\": \"undeclared-name\""));
  EXPECT_THAT(output_, HasSubstr("\"column\": 12"));
}

TEST_F(IdlCommand, RejectsIncludedPipesAndDevices) {
  ASSERT_EQ(mkfifo(path("pipe.idl").c_str(), 0600), 0);
  EXPECT_EQ(run("--check " + file("main.idl", "#include \"pipe.idl\"\ntypedef long T;")), 1);
  EXPECT_THAT(output_, HasSubstr("'pipe.idl' is a pipe, a socket or a device"));
  EXPECT_EQ(run("--check " + file("device.idl", "#include \"/dev/zero\"\ntypedef long T;")), 1);
  EXPECT_THAT(output_, HasSubstr("'/dev/zero' is a pipe, a socket or a device"));
}

TEST_F(IdlCommand, IncludesTheHeaderOfAnExtendedOrbIdl) {
  file("inc/orb.idl", "module Mine { typedef long T; };");
  const std::string main = file("foo.idl", "#include <orb.idl>\nstruct S { Mine::T x; };");
  ASSERT_EQ(run("--cpp -o " + path("out") + " -I " + path("inc") + " " + main), 0) << output_;
  EXPECT_THAT(read(path("out/fooC.h")), HasSubstr("#include \"orbC.h\""));
  file("std/orb.idl", "module CORBA { typedef sequence<string> StringSeq; };");
  ASSERT_EQ(run("--cpp -o " + path("out") + " -I " + path("std") + " " +
                file("bar.idl", "#include <orb.idl>\ntypedef long T;")),
            0)
      << output_;
  EXPECT_THAT(read(path("out/barC.h")), Not(HasSubstr("orbC.h")));
}

TEST_F(IdlCommand, DefinesForwardDeclaredInterfaces) {
  file("user.idl", "interface Far; interface User { void f(in Far x); };");
  ASSERT_EQ(run("--cpp -o " + path("out") + " " + path("user.idl")), 0) << output_;
  ASSERT_EQ(run("--cpp -o " + path("out") + " " +
                file("far.idl", "#include \"user.idl\"\ninterface Far { void g(); };")),
            0)
      << output_;
  EXPECT_THAT(read(path("out/userC.h")), HasSubstr("struct traits<::Far>"));
  EXPECT_THAT(read(path("out/farC.h")), Not(HasSubstr("struct traits<::Far>")));
  EXPECT_THAT(read(path("out/farC.cpp")), HasSubstr("::orbweaver::define_forward_interface<::Far>("));
}

TEST_F(IdlCommand, RejectsAFileThatIncludesItself) {
  EXPECT_EQ(run("--check " + file("me.idl", "#include \"me.idl\"\n#include \"me.idl\"\n")), 1);
  EXPECT_THAT(output_, HasSubstr("includes are nested too deeply"));
}

// About `n` lines of ordinary IDL.
std::string lines(int n) {
  std::string out;
  for (int i = 0; i < n / 8; ++i) {
    const std::string k = std::to_string(i);
    out += "module M" + k + " {\n  /// A sample.\n  struct S { long a; double b; sequence<octet> c; };\n" +
           "  typedef sequence<S> Ss;\n  exception X { string why; };\n  const long k = (3 + " + k +
           ") * 2;\n  interface I { void f(in Ss all, out long count) raises (X); };\n};\n";
  }
  return out;
}

// Peak memory, in KiB, of the program with these arguments.
long peak_kib(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "orbweaver-idl");
  std::vector<char*> argv;
  for (std::string& each : arguments) argv.push_back(each.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    execv(ORBWEAVER_IDL, argv.data());
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  EXPECT_EQ(wait4(child, &status, 0, &usage), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  return usage.ru_maxrss;
}

TEST_F(IdlCommand, UsesMemoryLinearInItsInput) {
  const long few = peak_kib({"--check", file("few.idl", lines(10'000))});
  const long many = peak_kib({"--check", file("many.idl", lines(100'000))});
  EXPECT_LT(many, 15 * few) << "KiB for 10,000 lines: " << few << ", for 100,000: " << many;
}

// Structs and interfaces with comments, as applications have them, of at least `bytes`.
std::string ordinary_text(std::size_t bytes) {
  std::string out;
  for (int i = 100'000; out.size() < bytes; ++i) {
    const std::string k = std::to_string(i);
    out +=
        "/// The settings of one channel of the receiver, as an operator sees them.\nmodule Receiver_" + k +
        " {\n  struct ChannelSettings {\n    double centre_frequency_hz;  ///< Of the first converter.\n"
        "    double bandwidth_hz;\n    unsigned long decimation;\n    string<32> name_of_the_channel;\n"
        "    sequence<octet> coefficients;\n  };\n  exception ChannelIsBusy { string name_of_the_user; };\n"
        "  interface Channel {\n    /// Raises an exception while another user has the channel.\n"
        "    void configure(in ChannelSettings settings) raises(ChannelIsBusy);\n"
        "    ChannelSettings settings();\n    readonly attribute unsigned long long received_samples;\n"
        "  };\n};\n";
  }
  return out;
}

// What 50 MB need is extrapolated: the program itself has a few MiB.
TEST_F(IdlCommand, GeneratesCppInTwentyTimesTheMemoryOfItsInput) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer keeps freed memory, and has memory of its own";
#endif
  const std::string small = ordinary_text(2'000'000), large = ordinary_text(4'000'000);
  const long few = peak_kib({"--cpp", "-o", path("out"), file("small.idl", small)});
  const long many = peak_kib({"--cpp", "-o", path("out"), file("large.idl", large)});
  const double times =
      static_cast<double>(many - few) * 1024 / static_cast<double>(large.size() - small.size());
  RecordProperty("times", std::to_string(times));
  EXPECT_LT(times, 20) << "KiB for 2 MB: " << few << ", for 4 MB: " << many;
  EXPECT_LT(10 * many, 22 * few) << "linear";
}

}  // namespace
