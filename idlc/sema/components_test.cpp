#include <gtest/gtest.h>

#include "idlc/testing/check.h"

namespace orbweaver::idl::testing {
namespace {

const std::string kParts =
    R"(interface Tuner { void tune(in long hz); }; interface Audio { void push(in long s); };
  exception Busy { string why; }; eventtype Alarm { public string text; }; valuetype Key { public long id; };
)";

TEST(IdlComponents, HavePortsAndAttributes) {
  check(kParts + R"(component Ahead; component Radio supports Tuner {
             provides Audio out_; uses Audio speaker; uses multiple Object others; provides Object any_one;
             emits Alarm fire; publishes Alarm broken; consumes Alarm quiet;
             attribute long gain getraises (Busy) setraises (Busy); readonly attribute string name; };
           component Better : Radio { attribute long extra; };
           component Ahead { };
           home Radios supports Audio manages Radio primarykey Key {
             factory make(in long hz) raises (Busy); finder find_it(in Key k); Radio other();
             attribute long count; };
           home BetterRadios : Radios manages Better { };)");
}
TEST(IdlComponents, RequireNamesOfTheRightKind) {
  check(kParts + "component C { provides Alarm a1; };   // expected-error: 'Alarm' is not an interface\n");
  check(kParts + "component C { emits Key k; };         // expected-error: but no eventtype\n");
  check(kParts + "component C { consumes Tuner t1; };   // expected-error: 'Tuner' is not an eventtype\n");
  check(kParts + "component C { port Tuner t1; };       // expected-error: 'Tuner' is not a porttype\n");
  check(kParts + "component C { provides Missing m; };  // expected-error: 'Missing' is not declared\n");
  check(kParts + "component C : Tuner { };              // expected-error: 'Tuner' is not a component\n");
  check(kParts + "component C supports Key { };         // expected-error: 'Key' is not an interface\n");
  check(kParts + "home H manages Tuner { };             // expected-error: 'Tuner' is not a component\n");
  check(kParts +
        "component C { }; home H manages C primarykey Tuner { }; // expected-error: is not a value type\n");
}
TEST(IdlComponents, RejectDuplicateNames) {
  check(kParts + "component C { uses Audio a;\n provides Tuner a; }; // expected-error: already declared\n");
  check(kParts + "component C { };\n component C { }; // expected-error: already declared\n");
  check(kParts +
        "component A { uses Audio a1; }; component B : A {\n attribute long a1; }; // expected-error: "
        "'a1' is inherited\n");
  check(kParts +
        "component A supports Tuner {\n uses Audio Tune; }; // expected-error: 'Tune' is inherited\n");
}
TEST(IdlComponents, RequireDefinedBases) {
  check("component A; component B : A { }; // expected-error: is not defined yet\n component A { };");
  check("component A : A { };             // expected-error: cannot inherit from itself\n");
  check("component A; // expected-warning: never defined\n");
  check(
      "component A { }; component B { }; home HA manages A { };\n"
      "home HB : HA manages B { };        // expected-error: is not derived from 'A'\n");
}
TEST(IdlComponents, RejectForeignElements) {
  check("component C { void f(); };       // expected-error: expected a port or an attribute\n");
  check("home H { };                      // expected-error: expected 'manages'\n");
  check("component A { }; component B { }; component C : A, B { }; // expected-error: one base at most\n");
}
TEST(IdlPorttypes, ExpandToTheirPorts) {
  check(kParts +
        R"(porttype Ahead; porttype Duplex { provides Audio to; uses Audio from; attribute long rate; };
           porttype Ahead { port Duplex both; };
           component C { port Duplex here; mirrorport Duplex there; };
           connector Wire { provides Audio one; uses Audio two; attribute long delay; };
           connector Longer : Wire { port Duplex more; };)");
  check("porttype P { }; // expected-error: holds no port\n");
  check("connector K { }; // expected-warning: holds no port\n");
  check("porttype P { port P again; }; // expected-error: cannot hold itself\n");
  check(kParts + "connector K { emits Alarm e1; }; // expected-error: only a component has event ports\n");
}

}  // namespace
}  // namespace orbweaver::idl::testing
