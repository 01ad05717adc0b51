// Values in JSON and in CDR: every type of IDL, and the messages for JSON of another type.
#include <gmock/gmock.h>
#include <orbweaver/orb.h>
#include <orbweaver/typecode_members.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include "call/signatures.h"
#include "call/text_to_value.h"
#include "call/type_names.h"
#include "call/value_to_json.h"

namespace orbweaver::call {
namespace {

using testing::HasSubstr;

constexpr const char* kIdl = R"(
  module T {
    enum Colour { red, green };
    typedef sequence<octet> Octets;
    typedef octet Key[4];
    typedef short Grid[2][3];
    struct Empty {};
    struct Point { double x; double y; };
    struct Base { string<5> name; };
    struct Derived : Base { sequence<Point, 2> path; Grid cells; Octets data; };
    struct Tree;
    typedef sequence<Tree> Forest;
    struct Tree { string name; any leaf; Forest kids; };
    union Shape switch (Colour) { case red: Point corner; default: long sides; };
    union Maybe switch (boolean) { case TRUE: string text; };
    union ByChar switch (char) { case 'a': case 'b': long low; case 'c': short high; };
    union ByShort switch (int8) { case -1: long low; default: string other; };
    typedef fixed<5, 2> Price;
    typedef map<string, long> Ages;
    bitmask Flags { one, two };
    exception Refused { string why; };
    interface Thing {
      readonly attribute long level;
      attribute Colour hue;
      Shape draw(in Point at, inout Octets data, out Colour hue) raises (Refused);
      oneway void stop();
    };
    interface Other { void draw(in long n); void rest(); };
    interface Special : Thing { void shine(); };
  };
)";

struct JsonValues : testing::Test {
  JsonValues() {
    path = std::filesystem::temp_directory_path() / ("json_values_" + std::to_string(getpid()) + ".idl");
    std::ofstream(path) << kIdl;
    auto compiled = Idl::compile({{path.string()}, {}, {}});
    EXPECT_TRUE(compiled) << (compiled ? "" : compiled.error().message);
    if (compiled) idl = *compiled;
    orb = CORBA::ORB_init();
  }
  ~JsonValues() override {
    std::filesystem::remove(path);
    orb->destroy();
  }

  CORBA::typecode_reference type(const std::string& name) {
    auto found = parse_type_name(name, idl->types());
    EXPECT_TRUE(found) << (found ? "" : found.error().message);
    return found ? *found : CORBA::_tc_null;
  }
  /// The value of a text, and back: its JSON in one line, or the message.
  std::string through(const std::string& type_text, const std::string& json,
                      OctetsAs octets = OctetsAs::base64) {
    const auto value = text_to_value(json, *type(type_text), {idl->types(), orb});
    if (!value) return value.error().message;
    const auto back = value_to_json(*value, idl->types(), octets);
    return back ? json_line(*back) : back.error().message;
  }
  void unchanged(const std::string& type_text, const std::string& json) {
    EXPECT_EQ(through(type_text, json), json) << type_text;
  }

