// Service contexts, code sets and encapsulations.
#include "giop/service_context.h"
#include "cdr/utf8.h"
#include "giop/codesets.h"
#include "giop/encapsulation.h"
#include "giop/testing.h"

namespace orbweaver::giop::testing {
namespace {

TEST(GiopContexts, RejectLengthsBeyondTheMessage) {
  for (const char* text : {"00000002 00000001 00000000", "00000001 00000001 00000005 01020304",
                           "ffffffff 00000000", "00000001 00000001 ffffffff 00"}) {
    const Octets bytes = hex(text);
    cdr::Decoder in = cdr::testing::big(bytes);
    ServiceContexts contexts;
    contexts.decode(in);
    EXPECT_FALSE(in.ok()) << text;
    EXPECT_TRUE(contexts.empty()) << text;
  }
}

// In shared memory the peer can change the bytes after they were counted.
TEST(GiopContexts, AreValidatedAgainWhenRead) {
  Octets bytes = hex("00000002 00000001 00000002 aabb 0000 00000002 00000000");
  cdr::Decoder in = cdr::testing::big(bytes);
  ServiceContexts contexts;
  contexts.decode(in);
  ASSERT_TRUE(in.ok());
  bytes[8] = 0x7f;  // the first context's length
  int seen = 0;
  for (const ServiceContext& context : contexts) seen += static_cast<int>(context.data.size()) + 1;
  EXPECT_EQ(seen, 0);
  EXPECT_FALSE(contexts.find(2));
}

TEST(GiopContexts, EncodeAnExceptionMessageAsAWstring) {
  const std::string text = "queue full: 3 \xe2\x82\xac \xf0\x9f\x98\x80";
  const auto found = decode_exception_detail(encode_exception_detail(text));
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, text);
  EXPECT_FALSE(decode_exception_detail(hex("01 000000 ffffffff")));
}

TEST(GiopContexts, ReplaceInvalidUtf8) {
  EXPECT_EQ(cdr::utf8_to_wide("a\xff\xc0\x80z"), L"a\ufffd\ufffd\ufffdz");
  EXPECT_EQ(cdr::utf8_to_wide("\xe2\x82"), L"\ufffd\ufffd");
  EXPECT_EQ(cdr::wide_to_utf8(std::wstring(1, static_cast<wchar_t>(0xd800))), "\xef\xbf\xbd");
}

TEST(GiopEncapsulation, DecodesEitherByteOrder) {
  for (const char* text : {"00 000000 00000007", "01 000000 07000000"}) {
    const Octets bytes = hex(text);
    cdr::Decoder in = open_encapsulation(bytes);
    EXPECT_EQ(in.get<std::uint32_t>(), 7u);
  }
}

TEST(GiopEncapsulation, RejectsAnInvalidByteOrder) {
  EXPECT_FALSE(open_encapsulation({}).ok());
  const Octets bytes = hex("02 000000 07000000");
  EXPECT_FALSE(open_encapsulation(bytes).ok());
}

TEST(GiopCodeSets, DecodeAnOmniOrbComponent) {
  const auto info = decode_code_sets(hex("01000000 01000100 01000000 01000105 09010100 01000000 09010100"));
  ASSERT_TRUE(info);
  EXPECT_EQ(info->for_char, (CodeSetComponent{code_set::kIso8859_1, {code_set::kUtf8}}));
  EXPECT_EQ(info->for_wchar, (CodeSetComponent{code_set::kUtf16, {code_set::kUtf16}}));
  EXPECT_EQ(*decode_code_sets(encode_code_sets(*info)), *info);
  EXPECT_FALSE(decode_code_sets(hex("01000000 01000100 ffffffff")));
}

TEST(GiopCodeSets, EncodeTheContextAsOmniOrb) {
  const TransmissionCodeSets sets{code_set::kIso8859_1, code_set::kUtf16};
  EXPECT_EQ(*decode_code_sets_context(hex("01000000 01000100 09010100")), sets);
  EXPECT_EQ(*decode_code_sets_context(encode_code_sets_context(sets)), sets);
  EXPECT_FALSE(decode_code_sets_context(hex("01000000 01000100")));
}

/// The code set selected for char, for the components of a client and a server.
std::uint32_t chosen(CodeSetComponent client, CodeSetComponent server) {
  const CodeSetComponentInfo theirs{std::move(server), {code_set::kUtf16, {}}};
  const auto sets = negotiate({std::move(client), {code_set::kUtf16, {}}}, &theirs);
  return sets ? sets->for_char : code_set::kNone;
}

TEST(GiopCodeSets, AreNegotiatedInTheOrderOfTheSpecification) {
  const std::uint32_t utf8 = code_set::kUtf8, latin1 = code_set::kIso8859_1, ascii = code_set::kIso646;
  EXPECT_EQ(chosen({utf8, {}}, {utf8, {latin1}}), utf8);                 // equal native sets
  EXPECT_EQ(chosen({utf8, {latin1}}, {latin1, {utf8}}), latin1);         // the client converts
  EXPECT_EQ(chosen({utf8, {}}, {latin1, {utf8}}), utf8);                 // the server converts
  EXPECT_EQ(chosen({utf8, {ascii}}, {latin1, {0x5555, ascii}}), ascii);  // both convert
  EXPECT_EQ(chosen({latin1, {}}, {ascii, {}}), utf8);                    // the fallback
  EXPECT_EQ(chosen({utf8, {}}, {0x10020025, {}}), code_set::kNone);      // EBCDIC: nothing in common
}

TEST(GiopCodeSets, AssumeLatin1WithoutAComponent) {
  const auto sets = negotiate(own_code_sets(), nullptr);
  ASSERT_TRUE(sets);
  EXPECT_EQ(sets->for_char, code_set::kUtf8);
  EXPECT_EQ(sets->for_wchar, code_set::kNone);
}

TEST(GiopCodeSets, NameBothSetsWhenIncompatible) {
  const CodeSetComponentInfo theirs{{0x10020025, {}}, {code_set::kUtf16, {}}};
  const auto sets = negotiate(own_code_sets(), &theirs);
  ASSERT_FALSE(sets);
  EXPECT_EQ(sets.error().kind, ErrorKind::unavailable);
  EXPECT_EQ(sets.error().message, "no common char code set: client 0x05010001, server 0x10020025");
}

}  // namespace
}  // namespace orbweaver::giop::testing
