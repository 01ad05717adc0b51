// interop-omniorb-ledger [PORT]: serves a ledger with omniORB over TCP, prints its IOR and a corbaloc, of an
// object that does not exist, and serves until it is killed. As a client it calls the ledger that is passed
// to `check`.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "ledger.hh"

namespace {

std::string text_of(char* owned) {
  const CORBA::String_var text = owned;
  return text.in();
}
std::string text_of(const CORBA::Fixed& number) { return text_of(number.NP_asString()); }

// A fixed-point number of omniORB 4.2 that is made by copying another one cannot be sent, while assignment to
// one keeps its type: structs are assigned here, and given to anys without a copy.
Interop::Amounts* copy_of(const Interop::Amounts& data) {
  auto* const out = new Interop::Amounts;
  *out = data;
  return out;
}

void fill(Interop::Amounts& out) {
  out.before = 0xfe;
  out.cost = CORBA::Fixed("-1234567.89");
  out.small_one = CORBA::Fixed("0.1234567890123456789012345678901");
  out.large_one = CORBA::Fixed("-9999999999999999999999999999999");
  out.even_digits = CORBA::Fixed("123.456");
  out.one_digit = CORBA::Fixed("7");
  out.list.length(2);
  out.list[0] = CORBA::Fixed("0.01");
  out.list[1] = CORBA::Fixed("0");
  out.pair[0] = CORBA::Fixed("-0.001");
  out.pair[1] = CORBA::Fixed("999.999");
  out.after = -5;
}

std::string text_of(const Interop::Amounts& all) {
  std::string out = std::to_string(all.before);
  for (const CORBA::Fixed& each :
       {CORBA::Fixed(all.cost), CORBA::Fixed(all.small_one), CORBA::Fixed(all.large_one),
        CORBA::Fixed(all.even_digits), CORBA::Fixed(all.one_digit), CORBA::Fixed(all.pair[0]),
        CORBA::Fixed(all.pair[1])})
    out += " " + text_of(each);
  for (CORBA::ULong i = 0; i < all.list.length(); ++i) out += " " + text_of(all.list[i]);
  return out + " " + std::to_string(all.after);
}

CORBA::Context_ptr context_of_user() {
  CORBA::Context_var root, child;
  CORBA::ORB_var orb = CORBA::ORB::_nil();
  int none = 0;
  orb = CORBA::ORB_init(none, nullptr);
  orb->get_default_context(root.out());
  root->create_child("session", child.out());
  for (const auto& [name, value] :
       {std::pair{"user", "ann"}, std::pair{"sys.host", "b"}, std::pair{"secret", "x"}}) {
    CORBA::Any any;
    any <<= value;
    child->set_one_value(name, any);
  }
  return child._retn();
}

class Ledger final : public POA_Interop::Ledger {
 public:
  Interop::Amounts* echo(const Interop::Amounts& data) override { return copy_of(data); }
  Interop::Price add(const Interop::Price& a, Interop::Price& b, Interop::Price& twice) override {
    const CORBA::Fixed sum = CORBA::Fixed(a) + CORBA::Fixed(b);
    b = CORBA::Fixed(a) - CORBA::Fixed(b);
    twice = sum * CORBA::Fixed(2);
    return Interop::Price(sum);
  }
  CORBA::Any* remake(const CORBA::Any& data) override {
    CORBA::Any_var result = new CORBA::Any;
    const Interop::Amounts* all = nullptr;
    CORBA::Fixed price;
    if (data >>= all)
      result.inout() <<= copy_of(*all);
    else if (data >>= CORBA::Any::to_fixed(price, 9, 2))
      result.inout() <<= CORBA::Any::from_fixed(price, 9, 2);
    return result._retn();
  }
  char* who(const char* prefix, CORBA::Context_ptr context) override {
    std::string out = prefix;
    for (const char* pattern : {"secret", "sys.*", "user"}) {
      CORBA::NVList_var values;
      try {
        context->get_values("", 0, pattern, values.out());
      } catch (const CORBA::BAD_CONTEXT&) {
        continue;
      }
      if (CORBA::is_nil(values)) continue;
      std::vector<std::string> found;
      for (CORBA::ULong i = 0; i < values->count(); ++i) {
        const CORBA::NamedValue_ptr each = values->item(i);
        const char* value = nullptr;
        *each->value() >>= value;
        found.push_back(std::string(" ") + each->name() + "=" + value);
      }
      std::sort(found.begin(), found.end());
      for (const std::string& each : found) out += each;
    }
    return CORBA::string_dup(out.c_str());
  }

  char* check(Interop::Ledger_ptr other) override {
    std::string wrong;
    const auto expect = [&](const std::string& found, const std::string& expected) {
      if (found != expected) wrong += "found " + found + " instead of " + expected + "\n";
    };
    try {
      Interop::Amounts mine;
      fill(mine);
      const Interop::Amounts_var echoed = other->echo(mine);
      expect(text_of(echoed.in()), text_of(mine));
      Interop::Price b(CORBA::Fixed("-0.75")), twice;
      expect(text_of(other->add(Interop::Price(CORBA::Fixed("10.50")), b, twice)), "9.75");
      expect(text_of(b) + " " + text_of(twice), "11.25 19.5");  // omniORB prints no zeros at the end
      CORBA::Any any;
      any <<= copy_of(mine);
      const CORBA::Any_var remade = other->remake(any);
      const Interop::Amounts* in_any = nullptr;
      expect((remade.in() >>= in_any) ? text_of(*in_any) : "another type", text_of(mine));
      any <<= CORBA::Any::from_fixed(mine.cost, 9, 2);
      const CORBA::Any_var price = other->remake(any);
      CORBA::Fixed found;
      expect((price.in() >>= CORBA::Any::to_fixed(found, 9, 2)) ? text_of(found) : "another type",
             text_of(mine.cost));
      const CORBA::Context_var context = context_of_user();
      expect(text_of(other->who("p", context)), "p sys.host=b user=ann");
    } catch (const CORBA::Exception& problem) {
      wrong += std::string("raised ") + problem._name() + "\n";
    }
    return CORBA::string_dup(wrong.c_str());
  }
};

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string endpoint = std::string("giop:tcp:127.0.0.1:") + (argc > 1 ? argv[1] : "");
    const char* options[][2] = {{"endPoint", endpoint.c_str()}, {nullptr, nullptr}};
    int none = 0;
    const CORBA::ORB_var orb = CORBA::ORB_init(none, nullptr, "omniORB4", options);
    const CORBA::Object_var root = orb->resolve_initial_references("RootPOA");
    const PortableServer::POA_var poa = PortableServer::POA::_narrow(root);
    const PortableServer::POAManager_var manager = poa->the_POAManager();
    manager->activate();
    PortableServer::Servant_var<Ledger> servant = new Ledger;
    const Interop::Ledger_var ledger = servant->_this();
    std::printf("%s\ncorbaloc::127.0.0.1/none\n", text_of(orb->object_to_string(ledger)).c_str());
    std::fflush(stdout);
    orb->run();
  } catch (const CORBA::Exception& problem) {
    std::fprintf(stderr, "interop-omniorb-ledger: %s\n", problem._name());
    return 1;
  }
}
