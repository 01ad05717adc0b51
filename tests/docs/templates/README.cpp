// part
void server(int argc, char* argv[]) {
  // snippet
}

// part
void client(int argc, char* argv[]) {
  // snippet
}
