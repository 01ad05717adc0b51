// Strings, sequences, arrays and structs (CORBA 3.3 part 2, 9.3.2).
#include <array>
#include <cstring>
#include <stdexcept>

#include "cdr/testing.h"

/// The ORB raises BAD_PARAM here; this room has no CORBA exceptions yet.
void orbweaver::throw_bound_exceeded(std::size_t, std::uint32_t) {
  throw std::length_error("beyond its bound");
}

namespace orbweaver::cdr::testing {
struct Point {
  std::int32_t x = 0;
  double y = 0;
  std::string name;
  bool operator==(const Point&) const = default;
};
/// What generated code calls plain: no padding anywhere, every bit pattern a value.
struct Sample {
  std::int16_t i = 0;
  std::int16_t q = 0;
  bool operator==(const Sample&) const = default;
};
/// Plain where it starts at a multiple of eight; but CDR starts it at a multiple of four.
struct Stamp {
  std::int32_t seconds = 0;
  std::int32_t fraction = 0;
  std::int64_t count = 0;
  bool operator==(const Stamp&) const = default;
};
/// One that takes far more memory than bytes on the wire, as a union with one large branch does.
struct Wide {
  std::array<std::uint8_t, 1000> branch{};
  bool is_wide = false;
};
}  // namespace orbweaver::cdr::testing

namespace orbweaver::cdr {
// As the compiler writes them.
template <>
struct Codec<testing::Point> {
  using Point = testing::Point;
  static constexpr std::size_t kMinBytes = 16, kMaxBytes = 0, kAlign = 8;
  static constexpr bool kPlain = false;
  static std::size_t bound(const Point& p) { return 7 + 15 + Codec<std::string>::bound(p.name); }
  static void encode(Encoder& out, const Point& p) {
    out.put(p.x);
    out.put(p.y);
    out.put_string(p.name);
  }
  static void decode(Decoder& in, Point& p) {
    p.x = in.get<std::int32_t>();
    p.y = in.get<double>();
    Codec<std::string>::decode(in, p.name);
  }
};
template <>
struct Codec<testing::Sample> {
  using Sample = testing::Sample;
  static constexpr std::size_t kMinBytes = 4, kMaxBytes = 5, kAlign = 2;
  static constexpr bool kPlain = true;
  static std::size_t bound(const Sample&) { return kMaxBytes; }
  static void encode(Encoder& out, const Sample& s) {
    out.put(s.i);
    out.put(s.q);
  }
  static void decode(Decoder& in, Sample& s) {
    s.i = in.get<std::int16_t>();
    s.q = in.get<std::int16_t>();
  }
};
template <>
struct Codec<testing::Stamp> {
  using Stamp = testing::Stamp;
  static constexpr std::size_t kMinBytes = 16, kMaxBytes = 26, kAlign = 8;
  static constexpr bool kPlain = true;
  static std::size_t bound(const Stamp&) { return kMaxBytes; }
  static void encode(Encoder& out, const Stamp& s) {
    out.put(s.seconds);
    out.put(s.fraction);
    out.put(s.count);
  }
  static void decode(Decoder& in, Stamp& s) {
    s.seconds = in.get<std::int32_t>();
    s.fraction = in.get<std::int32_t>();
    s.count = in.get<std::int64_t>();
  }
};
template <>
struct Codec<testing::Wide> {
  using Wide = testing::Wide;
  static constexpr std::size_t kMinBytes = 1, kMaxBytes = 0, kAlign = 4;
  static constexpr bool kPlain = false;
  static std::size_t bound(const Wide& w) { return w.is_wide ? 1001 : 1; }
  static void encode(Encoder& out, const Wide& w) {
    out.put(static_cast<std::uint8_t>(w.is_wide));
    if (w.is_wide) out.put_block(w.branch.data(), w.branch.size(), 1);
  }
  static void decode(Decoder& in, Wide& w) {
    w.is_wide = in.get_boolean();
    if (w.is_wide) in.get_block(w.branch.data(), w.branch.size());
  }
};
}  // namespace orbweaver::cdr

