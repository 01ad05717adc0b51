void serve_files(const IDL::traits<PortableServer::POA>::ref_type& poa,
                 const IDL::traits<CF::FileSystem>::ref_type& cache) {
  // snippet
}
