// main() of a device of a program's own class; orbweaver_device() compiles it into the program.
#include <orbweaver/sca/device.h>

int main(int argc, char** argv) { return orbweaver::sca::run_device(argc, argv, &orbweaver_make_device); }
