// Compares the compiler with omniidl: both must accept or both must reject small IDL files, which are made by
// rearranging and mutating valid ones. docs/idl.md lists the intended differences between the compilers; the
// files here do not use them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "idlc/driver/compile.h"
#include "idlc/source/render.h"
#include "tests/idl/mutations.h"

namespace {

using namespace orbweaver::idl;

constexpr int kFiles = 240;

// The beginning of every file.
constexpr const char* kBase = R"(#pragma prefix "x.org"
module Base {
  typedef long T; typedef sequence<T> Ts; enum E { e1, e2, e3 }; exception Ex { string why; };
  struct S { T a1; E b1; }; interface I0 { void f0(in T x0); attribute T at0; }; const long K = 4;
};
)";
// The rest of a file consists of some of these pieces.
constexpr const char* kPieces[] = {
    R"(module M1 { struct A { long x; short y[3]; Base::S z; }; typedef A AA;
  union U switch (Base::E) { case Base::e1: long l1; case Base::e2: case Base::e3: string s1; }; };
)",
    R"(module M2 { interface J : Base::I0 { readonly attribute string nm;
  void g(in Base::Ts q, out long w, inout Base::S v) raises (Base::Ex); oneway void h(in octet o); }; };
)",
    R"(interface P1 { typedef short T2; const T2 c1 = 3; T2 op1(in T2 a); };
interface P2 : P1 { void op2(in T2 b); };
interface P3 : P1 { void op3(); }; interface P4 : P2, P3 { };
)",
    R"(const long c2 = 3 * (4 + 5) - 1; const unsigned short c3 = 1 << 4 | 3; const string c4 = "abc" "def";
const char c5 = 'x'; const boolean c6 = TRUE; const double c7 = 1.5e3 / 2.0; const octet c8 = 255;
const Base::E c9 = Base::e2; const float c10 = 2.5;
)",
    R"(typedef long Arr[3][4]; typedef string<10> Str; typedef sequence<sequence<long, 3>, 4> SS;
typedef wstring<5> W1;
typedef wchar W2; typedef long long LL; typedef unsigned long long ULL; typedef fixed<5,2> Fx; typedef any An;
)",
    "struct Node; typedef sequence<Node> Nodes; struct Node { Nodes kids; long val; };\n",
    "interface Fwd; typedef sequence<Fwd> Fwds; interface Fwd { Fwds all(); Fwd self(); };\n",
    R"(union U2 switch (long) { case 1: long a2; case 2: case -3: short b2; default: string d2; };
union U3 switch (boolean) { case TRUE: long x3; };
union U4 switch (char) { case 'a': long x4; case 'b': short y4; };
)",
    R"(exception Ex1 { }; exception Ex2 { long a; string b; };
interface K1 { void f() raises (Ex1, Ex2); attribute long q1; readonly attribute Base::E q2, q3; };
)",
    R"(valuetype V1 { public long a; private string b; factory make(in long n); void op(); };
valuetype V2 : V1 { public short c; }; valuetype VB sequence<long>; abstract valuetype V3 { void opx(); };
)",
    R"(abstract interface AI { void f(); }; local interface LI : Base::I0 { native Nt; void g(in Nt n); };
)",
    R"(module Re { typedef long A1; }; module Re { typedef A1 B1; struct C1 { A1 x; B1 y; }; };
typedef Re::A1 D1;
)",
    R"(struct Outer { struct Inner { long a; } in1; enum In2 { i1, i2 } in3; long b; };
typedef Outer::Inner In4;
)",
    R"(interface Q { struct QS { long x; }; typedef sequence<QS> QSs; enum QE { qa, qb };
  exception QX { QS s1; };
  const long qc = 7; QS get(in QE e, in QSs many) raises (QX); };
interface Q2 : Q { QS get2(in Q::QE e) raises (QX); typedef long QL[qc]; };
)",
    R"(module N1 { module N2 { typedef Base::T A2; struct B2 { A2 f1; ::Base::S f2; }; const A2 K2 = 7; };
  typedef N2::A2 A3;
  typedef N2::B2 A5[N2::K2]; }; typedef N1::N2::B2 A4;
module N1 { interface N4 : Base::I0 { A3 f4(in N2::B2 b4); }; };
)",
    R"(interface C1 { void f(in long a) raises (Base::Ex) context ("a", "b*");
  oneway void g(in string s) context ("c"); };
)",
    R"(const wchar wa1 = L'x'; const wstring wa2 = L"a" L"b"; const wstring wa3 = wa2;
const char c11 = '\x41';
const string c12 = "\101\n\t"; const char c13 = '\''; typedef wstring<4> WaT; const WaT wa4 = L"abcd";
)",
    R"(native Nat;
local interface N3 { exception NE { long code; }; Nat f(in Nat n1, out Nat n2) raises (NE); };
)",
    R"(interface DD1 { attribute long at1; readonly attribute string at2, at3; };
interface DD2 : DD1 { attribute short at4; };
interface DD3 : DD1 { typedef short at5; void op3(in at5 a6); };
interface DD4 : DD2, DD3 { void op4(inout at5 a7); };
)",
    R"(interface VI { void fi(); };
valuetype VW0 supports VI { public long w; factory mk(in long q, in string r); };
valuetype VW1 : truncatable VW0 { private short s; void fw(in VW0 o); };
custom valuetype VW2 { public any z; attribute long at6; };
valuetype VWB string; abstract valuetype VW3; abstract valuetype VW3 { VW3 fa(in VWB b); };
valuetype VW5 : VW0, VW3 { };
)",
    R"(interface G1 { struct GS { long gx; }; };
#pragma ID G1 "IDL:y.org/G1:1.0"
#pragma version G1::GS 2.3
#pragma prefix "z.org"
interface G2 : G1 { attribute GS ga; };
)",
    R"(union U5 switch (Base::E) { case Base::e1: struct UI { long q1; } q2; case Base::e2: sequence<U5> q3;
  default: any q4; };
union U6 switch (unsigned short) { case 0: case 65535: U5::UI q5; case 1 + 2 * Base::K: U5::UI q6[2]; };
)",
    R"(#define LIM 10
#ifdef LIM
typedef long Lim[LIM];
#else
typedef nothing at all
#endif
)"};

class Maker {
 public:
  std::string file() {
    std::string text = kBase;
    std::vector<std::size_t> order(std::size(kPieces));
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random_);
    for (std::size_t i = 0; i <= below(3); ++i) text += kPieces[order[i]];
    std::vector<std::string> list = split_into_tokens(text);
    static const std::vector<std::string> kNames =
        split_into_tokens(std::string(kBase) + kPieces[0] + kPieces[1] + kPieces[9]);
    for (std::size_t mutations = below(3); mutations > 0; --mutations) mutate(list, kNames, random_);
    text.clear();
    for (const std::string& each : list) text += each;
    return text;
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }

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
  // The test is meaningful only if the generator makes both valid and invalid files.
  EXPECT_GT(accepted, kFiles / 10);
  EXPECT_LT(accepted, kFiles * 9 / 10);
}

}  // namespace
