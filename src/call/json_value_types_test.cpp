// Values of value types in JSON, and in calls of `orbweaver call`.
#include <gmock/gmock.h>
#include <orbweaver/dynamic_servant.h>
#include <orbweaver/orb.h>

#include <fstream>

#include "base/temporary_folder.h"
#include "call/call_command.h"
#include "call/signatures.h"
#include "call/text_to_value.h"
#include "call/type_names.h"
#include "call/value_to_json.h"

namespace orbweaver::call {
namespace {

using testing::HasSubstr;

constexpr const char* kValuesIdl = R"(
  module V {
    valuetype LongBox long;
    valuetype Text string;
    struct Point { double x; double y; };
    valuetype PointBox Point;
    typedef ValueBase Anything;
    valuetype Node { public long number; private Node next; public sequence<Node> kids; };
    valuetype Base { public octet o; public Text caption; };
    valuetype Derived : truncatable Base { public double d; };
    valuetype Sealed : Base { public any held; };
    abstract valuetype Shape {};
    valuetype Circle : Shape { public double radius; };
    abstract interface Named {};
    valuetype Label supports Named { public string text; };
    custom valuetype Packed { public long n; };
    struct Pair { Node left; Node right; };
    interface Echo { Base pass(in Base b); };
  };
)";

struct JsonValueTypes : testing::Test {
  JsonValueTypes() {
    const std::string path = (folder.path() / "v.idl").string();
    std::ofstream(path) << kValuesIdl;
    auto compiled = Idl::compile({{path}, {}, {}});
    EXPECT_TRUE(compiled) << (compiled ? "" : compiled.error().message);
    if (compiled) idl = *compiled;
    int argc = 3;
    char words[3][20] = {"test", "-ORBListen", "inproc,tcp"};
    char* argv[] = {words[0], words[1], words[2], nullptr};
    orb = CORBA::ORB_init(argc, argv, "value types");
  }
  ~JsonValueTypes() override { orb->destroy(); }

  Result<CORBA::Any> value(const std::string& type, const std::string& json) {
    const auto found = parse_type_name(type, idl->types());
    EXPECT_TRUE(found) << type;
    return text_to_value(json, **found, {idl->types(), orb});
  }
  std::string json_of(const CORBA::Any& any) {
    const auto json = value_to_json(any, idl->types(), OctetsAs::base64);
    return json ? json_line(*json) : json.error().message;
  }
  /// The value of a text, copied as by a receiver, and back: its JSON in one line, or the message.
  std::string through(const std::string& type, const std::string& json) {
    const auto made = value(type, json);
    if (!made) return made.error().message;
    std::vector<std::uint8_t> bytes;
    cdr::Encoder out(bytes);
    out.take(4);
    cdr::encode(out, *made);
    out.finish();
    cdr::Decoder in(bytes.data(), bytes.size(), false);
    in.skip(4);
    CORBA::Any received;
    cdr::decode(in, received);
    EXPECT_TRUE(in.ok()) << cdr::describe(in.fault());
    EXPECT_EQ(json_of(received), json_of(*made));
    return json_of(*made);
  }
  void unchanged(const std::string& type, const std::string& json) {
    EXPECT_EQ(through(type, json), json) << type;
  }