  std::filesystem::path path;
  std::shared_ptr<const Idl> idl;
  IDL::traits<CORBA::ORB>::ref_type orb;
};

TEST_F(JsonValues, KeepNumbersAtTheirLimits) {
  unchanged("short", "-32768");
  unchanged("unsigned short", "65535");
  unchanged("long", "-2147483648");
  unchanged("unsigned long", "4294967295");
  unchanged("long long", "-9223372036854775808");
  unchanged("unsigned long long", "18446744073709551615");
  unchanged("octet", "255");
  unchanged("int8", "-128");
  unchanged("float", "0.1");
  unchanged("double", "1e-300");
  unchanged("double", "1.7976931348623157e+308");
  unchanged("boolean", "true");
}

TEST_F(JsonValues, HaveStringsForNumbersThatJsonHasNot) {
  for (const char* const number : {R"("NaN")", R"("Infinity")", R"("-Infinity")"}) {
    unchanged("double", number);
    unchanged("float", number);
    unchanged("long double", number);
  }
  EXPECT_EQ(through("double", "-Infinity"), R"("-Infinity")");
  unchanged("long double", "0.5");
  unchanged("long double", R"("1.00000000000000000011")");
}

TEST_F(JsonValues, RejectNumbersThatDoNotFit) {
  EXPECT_EQ(through("short", "70000"), "70000 does not fit in short: -32768 to 32767");
  EXPECT_EQ(through("octet", "-1"), "-1 does not fit in octet: 0 to 255");
  EXPECT_THAT(through("float", "1e300"), HasSubstr("does not fit in float"));
  EXPECT_EQ(through("long", "1.5"), "expected an integer (long), found 1.5");
  EXPECT_EQ(through("long", "true"), "expected an integer (long), found true");
  EXPECT_THAT(through("unsigned long long", "18446744073709551616"), HasSubstr("expected an integer"));
  EXPECT_EQ(through("long", "twelve"), "expected an integer (long), found 'twelve'");
  EXPECT_EQ(through("double", "abc"), "expected a number (double), found 'abc'");
  EXPECT_EQ(through("boolean", "yes"), "expected true or false (boolean), found 'yes'");
  EXPECT_THAT(through("sequence<double>", "abc"), HasSubstr("expected sequence<double>, found not JSON"));
}

TEST_F(JsonValues, HaveStringsWithAndWithoutQuotes) {
  EXPECT_EQ(through("string", "world"), R"("world")");
  EXPECT_EQ(through("string", R"("wor\"ld")"), R"("wor\"ld")");
  EXPECT_EQ(through("string", ""), R"("")");
  EXPECT_EQ(through("string", "[1]"), R"("[1]")");
  EXPECT_EQ(through("wstring", "\xf0\x9f\x98\x80 \xe2\x82\xac"), R"("\ud83d\ude00 \u20ac")");
  EXPECT_EQ(through("char", "\xc3\xa9"), R"("\u00e9")");
  EXPECT_EQ(through("wchar", "\xe2\x82\xac"), R"("\u20ac")");
  EXPECT_THAT(through("char", "ab"), HasSubstr("expected a string of one character"));
  EXPECT_THAT(through("char", "\xe2\x82\xac"), HasSubstr("up to U+00FF"));
  EXPECT_THAT(through("string", R"("a\u0000b")"), HasSubstr("no NUL"));
  EXPECT_THAT(through("string<3>", "four"),
              HasSubstr("4 characters do not fit in string<3>, whose bound is 3"));
  EXPECT_THAT(through("wstring<1>", "ab"), HasSubstr("do not fit"));
  EXPECT_EQ(through("string", "\x1b[2J"), R"("\u001b[2J")");
}

TEST_F(JsonValues, HaveEnumeratorsByName) {
  EXPECT_EQ(through("T::Colour", "green"), R"("green")");
  EXPECT_EQ(through("T::Colour", "blue"), "expected one of red, green (T::Colour), found the string 'blue'");
}

TEST_F(JsonValues, HaveOctetsAsBase64OrArrays) {
  EXPECT_EQ(through("T::Octets", "[1, 2, 255]"), R"("AQL/")");
  EXPECT_EQ(through("T::Octets", "AQL/"), R"("AQL/")");
  EXPECT_EQ(through("T::Octets", "AQL/", OctetsAs::array), "[1,2,255]");
  EXPECT_EQ(through("T::Octets", "[]"), R"("")");
  EXPECT_EQ(through("T::Key", "[1, 2, 3, 4]"), R"("AQIDBA==")");
  EXPECT_EQ(through("T::Key", "AQI="), "expected 4 elements (T::Key), found 2");
  EXPECT_THAT(through("T::Octets", "?"), HasSubstr("expected an array or base64"));
  EXPECT_EQ(through("T::Octets", "[1, 256]"), "[1]: 256 does not fit in octet: 0 to 255");
  unchanged("sequence<int8>", "[-1,2]");
}

TEST_F(JsonValues, HaveStructsWithInheritedMembers) {
  unchanged("T::Derived",
            R"({"name":"abc","path":[{"x":1.0,"y":2.5}],"cells":[[1,2,3],[4,5,6]],"data":"AQ=="})");
  unchanged("T::Empty", "{}");
  unchanged("T::Ages", R"([{"key":"a","value":1}])");
  unchanged("T::Flags", "3");
}

TEST_F(JsonValues, NameThePlaceOfAMistake) {
  const std::string begin = R"({"name":"abc","data":"","cells":[[1,2,3],[4,5,6]],"path":)";
  EXPECT_EQ(through("T::Derived", begin + R"([{"x":1,"y":2},{"x":1,"y":"two"}]})"),
            R"(path[1].y: expected a number, or "NaN", "Infinity" or "-Infinity" (double), )"
            "found the string 'two'");
  EXPECT_EQ(through("T::Derived", begin + R"([{"x":1}]})"), "path[0]: the member 'y' of T::Point is missing");
  EXPECT_EQ(through("T::Derived", begin + R"([{"x":1,"y":2,"z":3}]})"),
            "path[0]: T::Point has no member 'z'");
  EXPECT_THAT(through("T::Derived", begin + R"([{"x":1,"y":2},{"x":1,"y":2},{"x":1,"y":2}]})"),
              HasSubstr("path: 3 elements do not fit"));
  EXPECT_EQ(through("T::Grid", "[[1,2,3]]"), "expected 2 elements (T::Grid), found 1");
}

TEST_F(JsonValues, HaveUnionsWithTheirDiscriminators) {
  unchanged("T::Shape", R"({"_d":"red","corner":{"x":1.0,"y":2.0}})");
  EXPECT_EQ(through("T::Shape", R"({"sides": 4})"), R"({"_d":"green","sides":4})");
  EXPECT_EQ(through("T::Maybe", R"({"text": "a"})"), R"({"_d":true,"text":"a"})");
  unchanged("T::Maybe", R"({"_d":false})");
  unchanged("T::ByChar", R"({"_d":"b","low":7})");
  unchanged("T::ByShort", R"({"_d":-1,"low":7})");
  EXPECT_EQ(through("T::ByShort", R"({"other": "x"})"), R"({"_d":0,"other":"x"})");
  EXPECT_EQ(through("T::Shape", R"({"_d": "red", "sides": 4})"),
            "the discriminator selects the member 'corner' of T::Shape");
  EXPECT_EQ(through("T::Shape", R"({"area": 4})"), "T::Shape has no member 'area'");
  EXPECT_EQ(through("T::Shape", R"({"sides": 4, "corner": {}})"), "T::Shape has one member at a time");
}

TEST_F(JsonValues, HaveAnysWithTheirTypes) {
  unchanged("any", R"({"type":"T::Point","value":{"x":1.0,"y":2.0}})");
  unchanged("any", R"({"type":"sequence<T::Colour, 3>","value":["red"]})");
  unchanged("any", R"({"type":"T::Tree","value":{"name":"a","leaf":{"type":"short","value":3},)"
                   R"("kids":[{"name":"b","leaf":null,"kids":[]}]}})");
  unchanged("any", "null");
  unchanged("any", R"({"type":"CORBA::TypeCode","value":"sequence<string<4>>"})");
  unchanged("any", R"({"type":"fixed<5, 2>","value":"1.25"})");
  unchanged("any", R"({"type":"sequence<fixed<31, 31>>","value":["0.1000000000000000000000000000000"]})");
  unchanged("any", R"({"type":"CORBA::StringValue","value":"a"})");
  unchanged("any", R"({"type":"ValueBase","value":null})");
  EXPECT_EQ(through("any", "5"), R"({"type":"long","value":5})");
  EXPECT_EQ(through("any", "5000000000"), R"({"type":"long long","value":5000000000})");
  EXPECT_EQ(through("any", R"("a")"), R"({"type":"string","value":"a"})");
  EXPECT_EQ(through("any", R"({"type":"short","value":1.5})"),
            "value: expected an integer (short), found 1.5");
  EXPECT_EQ(through("any", R"({"type":"T::Nowhere","value":1})"),
            "type: 'T::Nowhere' is not a type: the IDL does not declare 'T::Nowhere'");
  EXPECT_THAT(through("any", "[1]"), HasSubstr("expected an any"));
}

TEST_F(JsonValues, HaveReferencesAsText) {
  const std::string url = "corbaloc::radio.example:4711/first";
  EXPECT_THAT(through("Object", url), HasSubstr("\"IOR:0"));
  EXPECT_EQ(through("T::Thing", "null"), "null");
  EXPECT_EQ(through("T::Thing", "nil"), "null");
  EXPECT_THAT(through("Object", "nonsense"), HasSubstr("not a reference"));
}

TEST_F(JsonValues, HaveFixedPointNumbers) {
  EXPECT_EQ(through("T::Price", "12.5"), R"("12.50")");
  EXPECT_EQ(through("T::Price", "-0.05"), R"("-0.05")");
  EXPECT_EQ(through("T::Price", "-0"), R"("0.00")");
  EXPECT_EQ(through("T::Price", "999.99"), R"("999.99")");
  EXPECT_THAT(through("T::Price", "1000"), HasSubstr("expected a decimal number that fits (T::Price)"));
  EXPECT_THAT(through("T::Price", "1.234"), HasSubstr("expected a decimal number that fits"));
  EXPECT_THAT(through("T::Price", "x"), HasSubstr("expected a decimal number"));
}

TEST_F(JsonValues, AreLimitedInDepth) {
  std::string deep = "0";
  for (int i = 0; i < 400; ++i) deep = "[" + deep + "]";
  EXPECT_THAT(through("T::Grid", deep), HasSubstr("nested more than 256"));
}

TEST_F(JsonValues, ArePrintedInShortLines) {
  EXPECT_EQ(json_text(Json::parse(R"({"x": 1, "y": [1, 2]})")), R"({"x": 1, "y": [1, 2]})");
  Json many = Json::array();
  for (int i = 0; i < 3; ++i) many.push_back({{"name", std::string(60, 'a')}, {"n", i}});
  EXPECT_THAT(json_text(many), testing::StartsWith("[\n  {\"name\": \"aaa"));
}

TEST_F(JsonValues, HaveTypesThatEqualThoseOfGeneratedCode) {
  const CORBA::typecode_reference made =
      orb->create_struct_tc("IDL:T/Point:1.0", "Point", {{"x", CORBA::_tc_double}, {"y", CORBA::_tc_double}});
  EXPECT_TRUE(type("T::Point")->equal(made));
  EXPECT_EQ(type("T::ByChar")->member_count(), 3u);
  EXPECT_EQ(type("T::Shape")->default_index(), 1);
  EXPECT_EQ(type("T::Tree")->member_type(2)->content_type()->content_type()->id(), "IDL:T/Tree:1.0");
  EXPECT_EQ(type_name(*type("sequence<T::Grid>"), idl->types()), "sequence<T::Grid>");
  EXPECT_EQ(type_name(*type("unsigned  long long[2][3]"), idl->types()), "unsigned long long[2][3]");
}

TEST_F(JsonValues, HaveNoTypesOfOtherText) {
  for (const char* const text :
       {"", "longer", "sequence<long", "sequence", "long[0]", "long]", "string<x>", "fixed", "fixed<3>",
        "fixed<3, 4>", "fixed<0, 0>", "fixed<32, 0>", "fixed<3, 1"})
    EXPECT_FALSE(parse_type_name(text, idl->types())) << text;
  std::string deep = "long";
  for (int i = 0; i < 100; ++i) deep = "sequence<" + deep + ">";
  EXPECT_FALSE(parse_type_name(deep, idl->types()));
}

struct Signatures : JsonValues {
  std::string found(const std::string& interface, const std::string& name, std::size_t arguments = 0) {
    const auto signature = find_signature(*idl, interface, name, arguments);
    return signature ? to_text(*signature, idl->types()) : signature.error().message;
  }
};

TEST_F(Signatures, AreThoseOfTheIdl) {
  EXPECT_EQ(found("T::Thing", "draw"),
            "T::Shape draw(in T::Point at, inout T::Octets data, out T::Colour hue) raises (T::Refused)");
  EXPECT_EQ(found("IDL:T/Thing:1.0", "stop"), "oneway void stop()");
  EXPECT_EQ(found("T::Special", "stop"), "oneway void stop()");
}

TEST_F(Signatures, HaveAccessorsOfAttributes) {
  EXPECT_EQ(found("T::Thing", "level"), "long _get_level()");
  EXPECT_EQ(found("T::Thing", "_get_hue"), "T::Colour _get_hue()");
  EXPECT_EQ(found("T::Thing", "hue", 1), "void _set_hue(in T::Colour hue)");
  EXPECT_EQ(found("T::Thing", "_set_level", 1), "the attribute 'level' is readonly");
}

TEST_F(Signatures, AreFoundByTheOperationAlone) {
  EXPECT_EQ(found("", "rest"), "void rest()");
  EXPECT_EQ(found("", "stop"), "oneway void stop()");
  EXPECT_EQ(found("", "draw"),
            "'draw' is an operation of T::Thing, T::Other: name the interface with --interface");
  EXPECT_EQ(found("", "fly"), "no interface of the IDL has an operation 'fly'");
  EXPECT_EQ(found("T::Thing", "drew"), "T::Thing has no operation 'drew'; did you mean 'draw'?");
  EXPECT_EQ(found("T::Thing", "x"), "T::Thing has no operation 'x'; --list shows its operations");
  EXPECT_EQ(found("", "_is_a", 1), "boolean _is_a(in string logical_type_id)");
}

TEST_F(Signatures, AreListedByInterface) {
  const auto text = list_operations(*idl, "T::Special");
  ASSERT_TRUE(text);
  EXPECT_EQ(*text,
            "T::Special\n"
            "  long _get_level()\n"
            "  T::Colour _get_hue()\n"
            "  void _set_hue(in T::Colour hue)\n"
            "  T::Shape draw(in T::Point at, inout T::Octets data, out T::Colour hue) raises (T::Refused)\n"
            "  oneway void stop()\n"
            "  void shine()\n");
  EXPECT_THAT(*list_operations(*idl, ""), HasSubstr("\n\nT::Other\n  void draw(in long n)\n"));
}

}  // namespace
}  // namespace orbweaver::call
