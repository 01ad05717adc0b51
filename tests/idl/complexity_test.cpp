// Tests that the compiler's work is linear in its input. Work is counted in executed basic blocks (the
// library is built with -fsanitize-coverage=trace-pc, which inserts a call in each), so that neither the
// machine nor its load matters.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>

#include "idlc/cpp/cpp_generator.h"
#include "idlc/driver/compile.h"
#include "idlc/source/render.h"

namespace {
std::uint64_t steps = 0;
}

extern "C" void __sanitizer_cov_trace_pc() { ++steps; }

namespace {

using namespace orbweaver::idl;

struct Shape {
  const char* name;
  bool right;
  bool cpp;  // the generated C++ is linear in the text
  std::string (*text)(int n);
};

void PrintTo(const Shape& shape, std::ostream* os) { *os << shape.name; }

std::string number(int n) { return std::to_string(n); }

// `before`, then `one` of each number from 1 to n, then `after`.
std::string each(int n, const std::string& before, const std::function<std::string(int)>& one,
                 const std::string& after = "") {
  std::string out = before;
  for (int i = 1; i <= n; ++i) out += one(i);
  return out + after;
}

const Shape kShapes[] = {
    {"StructsInStructs", true, true,
     [](int n) {
       return each(n, "struct s0 { long x; };\n",
                   [](int i) { return "struct s" + number(i) + " { s" + number(i - 1) + " a, b; };\n"; });
     }},
    {"ForwardDeclaredStructs", true, true,
     [](int n) {
       std::string forward;
       for (int i = n; i >= 0; --i) forward += "struct s" + number(i) + ";\n";
       return each(n, forward + "struct s0 { long x; };\n",
                   [](int i) { return "struct s" + number(i) + " { s" + number(i - 1) + " a; };\n"; });
     }},
    {"Typedefs", true, true,
     [](int n) {
       return each(n, "typedef long t0;\n",
                   [](int i) { return "typedef t" + number(i - 1) + " t" + number(i) + ";\n"; }) +
              each(
                  n, "struct S {", [n](int i) { return "t" + number(n) + " m" + number(i) + ";"; }, "};");
     }},
    {"SequencesOfSequences", true, true,
     [](int n) {
       return each(n, "typedef long t0;\n",
                   [](int i) { return "typedef sequence<t" + number(i - 1) + "> t" + number(i) + ";\n"; }) +
              each(
                  n, "struct S {", [n](int i) { return "t" + number(n) + " m" + number(i) + ";"; }, "};");
     }},
    {"ArraysOfArrays", true, true,
     [](int n) {
       return each(n, "typedef long t0;\n",
                   [](int i) { return "typedef t" + number(i - 1) + " t" + number(i) + "[1];\n"; }) +
              "struct S { t" + number(n) + " x; };";
     }},
    {"SequencesOfUndefinedStructs", true, true,
     [](int n) {
       return each(n, "struct S; typedef sequence<S> t0;\n",
                   [](int i) { return "typedef sequence<t" + number(i - 1) + "> t" + number(i) + ";\n"; }) +
              each(
                  n, "struct S {", [n](int i) { return "t" + number(n) + " m" + number(i) + ";"; }, "};");
     }},
    {"Labels", true, true,
     [](int n) {
       return each(
           n, "union U switch (long) {", [](int i) { return "case " + number(i - 1) + ": "; },
           "long x; case -1: long y; };");
     }},
    {"Cases", true, true,
     [](int n) {
       return each(
           n, "union U switch (long) {",
           [](int i) { return "case " + number(i - 1) + ": long x" + number(i) + ";\n"; },
           "default: long y; };");
     }},
    {"Interfaces", true, false,  // each generated class names all its bases
     [](int n) {
       return each(n, "interface i0 { void f0(); };\n", [](int i) {
         return "interface i" + number(i) + " : i" + number(i - 1) + " { void f" + number(i) + "(); };\n";
       });
     }},
    {"InterfacesWithDifferentSecondBases", true, false,
     [](int n) {
       return each(n, "interface i0 { void f0(); };\n", [](int i) {
         const std::string k = number(i);
         return "interface m" + k + " { void g" + k + "(); };\ninterface i" + k + " : i" + number(i - 1) +
                ", m" + k + " { void f" + k + "(); };\n";
       });
     }},
    {"TwoChainsOfInterfacesWithTheSameNames", true, false,
     [](int n) {
       return each(n, "interface i0 { void f0(); }; interface j0 { void f0(); };\n", [](int i) {
         const std::string k = number(i), before = number(i - 1);
         return "interface i" + k + " : i" + before + " { void f" + k + "(); };\ninterface j" + k + " : j" +
                before + " { void f" + k + "(); };\n";
       });
     }},
    {"InterfacesWithTheSameTwoBases", true, false,
     [](int n) {
       return each(n, "interface a0 { void f(); };\ninterface b0 { void g(); };\n", [](int i) {
         const std::string bases = " : a" + number(i - 1) + ", b" + number(i - 1) + " {};\n";
         return "interface a" + number(i) + bases + "interface b" + number(i) + bases;
       });
     }},
    {"InterfacesThatInheritAllEarlierOnes", true, false,
     [](int n) {
       const int interfaces = static_cast<int>(std::sqrt(200.0 * n));  // the text grows with the square
       std::string bases = " : i0";
       return each(interfaces, "interface i0 { void f0(); };\n", [&bases](int i) {
         const std::string k = number(i), with = bases;
         bases += ", i" + k;
         return "interface i" + k + with + " { void f" + k + "(); };\n";
       });
     }},
    {"EmptyInterfacesThatInheritTooMuchForCpp", true, true,
     [](int n) {
       return each(n, "interface i0 {};\n",
                   [](int i) { return "interface i" + number(i) + " : i" + number(i - 1) + " {};\n"; });
     }},
    {"InterfacesOfOneBase", true, true,
     [](int n) {
       return each(n, "interface b {};\n",
                   [](int i) { return "interface i" + number(i) + " : b { void get(); };\n"; });
     }},
    {"Operations", true, true,
     [](int n) {
       return each(
           n, "interface I {", [](int i) { return "void operation_" + number(i) + "(in long a);\n"; }, "};");
     }},
    {"Components", true, false,
     [](int n) {
       return each(n, "component c0 { attribute long a0; };\n", [](int i) {
         return "component c" + number(i) + " : c" + number(i - 1) + " { attribute long a" + number(i) +
                "; };\n";
       });
     }},
    {"InheritedStructs", true, true,
     [](int n) {
       return each(n, "struct s0 { long x0; };\n", [](int i) {
         return "struct s" + number(i) + " : s" + number(i - 1) + " { long x" + number(i) + "; };\n";
       });
     }},
    {"LocalTypes", true, false,
     [](int n) {
       return each(n, "local interface L {}; struct s0 { sequence<L> x; };\n",
                   [](int i) { return "struct s" + number(i) + " { s" + number(i - 1) + " a, b; };\n"; }) +
              "local interface I { void f(in s" + number(n) + " x); };";
     }},
    {"Members", true, true,
     [](int n) {
       return each(
           n, "struct S {", [](int i) { return "@key string m" + number(i) + ";\n"; }, "};");
     }},
    {"Annotations", true, true,
     [](int n) {
       return each(
           n, "struct S {", [](int i) { return "@id(" + number(i) + ") long m" + number(i) + ";\n"; }, "};");
     }},
    {"AnnotationWithManyMembers", true, true,
     [](int n) {
       const auto members = [n](const std::string& before, const std::string& after) {
         return each(10 * n, "", [&](int i) { return before + number(i) + after; });
       };
       return "@annotation A { long x;" + members("long m", ";") + "};\n@A(x=1" + members(", m", "=1") +
              ") struct S { long x; };";
     }},
    {"UsesOfAnAnnotationWithManyMembers", true, true,
     [](int n) {
       return each(
                  n, "@annotation A { long x;", [](int i) { return "long m" + number(i) + " default 1;"; },
                  "};\n") +
              each(
                  n, "struct S {", [](int i) { return "@A(x=1) long m" + number(i) + ";\n"; }, "};");
     }},
    {"AnnotationsWithoutTheirManyMembers", false, false,
     [](int n) {
       return each(
                  n, "@annotation A {", [](int i) { return "long m" + number(i) + ";"; }, "};\n") +
              each(
                  n, "struct S {", [](int i) { return "@A(m1=1) long m" + number(i) + ";\n"; }, "};");
     }},
    {"Constants", true, true,
     [](int n) {
       return each(n, "const long c0 = 1;\n",
                   [](int i) { return "const long c" + number(i) + " = c" + number(i - 1) + " + 1;\n"; });
     }},
    {"Errors", false, false,
     [](int n) {
       return each(
           n, "struct S {", [](int i) { return "Missing" + number(i) + " m" + number(i) + ";\n"; }, "};");
     }},
    {"CommentsOnOneLine", true, true,
     [](int n) { return each(n, "", [](int i) { return "/*c*/ typedef long t" + number(i) + "; "; }); }},
    {"NamesAfterALongComment", true, false,
     [](int n) {
       return each(n, "", [](int) { return "// c\n"; }) +
              each(
                  n, "typedef long t0", [](int i) { return ", t" + number(i); }, ";");
     }},
    {"Macros", true, true,
     [](int n) {
       return each(100, "#define M0 long\n",
                   [](int i) { return "#define M" + number(i) + " M" + number(i - 1) + "\n"; }) +
              each(n, "", [](int i) { return "typedef M50 t" + number(i) + ";\n"; });
     }},
    {"TemplateInstances", true, true,
     [](int n) {
       return each(n, "module T<typename X> { typedef X y; };\n",
                   [](int i) { return "module T<long> M" + number(i) + ";\n"; });
     }},
};

class IdlComplexity : public ::testing::TestWithParam<Shape> {};

std::uint64_t work(const Shape& shape, int n) {
  const std::string text = shape.text(n);
  const std::uint64_t before = steps;
  Sources sources;
  Diagnostics diagnostics(WarningPolicy{{}, {}, true, false});
  const CompileResult compiled = compile(sources, sources.add("t.idl", text), {}, diagnostics);
  EXPECT_EQ(diagnostics.ok(), shape.right) << render_text(diagnostics, sources, false).substr(0, 400);
  if (compiled.unit && shape.cpp) {
    const bool refused = std::string_view(shape.name).ends_with("TooMuchForCpp");
    EXPECT_EQ(generate_cpp(*compiled.unit, diagnostics).empty(), refused);
  }
  render_text(diagnostics, sources, false);
  return steps - before;
}

TEST_P(IdlComplexity, IsLinearInTheTextSize) {
  const std::uint64_t once = work(GetParam(), 1500), twice = work(GetParam(), 3000);
  EXPECT_GT(once, 100'000u);
  // The limit is 2.5 instead of 2, because sorted tables need logarithmic time for each entry.
  EXPECT_LT(twice, once * 5 / 2) << once << " steps, then " << twice;
}

/// Three layers of interfaces, each of which inherits from all of the layer before.
std::string layers(int width) {
  std::string text, bases;
  for (const std::string layer : {"a", "b", "c"}) {
    std::string names;
    for (int i = 1; i <= width; ++i) {
      const std::string name = layer + number(i);
      text += "interface " + name + bases + " {};\n";
      names += (i == 1 ? " : " : ", ") + name;
    }
    bases = names;
  }
  return text;
}

TEST(IdlComplexity, EndsInAnErrorForTooDenseInheritance) {
  std::uint64_t steps_of[2] = {};
  for (const int times : {1, 2}) {
    const std::string text = layers(230 * times);
    const std::uint64_t before = steps;
    Sources sources;
    Diagnostics diagnostics(WarningPolicy{{}, {}, true, false});
    compile(sources, sources.add("t.idl", text), {}, diagnostics);
    EXPECT_NE(render_text(diagnostics, sources, false).find("steps to check"), std::string::npos);
    EXPECT_EQ(diagnostics.error_count(), 1u);
    steps_of[times - 1] = steps - before;
  }
  EXPECT_LT(steps_of[1], 4 * steps_of[0]) << "the text is four times as long";
}

INSTANTIATE_TEST_SUITE_P(Shapes, IdlComplexity, ::testing::ValuesIn(kShapes),
                         [](const auto& shape) { return shape.param.name; });

}  // namespace