  TemporaryFolder folder{"orbweaver-json-value-types"};
  std::shared_ptr<const Idl> idl;
  IDL::traits<CORBA::ORB>::ref_type orb;
};

TEST_F(JsonValueTypes, HaveTheMembersOfTheirBasesFirst) {
  unchanged("V::Node", R"({"number":1,"next":{"number":2,"next":null,"kids":[]},"kids":[null]})");
  unchanged("V::Derived", R"({"o":1,"caption":"text","d":2.5})");
  unchanged("V::Node", "null");
  EXPECT_EQ(through("V::Derived", R"({"d": 2.5, "caption": null, "o": 1})"),
            R"({"o":1,"caption":null,"d":2.5})");
}

TEST_F(JsonValueTypes, BoxesAreWhatTheyContain) {
  unchanged("V::LongBox", "5");
  unchanged("V::LongBox", "null");
  unchanged("V::PointBox", R"({"x":1.0,"y":2.0})");
  EXPECT_EQ(through("V::Text", R"("text")"), R"("text")");
  EXPECT_EQ(through("V::Text", "text"), R"("text")");
  unchanged("V::Text", "null");
}

TEST_F(JsonValueTypes, NameADerivedType) {
  unchanged("V::Base", R"({"o":1,"caption":null})");
  unchanged("V::Base", R"({"_type":"V::Derived","o":1,"caption":null,"d":2.5})");
  unchanged("sequence<V::Base>",
            R"([{"_type":"V::Sealed","o":1,"caption":"c","held":{"type":"long","value":4}}])");
  unchanged("V::Shape", R"({"_type":"V::Circle","radius":1.5})");
  unchanged("V::Anything", R"({"_type":"V::LongBox","_value":5})");
  unchanged("V::Named", R"({"_type":"V::Label","text":"t"})");
  unchanged("V::Named", "null");
  EXPECT_EQ(through("V::Base", R"({"_type": "V::Base", "o": 1, "caption": null})"),
            R"({"o":1,"caption":null})");
}

TEST_F(JsonValueTypes, ReferToValuesThatWereShownBefore) {
  unchanged("V::Pair", R"({"left":{"number":1,"next":null,"kids":[]},"right":{"_ref":"left"}})");
  unchanged("V::Node", R"({"number":1,"next":{"_ref":"."},"kids":[{"_ref":"."}]})");
  unchanged("V::Node",
            R"({"number":1,"next":null,"kids":[{"number":2,"next":null,"kids":[]},{"_ref":"kids[0]"}]})");
  unchanged("any", R"({"type":"V::Pair","value":{"left":{"number":1,"next":null,"kids":[]},)"
                   R"("right":{"_ref":"value.left"}}})");
}

TEST_F(JsonValueTypes, NameTheMistake) {
  EXPECT_EQ(through("V::Node", R"({"number": 1, "kids": []})"), "the member 'next' of V::Node is missing");
  EXPECT_EQ(through("V::Pair", R"({"left": {"number": 1, "next": 5, "kids": []}, "right": null})"),
            "left.next: expected an object (V::Node), found 5");
  EXPECT_EQ(through("V::Base", R"({"o": 1, "caption": null, "e": 2})"), "V::Base has no member 'e'");
  EXPECT_EQ(through("V::Base", R"({"_type": "V::Node", "number": 1, "next": null, "kids": []})"),
            "_type: V::Node is no value type derived from V::Base");
  EXPECT_EQ(through("V::Base", R"({"_type": "long"})"), "_type: long is no value type derived from V::Base");
  EXPECT_THAT(through("V::Base", R"({"_type": "V::None"})"), HasSubstr("_type: "));
  EXPECT_THAT(through("V::Shape", R"({"radius": 1.5})"), HasSubstr("V::Shape has no values of its own"));
  EXPECT_THAT(through("V::Packed", R"({"n": 1})"), HasSubstr("marshalled by their program"));
  EXPECT_EQ(through("V::Pair", R"({"left": {"_ref": "right"}, "right": null})"),
            "left: expected the path of an earlier value as \"_ref\", found the string 'right'");
  EXPECT_THAT(through("V::Anything", R"({"_type": "V::LongBox"})"), HasSubstr("\"_value\""));
}

/// Returns its argument.
class EchoServant final : public PortableServer::DynamicImplementation {
 public:
  explicit EchoServant(CORBA::typecode_reference type) : type_(std::move(type)) {}
  void invoke(const IDL::traits<CORBA::ServerRequest>::ref_type& request) override {
    auto arguments = CORBA::make_reference<CORBA::NVList>();
    arguments->add_item("b", CORBA::ARG_IN)->type(type_);
    request->arguments(arguments);
    request->set_result(arguments->item(0)->value());
  }
  std::string _primary_interface(const PortableServer::ObjectId&,
                                 const IDL::traits<PortableServer::POA>::ref_type&) override {
    return "IDL:V/Echo:1.0";
  }

 private:
  const CORBA::typecode_reference type_;
};

TEST_F(JsonValueTypes, ArePassedInCalls) {
  const auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  const auto servant = CORBA::make_reference<EchoServant>(idl->types().find("V::Base"));
  CallOptions options;
  options.target.reference = orb->object_to_string(poa->servant_to_reference(servant));
  options.idl.files = {(folder.path() / "v.idl").string()};
  options.operation = "pass";
  options.arguments = {R"({"_type": "V::Derived", "o": 1, "caption": "c", "d": 2.5})"};
  const CommandOutput output = call_operation(options);
  EXPECT_EQ(output.error, "");
  EXPECT_EQ(output.text, "{\"_type\": \"V::Derived\", \"o\": 1, \"caption\": \"c\", \"d\": 2.5}\n");
}

}  // namespace
}  // namespace orbweaver::call
