// SPDX-License-Identifier: MIT
#include "device_code/elf.hpp"

#include <algorithm>

namespace ckdispatch::device_code {

ElfFile::ElfFile(Bytes file) : file_(file) {
    if (!is_elf(file)) throw std::runtime_error("it is no ELF file");
    header_ = file.read<Elf64_Ehdr>(0, "header");
    if (header_.e_ident[EI_CLASS] != ELFCLASS64 || header_.e_ident[EI_DATA] != ELFDATA2LSB ||
        header_.e_ident[EI_VERSION] != EV_CURRENT)
        throw std::runtime_error("it is no 64-bit little-endian ELF file");
    if (header_.e_phnum && header_.e_phentsize != sizeof(Elf64_Phdr))
        throw std::runtime_error("its program headers have an unknown size");
    if (header_.e_shnum && header_.e_shentsize != sizeof(Elf64_Shdr))
        throw std::runtime_error("its section headers have an unknown size");

    const Bytes programs =
        file.part(header_.e_phoff, std::uint64_t(header_.e_phnum) * sizeof(Elf64_Phdr), "program headers");
    const Bytes table =
        file.part(header_.e_shoff, std::uint64_t(header_.e_shnum) * sizeof(Elf64_Shdr), "section headers");
    size_ =
        std::max({std::uint64_t(sizeof(Elf64_Ehdr)), header_.e_phoff + programs.size, header_.e_shoff + table.size});
    for (std::uint64_t i = 0; i < header_.e_phnum; ++i) {
        segments_.push_back(programs.read<Elf64_Phdr>(i * sizeof(Elf64_Phdr), "program headers"));
        const Elf64_Phdr& segment = segments_.back();
        file.part(segment.p_offset, segment.p_filesz, "segments");
        size_ = std::max(size_, segment.p_offset + segment.p_filesz);
    }
    for (std::uint64_t i = 0; i < header_.e_shnum; ++i) {
        ElfSection section;
        section.header = table.read<Elf64_Shdr>(i * sizeof(Elf64_Shdr), "section headers");
        if (section.header.sh_type != SHT_NOBITS && section.header.sh_type != SHT_NULL) {
            content(section);
            size_ = std::max(size_, section.header.sh_offset + section.header.sh_size);
        }
        sections_.push_back(section);
    }
    std::uint64_t names = 0;
    for (ElfSection& section : sections_) {
        if (header_.e_shstrndx) section.name = text(header_.e_shstrndx, section.header.sh_name);
        count_name(section.name, names);
    }
}

Bytes ElfFile::content(const ElfSection& section) const {
    return file_.part(section.header.sh_offset, section.header.sh_size, "sections");
}

// Every name is a copy, and any number of them may be the same long string of the file.
void ElfFile::count_name(const std::string& name, std::uint64_t& all) const {
    all += name.size();
    if (all / limits::kNamesPerByte > file_.size)
        throw std::runtime_error("its names overlap so much that they are longer than itself");
}

std::vector<ElfSymbol> ElfFile::symbols(std::uint32_t section_type) const {
    std::vector<ElfSymbol> found;
    std::uint64_t names = 0;
    for (const ElfSection& section : sections_) {
        if (section.header.sh_type != section_type) continue;
        const Bytes table = content(section);
        for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.size; at += sizeof(Elf64_Sym)) {
            ElfSymbol entry;
            entry.symbol = table.read<Elf64_Sym>(at, "symbols");
            entry.name = text(section.header.sh_link, entry.symbol.st_name);
            count_name(entry.name, names);
            found.push_back(std::move(entry));
        }
        break;
    }
    return found;
}

std::string ElfFile::text(std::uint32_t table, std::uint64_t offset) const {
    if (table >= sections_.size() || sections_[table].header.sh_type != SHT_STRTAB)
        throw std::runtime_error("it names a string table that is none");
    const Bytes strings = content(sections_[table]);
    const Bytes rest =
        strings.part(std::min(offset, strings.size), strings.size - std::min(offset, strings.size), "strings");
    const void* end = rest.size ? std::memchr(rest.data, 0, rest.size) : nullptr;
    if (!end) throw std::runtime_error("it names a string that its table does not hold");
    return {rest.data, static_cast<const std::uint8_t*>(end)};
}

}  // namespace ckdispatch::device_code
