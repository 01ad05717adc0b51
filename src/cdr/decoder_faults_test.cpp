// Faults of malformed input, and that a false length does not allocate memory.
#include <cstdlib>
#include <new>

#include "cdr/testing.h"

namespace {
// The bytes that this thread has requested from operator new since it was reset.
thread_local std::size_t allocated_bytes = 0;
}  // namespace

// noinline avoids GCC's warning about mismatched malloc and delete.
[[gnu::noinline]] void* operator new(std::size_t n) {
  allocated_bytes += n;
  if (void* memory = std::malloc(n == 0 ? 1 : n)) return memory;
  throw std::bad_alloc();
}
// Used by std::stable_sort; the sanitizers' own version returns memory that `delete` below cannot free.
[[gnu::noinline]] void* operator new(std::size_t n, const std::nothrow_t&) noexcept {
  allocated_bytes += n;
  return std::malloc(n == 0 ? 1 : n);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace orbweaver::cdr::testing {

/// A recursive type, through a sequence of itself.
struct Tree {
  std::vector<Tree> children;
};
}  // namespace orbweaver::cdr::testing

namespace orbweaver::cdr {
template <>
struct Codec<testing::Tree> {
  static constexpr std::size_t kMinBytes = 4, kMaxBytes = 0, kAlign = 4;
  static constexpr bool kPlain = false;
  static std::size_t bound(const testing::Tree&) { return 0; }
  static void encode(Encoder& out, const testing::Tree& tree) { cdr::encode(out, tree.children); }
  static void decode(Decoder& in, testing::Tree& tree) { cdr::decode(in, tree.children); }
};
}  // namespace orbweaver::cdr

namespace orbweaver::cdr::testing {
namespace {

template <class T>
Fault fault_of(std::string_view big_hex) {
  const Octets bytes = hex(big_hex);
  Decoder in = big(bytes);
  T value{};
  decode(in, value);
  return in.fault();
}

TEST(CdrFaults, NameTheError) {
  EXPECT_EQ(fault_of<std::int32_t>("000000"), Fault::truncated);
  EXPECT_EQ(fault_of<std::string>("00000005 6100"), Fault::bad_length);
  EXPECT_EQ(fault_of<std::vector<double>>("00000002 3ff0000000000000"), Fault::bad_length);
  EXPECT_EQ(fault_of<std::string>("00000002 6161"), Fault::bad_string);
  EXPECT_EQ(fault_of<std::wstring>("00000003 006100"), Fault::bad_string);
  EXPECT_EQ(fault_of<wchar_t>("00"), Fault::bad_string);
  EXPECT_EQ(fault_of<wchar_t>("04 0041 0042"), Fault::bad_string);
  EXPECT_EQ(fault_of<bool>("02"), Fault::bad_boolean);
  EXPECT_EQ(fault_of<std::vector<bool>>("00000001 ff"), Fault::bad_boolean);
}

TEST(CdrFaults, KeepTheFirstAndReadZerosAfterIt) {
  const Octets bytes = hex("02 000000 00000007");
  Decoder in = big(bytes);
  EXPECT_FALSE(in.get_boolean());
  EXPECT_EQ(in.get<std::uint32_t>(), 0u);
  EXPECT_EQ(in.get_string_view(), "");
  EXPECT_TRUE(in.get_view<double>().empty());
  EXPECT_EQ(in.fault(), Fault::bad_boolean);
  EXPECT_EQ(in.fault_offset(), 1u);
  EXPECT_EQ(in.remaining(), 0u);
}

TEST(CdrFaults, HaveDescriptions) {
  for (std::uint32_t fault = 0; fault <= 11; ++fault) {
    EXPECT_STRNE(describe(static_cast<Fault>(fault)), "unknown fault");
  }
}

template <class T>
class CdrHugeLengths : public ::testing::Test {};
using LengthPrefixedTypes = ::testing::Types<std::string, std::wstring, std::vector<std::uint8_t>,
                                             std::vector<double>, std::vector<bool>, std::vector<std::string>,
                                             std::vector<std::vector<double>>, span<const double>>;
struct LengthyName {
  template <class T>
  static std::string GetName(int index) {
    static constexpr const char* kNames[] = {"string",   "wstring", "octets", "doubles",
                                             "booleans", "strings", "matrix", "view_of_doubles"};
    return kNames[index];
  }
};
TYPED_TEST_SUITE(CdrHugeLengths, LengthPrefixedTypes, LengthyName);

TYPED_TEST(CdrHugeLengths, AllocateNothing) {
  for (const char* length : {"ffffffff", "7fffffff", "80000000", "00000100"}) {
    Octets bytes = hex(length);
    bytes.resize(20);
    Scratch scratch;
    Decoder in = big(bytes, &scratch);
    TypeParam value{};
    allocated_bytes = 0;
    decode(in, value);
    EXPECT_EQ(allocated_bytes, 0u) << length;
    EXPECT_FALSE(in.ok()) << length;
    EXPECT_EQ(value.size(), 0u);
  }
}

/// `depth` sequences of one element, the innermost empty.
Octets nested(std::uint32_t depth) {
  Octets bytes;
  Encoder out(bytes);
  for (std::uint32_t i = 1; i < depth; ++i) out.put(std::uint32_t{1});
  out.put(std::uint32_t{0});
  out.finish();
  return bytes;
}

TEST(CdrNesting, IsLimited) {
  for (const std::uint32_t depth : {1u, 256u, 257u, 100000u}) {
    const Octets bytes = nested(depth);
    Decoder in(bytes.data(), bytes.size(), false);
    Tree tree;
    decode(in, tree);
    EXPECT_EQ(in.fault(), depth <= 256 ? Fault::none : Fault::too_deep) << depth;
  }
}

TEST(CdrNesting, CountsDepthOnly) {
  Tree tree;
  tree.children.resize(1000);
  const Octets bytes = encoded(tree);
  Decoder in(bytes.data(), bytes.size(), false);
  Tree found;
  decode(in, found);
  EXPECT_TRUE(in.ok());
  EXPECT_EQ(found.children.size(), 1000u);
}

}  // namespace
}  // namespace orbweaver::cdr::testing