namespace orbweaver::cdr::testing {
namespace {

template <class T>
using Seq = std::vector<T>;

TEST(CdrStrings, CountTheirTerminatingNul) {
  expect_travels("00000001 00", "01000000 00", std::string());
  expect_travels("00000006 68656c6c6f00", "06000000 68656c6c6f00", std::string("hello"));
}

TEST(CdrStrings, AnEmptyOneMayComeWithoutItsNul) {
  const Octets bytes = hex("00000000");
  Decoder in = big(bytes);
  EXPECT_EQ(std::get<0>(decoded<std::string>(in)), "");
  EXPECT_TRUE(in.ok());
}

TEST(CdrStrings, AViewPointsIntoTheBytes) {
  const Octets bytes = hex("00000003 686900");
  Decoder in = big(bytes);
  const auto view = std::get<0>(decoded<std::string_view>(in));
  EXPECT_EQ(view, "hi");
  EXPECT_EQ(reinterpret_cast<const std::uint8_t*>(view.data()), bytes.data() + 4);
}

TEST(CdrStrings, WideOnesCountOctetsAndHaveNoNul) {
  expect_travels("00000000", "00000000", std::wstring());
  expect_travels("00000006 0068 00e9 4e2d", "06000000 0068 00e9 4e2d", std::wstring(L"h\u00e9\u4e2d"));
  expect_travels("00000006 0041 d83dde00", "06000000 0041 d83dde00", std::wstring(L"A\U0001F600"));
  expect_travels("00000006 feff feff 0041", "06000000 feff feff 0041", std::wstring(L"\ufeffA"));
}

TEST(CdrSequences, BeginWithTheirLength) {
  expect_travels("00000000", "00000000", Seq<std::int32_t>{});
  expect_travels("00000002 0102", "02000000 0102", Seq<std::uint8_t>{1, 2});
  expect_travels("00000002 0001 0002", "02000000 0100 0200", Seq<std::int16_t>{1, 2});
  expect_travels("00000002 01 00", "02000000 01 00", Seq<bool>{true, false});
}

TEST(CdrSequences, AlignTheirFirstElementUnlessThereIsNone) {
  expect_travels("00000001 00000000 3ff0000000000000", "01000000 00000000 000000000000f03f", Seq<double>{1});
  expect_travels("00000000 00000007", "00000000 07000000", Seq<double>{}, std::int32_t{7});
}

TEST(CdrSequences, HoldAnythingEvenEachOther) {
  expect_travels("00000002 00000002 6100 0000 00000002 6200", "02000000 02000000 6100 0000 02000000 6200",
                 Seq<std::string>{"a", "b"});
  expect_travels("00000002 00000001 01 000000 00000000", "02000000 01000000 01 000000 00000000",
                 Seq<Seq<std::uint8_t>>{{1}, {}});
  expect_travels("00000002 02 0041 04 d83dde00", "02000000 02 0041 04 d83dde00",
                 Seq<wchar_t>{L'A', L'\U0001F600'});
}

// wchar_t is arithmetic and yet takes up to five bytes.
TEST(CdrSequences, OfWideCharactersHaveRoomForTheWidest) {
  const Seq<wchar_t> many(100, L'\U0001F600');
  EXPECT_GE(bound_of(many), encoded(many).size());
  std::array<wchar_t, 100> array;
  array.fill(L'\U0001F600');
  EXPECT_GE(bound_of(array), encoded(array).size());
}

TEST(CdrSequences, OfElementsThatAreLargeOnlyHereGrowWithWhatIsDecoded) {
  Octets bytes(4 + 100'000);
  const std::uint32_t announced = 100'000;
  std::memcpy(bytes.data(), &announced, 4);
  bytes[4 + 50] = 7;  // no boolean: the 51st element is none
  Decoder in(bytes.data(), bytes.size(), false);
  Seq<Wide> sequence;
  decode(in, sequence);
  EXPECT_EQ(in.fault(), Fault::bad_boolean);
  EXPECT_LE(sequence.capacity() * sizeof(Wide), 20 * bytes.size());
}

TEST(CdrSequences, OfElementsThatAreLargeOnlyHereTravel) {
  for (const std::size_t n : {0u, 1u, 15u, 16u, 17u, 1'000u, 20'000u}) {
    Seq<Wide> sent(n);
    for (std::size_t i = 0; i < n; ++i) {
      sent[i].is_wide = i % 500 == 3;
      sent[i].branch.fill(sent[i].is_wide ? static_cast<std::uint8_t>(i) : 0);
    }
    const Octets bytes = encoded(sent);
    Decoder in(bytes.data(), bytes.size(), false);
    Seq<Wide> arrived(3);
    decode(in, arrived);
    EXPECT_TRUE(in.ok()) << describe(in.fault());
    ASSERT_EQ(arrived.size(), n);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(arrived[i].is_wide ? arrived[i].branch[999] : 0, sent[i].branch[999]) << i;
  }
}

TEST(CdrArrays, HaveNoLength) {
  expect_travels("0001 0002 0003", "0100 0200 0300", std::array<std::int16_t, 3>{1, 2, 3});
  expect_travels("00000002 6100 0000 00000001 00", "02000000 6100 0000 01000000 00",
                 std::array<std::string, 2>{"a", ""});
  expect_travels("00000001 00000002", "01000000 02000000", std::array<std::array<std::int32_t, 1>, 2>{{{1}, {2}}});
}

TEST(CdrStructs, AreTheirMembersOneAfterTheOther) {
  expect_travels("00000007 00000000 3fe0000000000000 00000003 707400",
                 "07000000 00000000 000000000000e03f 03000000 707400", Point{7, 0.5, "pt"});
}

TEST(CdrStructs, PlainOnesTravelAsABlockWithTheSameBytes) {
  expect_travels("00000002 0001 fffe 0003 fffc", "02000000 0100 feff 0300 fcff",
                 Seq<Sample>{{1, -2}, {3, -4}});
  expect_travels("00000000", "00000000", Seq<Sample>{});
  expect_travels("01 00 0001 0002", "01 00 0100 0200", std::uint8_t{1}, std::array<Sample, 1>{{{1, 2}}});
}

// Behind the length the first stamp starts at four: its count is padded, the next one's is not.
TEST(CdrStructs, PlainOnesAreNoBlockWhereTheyStartMisaligned) {
  expect_travels("00000002 00000001 00000002 00000000 0000000000000003 00000004 00000005 0000000000000006",
                 "02000000 01000000 02000000 00000000 0300000000000000 04000000 05000000 0600000000000000",
                 Seq<Stamp>{{1, 2, 3}, {4, 5, 6}});
  expect_travels("00000000 00000001 00000001 00000002 0000000000000003",
                 "00000000 01000000 01000000 02000000 0300000000000000", std::int32_t{0},
                 Seq<Stamp>{{1, 2, 3}});
}

TEST(CdrBounds, AreKeptBothWays) {
  using Name = IDL::bounded_string<3>;
  using Pair = IDL::bounded_vector<std::int16_t, 2>;
  using Wide = IDL::bounded_wstring<2>;
  expect_travels("00000004 61626300", "04000000 61626300", Name("abc"));
  expect_travels("00000002 0001 0002", "02000000 0100 0200", Pair{1, 2});
  expect_travels("00000004 0041 0042", "04000000 0041 0042", Wide(L"AB"));
  const auto fault_of = [](auto example, const char* text) {
    const Octets bytes = hex(text);
    Decoder in = big(bytes);
    decode(in, example);
    return in.fault();
  };
  EXPECT_EQ(fault_of(Name(), "00000005 6162636400"), Fault::bound_exceeded);
  EXPECT_EQ(fault_of(Pair(), "00000003 0001 0002 0003"), Fault::bound_exceeded);
  EXPECT_EQ(fault_of(Wide(), "00000006 0041 0042 0043"), Fault::bound_exceeded);
  EXPECT_THROW(encoded(Name("abcd")), std::length_error);
  EXPECT_THROW(encoded(Pair{1, 2, 3}), std::length_error);
  EXPECT_THROW(encoded(Wide(L"ABC")), std::length_error);
}

}  // namespace
}  // namespace orbweaver::cdr::testing
