// main() of a component factory; orbweaver_component_factory() compiles it into the program.
#include <orbweaver/sca/component_process.h>

int main(int argc, char** argv) {
  return orbweaver::sca::run_component_factory(argc, argv, &orbweaver_make_component_factory);
}
