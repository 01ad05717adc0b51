// interop-omniorb-caller REFERENCE OPERATION: an omniORB client of a workshop, which tests stop or kill.
// Prints a line for each event.
//   name         one call; prints its result
//   notes        one call; prints the number of characters of its result
//   note NUMBER  sends "note 0", "note 1", …; prints "sent", and waits until it is killed
//   twice        calls name; prints its result; waits for SIGUSR1; calls name again
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "interop.hh"

namespace {

void print(const std::string& line) {
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

void call_name(Interop::Workshop_ptr workshop) {
  const CORBA::String_var name = workshop->name();
  print(name.in());
}

int call(Interop::Workshop_ptr workshop, const std::string& operation, int number, const sigset_t& go_on) {
  if (operation == "name") {
    call_name(workshop);
  } else if (operation == "notes") {
    Interop::Names_var notes = workshop->notes();
    std::size_t characters = 0;
    for (CORBA::ULong i = 0; i < notes->length(); ++i) characters += std::strlen(notes[i]);
    print(std::to_string(characters));
  } else if (operation == "note") {
    for (int i = 0; i < number; ++i) workshop->note(("note " + std::to_string(i)).c_str());
    print("sent");
    for (;;) pause();
  } else if (operation == "twice") {
    call_name(workshop);
    int received = 0;
    sigwait(&go_on, &received);
    call_name(workshop);
  } else {
    return 2;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  sigset_t go_on;
  sigemptyset(&go_on);
  sigaddset(&go_on, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &go_on, nullptr);  // before any other thread: they inherit the mask
  try {
    const char* options[][2] = {{"giopMaxMsgSize", "67108864"}, {nullptr, nullptr}};
    int none = 0;
    const CORBA::ORB_var orb = CORBA::ORB_init(none, nullptr, "omniORB4", options);
    const CORBA::Object_var object = orb->string_to_object(argv[1]);
    const Interop::Workshop_var workshop = Interop::Workshop::_unchecked_narrow(object);
    return call(workshop, argv[2], argc > 3 ? std::atoi(argv[3]) : 0, go_on);
  } catch (const CORBA::Exception& problem) {
    std::fprintf(stderr, "interop-omniorb-caller: %s\n", problem._name());
    return 1;
  }
}
