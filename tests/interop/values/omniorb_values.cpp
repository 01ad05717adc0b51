// interop-omniorb-values [PORT]: serves an exchange of values with omniORB over TCP, prints its IOR and a
// corbaloc, of an object that does not exist, and serves until it is killed. As a client it calls the
// exchange that is passed to `check`. It has no factory for Interop::Unknown.
#include <cstdio>
#include <map>
#include <string>

#include "values.hh"

namespace {

std::string text_of(char* owned) {
  const CORBA::String_var text = owned;
  return text.in();
}

class Node final : public virtual OBV_Interop::Node {
 public:
  Node() = default;
  Node(CORBA::Long n, const char* text) {
    number(n);
    name(text);
    next(nullptr);
  }
  static auto& children_of(Interop::Node& node) { return dynamic_cast<Node&>(node).children(); }
  using OBV_Interop::Node::children;
};
class Base final : public virtual OBV_Interop::Base {};
class Derived final : public virtual OBV_Interop::Derived {};
class Unknown final : public virtual OBV_Interop::Unknown {};
class Tag final : public virtual OBV_Interop::Tag, public virtual CORBA::DefaultValueRefCountBase {
 public:
  char* called() override { return CORBA::string_dup((std::string("tag ") + name()).c_str()); }
};

template <class Made>
class FactoryOf final : public CORBA::ValueFactoryBase {
 public:
  CORBA::ValueBase* create_for_unmarshal() override { return new Made; }
  void* _ptrToFactory(const char*) override { return nullptr; }
};

// The description of Exchange::describe.
void describe(Interop::Node* node, std::map<Interop::Node*, std::size_t>& seen, std::string& out) {
  if (node == nullptr) {
    out += "-";
    return;
  }
  const auto [at, fresh] = seen.insert({node, seen.size()});
  if (!fresh) {
    out += "#" + std::to_string(at->second);
    return;
  }
  out += std::to_string(node->number()) + node->name() + "(";
  describe(node->next(), seen, out);
  auto& children = Node::children_of(*node);
  for (CORBA::ULong i = 0; i < children.length(); ++i) {
    out += ",";
    describe(children[i].in(), seen, out);
  }
  out += ")";
}

class Device final : public POA_Interop::Device {
 public:
  char* called() override { return CORBA::string_dup("device of the server"); }
};

template <class Value>
Value* own(Value* value) {
  CORBA::add_ref(value);
  return value;
}

class Exchange final : public POA_Interop::Exchange {
 public:
  Interop::Node* pass_node(Interop::Node* n) override { return own(n); }
  char* describe(Interop::Node* n, Interop::Node* m) override {
    std::map<Interop::Node*, std::size_t> seen;
    std::string out;
    ::describe(n, seen, out);
    out += "|";
    ::describe(m, seen, out);
    return CORBA::string_dup(out.c_str());
  }
  void swap(Interop::Node*& a, Interop::Node*& b) override { std::swap(a, b); }
  Interop::Base* pass_base(Interop::Base* b) override { return own(b); }
  Interop::Node* last_of(Interop::Base*, Interop::Node* n) override { return own(n); }
  CORBA::ValueBase* pass_value(CORBA::ValueBase* v) override { return own(v); }
  Interop::SampleBox* pass_samples(Interop::SampleBox* a, Interop::SampleBox* b,
                                   CORBA::Boolean& shared) override {
    shared = a == b;
    return own(a);
  }
  CORBA::StringValue* pass_string(CORBA::StringValue* s) override { return own(s); }
  CORBA::WStringValue* pass_wstring(CORBA::WStringValue* s) override { return own(s); }
  Interop::Named_ptr pass_named(Interop::Named_ptr n, CORBA::String_out called) override {
    called = CORBA::is_nil(n) ? CORBA::string_dup("nil") : n->called();
    return Interop::Named::_duplicate(n);
  }
  Interop::Device_ptr make_device() override {
    PortableServer::Servant_var<Device> servant = new Device;
    return servant->_this();
  }
  CORBA::Any* pass_any(const CORBA::Any& a) override { return new CORBA::Any(a); }
  void fail(Interop::Node* n) override { throw Interop::Spent("out", n); }
  char* check(Interop::Exchange_ptr other) override;
};

struct Checks {
  std::string wrong;
  void operator()(bool right, const char* what) {
    if (!right) wrong += std::string(what) + "; ";
  }
};

char* Exchange::check(Interop::Exchange_ptr other) {
  Checks expect;
  Node* const a = new Node(1, "a");
  const Interop::Node_var owner = a;
  Node* const b = new Node(2, "b");
  a->children().length(3);
  a->children()[0] = b;  // takes it over
  a->children()[1] = own(b);
  a->children()[2] = nullptr;
  b->next(a);  // a cycle
  const std::string sent = text_of(describe(a, b));
  expect(text_of(other->describe(a, b)) == sent, "describe");
  const Interop::Node_var back = other->pass_node(a);
  expect(text_of(describe(back, nullptr)) == text_of(describe(a, nullptr)), "pass_node");
  const Interop::Node_var none = other->pass_node(nullptr);
  expect(none.in() == nullptr, "null");

  Derived* const d = new Derived;
  const Interop::Base_var keeps_d = d;
  d->o(1);
  d->d(2.5);
  const Interop::Text_var caption = new Interop::Text("caption");
  d->caption(caption);
  d->p(3);
  d->samples_().length(200);
  for (CORBA::ULong i = 0; i < 200; ++i) d->samples_()[i] = i;
  d->first(b);
  const Interop::Base_var base = other->pass_base(d);
  Interop::Derived* const derived = Interop::Derived::_downcast(base.in());
  expect(derived != nullptr, "pass_base");
  if (derived != nullptr) {
    expect(derived->o() == 1 && derived->d() == 2.5 && derived->p() == 3, "members of Derived");
    expect(derived->samples_().length() == 200 && derived->samples_()[199] == 199, "samples");
    expect(std::string(derived->caption()->_value()) == "caption", "caption");
    expect(text_of(describe(derived->first(), nullptr)) == text_of(describe(b, nullptr)), "first");
  }
  Unknown* const u = new Unknown;
  const Interop::Base_var keeps_u = u;
  u->o(7);
  u->more("more");
  u->last(a);
  u->first(nullptr);
  u->caption(nullptr);
  // The other side truncates it, and finds the node in what it has skipped.
  const Interop::Node_var last = other->last_of(u, a);
  expect(text_of(describe(last, nullptr)) == text_of(describe(a, nullptr)), "last_of");

  const Interop::SampleBox_var box = new Interop::SampleBox;
  CORBA::Boolean shared = false;
  const Interop::SampleBox_var same = other->pass_samples(box, box, shared);
  expect(shared, "sharing of a box");
  const CORBA::StringValue_var word = new CORBA::StringValue("word");
  const CORBA::StringValue_var word_back = other->pass_string(word);
  expect(std::string(word_back->_value()) == "word", "StringValue");

  CORBA::String_var called;
  Tag* const tag = new Tag;
  const Interop::Tag_var keeps_tag = tag;
  tag->name("x");
  Interop::Named_var named = other->pass_named(tag, called.out());
  expect(std::string(called.in()) == "tag x" && text_of(named->called()) == "tag x", "a value as Named");
  const Interop::Device_var device = make_device();
  named = other->pass_named(device, called.out());
  expect(std::string(called.in()) == "device of the server", "an object as Named");
  expect(text_of(named->called()) == "device of the server", "an object as Named, returned");
  const Interop::Device_var theirs = other->make_device();
  expect(text_of(theirs->called()) == "device of Orbweaver", "a device");

  // Not of Node: omniORB 4.2 cannot send its own TypeCode of a recursive value type.
  CORBA::Any any;
  Base* const plain = new Base;
  const Interop::Base_var keeps_plain = plain;
  plain->d(-0.5);
  plain->caption(caption);
  any <<= static_cast<Interop::Base*>(plain);
  const CORBA::Any_var any_back = other->pass_any(any);
  Interop::Base* inside = nullptr;
  expect(any_back.in() >>= inside, "the type of an any");
  if (inside != nullptr)
    expect(inside->d() == -0.5 && std::string(inside->caption()->_value()) == "caption", "an any");
  try {
    other->fail(a);
    expect(false, "no exception");
  } catch (const Interop::Spent& e) {
    expect(text_of(describe(e.where, nullptr)) == text_of(describe(a, nullptr)), "an exception");
  }
  b->next(nullptr);
  return CORBA::string_dup(expect.wrong.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string port = argc > 1 ? argv[1] : "";
    const std::string endpoint = "giop:tcp:127.0.0.1:" + port;
    const char* options[][2] = {{"endPoint", endpoint.c_str()}, {nullptr, nullptr}};
    int none = 0;
    const CORBA::ORB_var orb = CORBA::ORB_init(none, nullptr, "omniORB4", options);
    orb->register_value_factory("IDL:Interop/Node:1.0", new FactoryOf<Node>);
    orb->register_value_factory("IDL:Interop/Base:1.0", new FactoryOf<Base>);
    orb->register_value_factory("IDL:Interop/Derived:1.0", new FactoryOf<Derived>);
    orb->register_value_factory("IDL:Interop/Tag:1.0", new FactoryOf<Tag>);
    const CORBA::Object_var root = orb->resolve_initial_references("RootPOA");
    const PortableServer::POA_var poa = PortableServer::POA::_narrow(root);
    const PortableServer::POAManager_var manager = poa->the_POAManager();
    manager->activate();
    PortableServer::Servant_var<Exchange> servant = new Exchange;
    const Interop::Exchange_var exchange = servant->_this();
    const CORBA::String_var ior = orb->object_to_string(exchange);
    std::printf("%s\n", ior.in());
    if (!port.empty()) std::printf("corbaloc::127.0.0.1:%s/none\n", port.c_str());
    std::fflush(stdout);
    orb->run();
  } catch (const CORBA::Exception& problem) {
    std::fprintf(stderr, "interop-omniorb-values: %s\n", problem._name());
    return 1;
  }
}
