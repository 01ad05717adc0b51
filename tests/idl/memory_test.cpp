// Tests the peak memory of the compiler in proportion to the text: the maximum of allocated and not yet freed
// bytes, counted in operator new. This does not depend on time or on the pages of the process, which other
// code shares.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>
#include <functional>
#include <new>
#include <ostream>
#include <string>

#include "idlc/driver/compile.h"
#include "idlc/source/render.h"

namespace {

std::size_t allocated = 0, peak = 0;

void* counted(std::size_t bytes) {
  void* memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  allocated += malloc_usable_size(memory) + sizeof(std::size_t);  // includes the header of the allocation
  if (allocated > peak) peak = allocated;
  return memory;
}

void uncounted(void* memory) {
  if (memory != nullptr) allocated -= malloc_usable_size(memory) + sizeof(std::size_t);
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t bytes) { return counted(bytes); }
void* operator new[](std::size_t bytes) { return counted(bytes); }
void operator delete(void* memory) noexcept { uncounted(memory); }
void operator delete[](void* memory) noexcept { uncounted(memory); }
void operator delete(void* memory, std::size_t) noexcept { uncounted(memory); }
void operator delete[](void* memory, std::size_t) noexcept { uncounted(memory); }

namespace {

using namespace orbweaver::idl;

struct Shape {
  const char* name;
  std::string before;
  std::function<std::string(const std::string& k)> one;  // repeated with consecutive numbers
  std::string after;
  std::size_t times = 20;  // limit of the memory in proportion to the text
};

void PrintTo(const Shape& shape, std::ostream* os) { *os << shape.name; }

std::string sample(const std::string& k) {
  return "  struct Sample_" + k +
         " {\n    long first;\n    double second;\n    string name;\n    sequence<octet> data;\n"
         "    unsigned long count;\n  };\n";
}

const Shape kShapes[] = {
    {"Modules", "",
     [](const std::string& k) {
       return "module M" + k + " {\n  /// A sample.\n  struct S { long a; double b; sequence<octet> c; };\n" +
              "  typedef sequence<S> Ss;\n  exception X { string why; };\n  const long k = (3 + " + k +
              ") * 2;\n  interface I { void f(in Ss all, out long count) raises (X); };\n};\n";
     },
     ""},
    {"Structs", "", sample, ""},
    {"StructsInOneModule", "module M {\n", sample, "};\n"},
    {"MembersOfOneStruct", "struct S {\n", [](const std::string& k) { return "  long member_" + k + ";\n"; },
     "};\n"},
    {"Interfaces", "",
     [](const std::string& k) {
       return "interface Device_" + k +
              " {\n  attribute long level;\n  long start(in string name, in long mode);\n  void stop();\n"
              "  double measure(in long channel, out double error, inout long count);\n};\n";
     },
     ""},
    {"OperationsOfOneInterface", "interface I {\n",
     [](const std::string& k) { return "  void operation_" + k + "(in long value);\n"; }, "};\n"},
    {"Enums", "",
     [](const std::string& k) {
       return "enum Colour_" + k + " { red_" + k + ", green_" + k + ", blue_" + k + ", white_" + k + " };\n";
     },
     ""},
    {"EnumeratorsOfOneEnum", "enum E {\n", [](const std::string& k) { return "  literal_" + k + ",\n"; },
     "last };\n"},
    {"Unions", "",
     [](const std::string& k) {
       return "union Choice_" + k +
              " switch (long) {\n  case 1: long number;\n  case 2: case 3: string text;\n  default: octet "
              "other;\n};\n";
     },
     ""},
    {"CasesOfOneUnion", "union U switch (long) {\n",
     [](const std::string& k) { return "  case " + k + ": long m" + k + ";\n"; }, "};\n"},
    {"Constants", "", [](const std::string& k) { return "const long kLimit_" + k + " = " + k + " + 1;\n"; },
     ""},
    {"Typedefs", "", [](const std::string& k) { return "typedef sequence<long, 8> Longs_" + k + ";\n"; }, ""},
    {"VeryShortStructs", "", [](const std::string& k) { return "struct a" + k + "{long x,y,z;};"; }, "", 35},
};

class IdlMemory : public ::testing::TestWithParam<Shape> {};

TEST_P(IdlMemory, IsProportionalToTheText) {
  std::string text = GetParam().before;
  // Numbers, and so names, are as long as in the middle of a file of 50 MB.
  std::size_t number = 25'000'000 / GetParam().one("").size();
  while (text.size() < 2'000'000) text += GetParam().one(std::to_string(number++));
  text += GetParam().after;
  const std::size_t bytes = text.size(), before = allocated;
  peak = allocated;
  Sources sources;
  Diagnostics diagnostics;
  const CompileResult compiled = compile(sources, sources.add("t.idl", std::move(text)), {}, diagnostics);
  ASSERT_TRUE(diagnostics.ok()) << render_text(diagnostics, sources, false).substr(0, 400);
  EXPECT_LT(peak - before, GetParam().times * bytes)
      << static_cast<double>(peak - before) / static_cast<double>(bytes) << " times";
  RecordProperty("times", std::to_string(static_cast<double>(peak - before) / static_cast<double>(bytes)));
}

INSTANTIATE_TEST_SUITE_P(Shapes, IdlMemory, ::testing::ValuesIn(kShapes),
                         [](const auto& shape) { return shape.param.name; });

}  // namespace
