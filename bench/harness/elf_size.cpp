#include "elf_size.h"

#include <elf.h>

#include <cstring>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace orbweaver::bench {
namespace {

/// Reads `count` headers at `offset`. Throws std::runtime_error.
template <class Header>
std::vector<Header> headers(std::ifstream& in, const std::string& file, std::uint64_t offset,
                            std::size_t count) {
  std::vector<Header> all(count);
  in.seekg(static_cast<std::streamoff>(offset));
  if (!in.read(reinterpret_cast<char*>(all.data()), static_cast<std::streamsize>(count * sizeof(Header))))
    throw std::runtime_error(file + " is truncated");
  return all;
}

}  // namespace

std::uint64_t loaded_bytes(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file);
  const auto elf = headers<Elf64_Ehdr>(in, file, 0, 1).front();
  if (std::memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 || elf.e_ident[EI_CLASS] != ELFCLASS64)
    throw std::runtime_error(file + " is no ELF file of 64 bits");
  std::uint64_t bytes = 0;
  if (elf.e_type == ET_REL) {
    for (const auto& section : headers<Elf64_Shdr>(in, file, elf.e_shoff, elf.e_shnum))
      if ((section.sh_flags & SHF_ALLOC) != 0 && section.sh_type != SHT_NOBITS) bytes += section.sh_size;
  } else {
    for (const auto& segment : headers<Elf64_Phdr>(in, file, elf.e_phoff, elf.e_phnum))
      if (segment.p_type == PT_LOAD) bytes += segment.p_filesz;
  }
  return bytes;
}

}  // namespace orbweaver::bench
