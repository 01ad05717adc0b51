// Calls the Test::Hello whose reference is its argument: hello-client IOR:… [name]
#include <iostream>
#include <vector>

#include <orbweaver/orb.h>

#include "helloC.h"

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  if (argc < 2) {
    std::cerr << "usage: hello-client REFERENCE [NAME]\n";
    return 2;
  }
  auto hello = IDL::traits<Test::Hello>::narrow(orb->string_to_object(argv[1]));
  if (!hello) {
    std::cerr << "hello-client: the object is not a Test::Hello\n";
    return 1;
  }
  std::cout << hello->greet(argc > 2 ? argv[2] : "world") << '\n';
  const std::vector<float> samples(1024, 0.5F);
  std::cout << "energy " << hello->energy(samples) << '\n';
  try {
    hello->greet("");
  } catch (const Test::Refused& e) {
    std::cout << "refused: " << e.why() << '\n';
  }
  hello->stop();
  orb->destroy();
} catch (const CORBA::Exception& e) {
  std::cerr << "hello-client: " << e << '\n';
  return 1;
}
