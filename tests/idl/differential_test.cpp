// A second opinion: small IDL files, right and wrong, made by rearranging and damaging right ones, go to
// omniidl and to us; the verdicts must agree. docs/idl.md lists where compilers differ on purpose; none of
// that is in here.
#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "idlc/driver/compile.h"
#include "idlc/source/render.h"

namespace {

using namespace orbweaver::idl;

constexpr int kFiles = 240;

// Every file begins with this …
constexpr const char* kBase = R"(#pragma prefix "x.org"
module Base {
  typedef long T; typedef sequence<T> Ts; enum E { e1, e2, e3 }; exception Ex { string why; };
  struct S { T a1; E b1; }; interface I0 { void f0(in T x0); attribute T at0; }; const long K = 4;
};
)";
// … and goes on with some of these.
constexpr const char* kPieces[] = {
    R"(module M1 { struct A { long x; short y[3]; Base::S z; }; typedef A AA;
  union U switch (Base::E) { case Base::e1: long l1; case Base::e2: case Base::e3: string s1; }; };
)",
    R"(module M2 { interface J : Base::I0 { readonly attribute string nm;
  void g(in Base::Ts q, out long w, inout Base::S v) raises (Base::Ex); oneway void h(in octet o); }; };
)",
    R"(interface P1 { typedef short T2; const T2 c1 = 3; T2 op1(in T2 a); }; interface P2 : P1 { void op2(in T2 b); };
interface P3 : P1 { void op3(); }; interface P4 : P2, P3 { };
)",
    R"(const long c2 = 3 * (4 + 5) - 1; const unsigned short c3 = 1 << 4 | 3; const string c4 = "abc" "def";
const char c5 = 'x'; const boolean c6 = TRUE; const double c7 = 1.5e3 / 2.0; const octet c8 = 255;
const Base::E c9 = Base::e2; const float c10 = 2.5;
)",
    R"(typedef long Arr[3][4]; typedef string<10> Str; typedef sequence<sequence<long, 3>, 4> SS; typedef wstring<5> W1;
typedef wchar W2; typedef long long LL; typedef unsigned long long ULL; typedef fixed<5,2> Fx; typedef any An;
)",
    "struct Node; typedef sequence<Node> Nodes; struct Node { Nodes kids; long val; };\n",
    "interface Fwd; typedef sequence<Fwd> Fwds; interface Fwd { Fwds all(); Fwd self(); };\n",
    R"(union U2 switch (long) { case 1: long a2; case 2: case -3: short b2; default: string d2; };
union U3 switch (boolean) { case TRUE: long x3; }; union U4 switch (char) { case 'a': long x4; case 'b': short y4; };
)",
    R"(exception Ex1 { }; exception Ex2 { long a; string b; };
interface K1 { void f() raises (Ex1, Ex2); attribute long q1; readonly attribute Base::E q2, q3; };
)",
    R"(valuetype V1 { public long a; private string b; factory make(in long n); void op(); };
valuetype V2 : V1 { public short c; }; valuetype VB sequence<long>; abstract valuetype V3 { void opx(); };
)",
    R"(abstract interface AI { void f(); }; local interface LI : Base::I0 { native Nt; void g(in Nt n); };
)",
    R"(module Re { typedef long A1; }; module Re { typedef A1 B1; struct C1 { A1 x; B1 y; }; }; typedef Re::A1 D1;
)",
    R"(struct Outer { struct Inner { long a; } in1; enum In2 { i1, i2 } in3; long b; }; typedef Outer::Inner In4;
)",
    R"(interface Q { struct QS { long x; }; typedef sequence<QS> QSs; enum QE { qa, qb }; exception QX { QS s1; };
  const long qc = 7; QS get(in QE e, in QSs many) raises (QX); };
interface Q2 : Q { QS get2(in Q::QE e) raises (QX); typedef long QL[qc]; };
)",
    R"(#define LIM 10
#ifdef LIM
typedef long Lim[LIM];
#else
typedef nothing at all
#endif
)"};

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    auto is_word = [&](std::size_t i) {
      return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_');
    };
    if (text[at] == '#')
      end = std::min(text.find('\n', at), text.size());
    else if (text[at] == '"')
      end = text.find('"', at + 1) + 1;
    else
      while (is_word(at) && is_word(end)) ++end;
    out.push_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

class Maker {
 public:
  std::string file() {
    std::string text = kBase;
    std::vector<std::size_t> order(std::size(kPieces));
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random_);
    for (std::size_t i = 0; i <= below(3); ++i) text += kPieces[order[i]];
    std::vector<std::string> list = words(text);
    for (std::size_t sins = below(3); sins > 0; --sins) damage(list);
    text.clear();
    for (const std::string& each : list) text += each;
    return text;
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }

  void damage(std::vector<std::string>& list) {
    static const std::vector<std::string> kNames =
        words(std::string(kBase) + kPieces[0] + kPieces[1] + kPieces[9]);
    std::size_t at = below(list.size());
    while (std::isspace(static_cast<unsigned char>(list[at][0]))) at = below(list.size());
    switch (below(4)) {
      case 0:
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      case 1:
        list[at] += ' ' + list[at] + ' ';
        break;
      default:
        list[at] = ' ' + kNames[below(kNames.size())] + ' ';
    }
  }

  std::mt19937 random_{20261121};
};

TEST(IdlDifferential, AgreesWithOmniidl) {
  if (std::system("omniidl -V > /dev/null 2>&1") != 0) GTEST_SKIP() << "omniidl is not installed";
  const auto folder =
      std::filesystem::temp_directory_path() / ("orbweaver_idl_" + std::to_string(std::random_device{}()));
  std::filesystem::create_directories(folder);
  Maker maker;
  int accepted = 0;
  for (int i = 0; i < kFiles; ++i) {
    const std::string text = maker.file();
    const std::string path = (folder / "t.idl").string();
    std::ofstream(path) << text;
    const bool theirs = std::system(("omniidl -bdump " + path + " > /dev/null 2>&1").c_str()) == 0;
    Sources sources;
    Diagnostics diagnostics;
    compile(sources, path, {}, diagnostics);
    EXPECT_EQ(diagnostics.ok(), theirs) << text << render_text(diagnostics, sources, false);
    accepted += theirs ? 1 : 0;
  }
  std::filesystem::remove_all(folder);
  // A generator that makes only rubbish, or nothing but good files, would prove little.
  EXPECT_GT(accepted, kFiles / 10);
  EXPECT_LT(accepted, kFiles * 9 / 10);
}

}  // namespace
