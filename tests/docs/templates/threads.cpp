// part
#include "snippetsC.h"

void private_connection(const IDL::traits<Test::Hello>::ref_type& hello) {
  // snippet
}

// part
void event_loop(const IDL::traits<CORBA::ORB>::ref_type& orb, int my_own) {
  // snippet
}

// part
#include <poll.h>

void many_channels(orbweaver::transport::Channel& channel) {
  using orbweaver::Deadline;
  const auto poll = [](int fd) {
    pollfd item{fd, POLLIN, 0};
    ::poll(&item, 1, -1);
  };
  // snippet
}
