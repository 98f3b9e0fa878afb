// SPDX-License-Identifier: MIT
#pragma once

#include <elf.h>

#include <string>
#include <vector>

#include "device_code/bytes.hpp"

namespace ckdispatch::device_code {

struct ElfSection {
    Elf64_Shdr header{};
    std::string name;
};

struct ElfSymbol {
    std::string name;
    Elf64_Sym symbol{};

    unsigned type() const { return ELF64_ST_TYPE(symbol.st_info); }
    bool defined() const { return symbol.st_shndx != SHN_UNDEF; }
};

/// The tables of a 64-bit little-endian ELF file, all of them inside the bytes. Throws std::runtime_error otherwise.
class ElfFile {
public:
    explicit ElfFile(Bytes file);

    static bool is_elf(Bytes file) {
        return file.begins_with(
            "\x7f"
            "ELF");
    }

    const Elf64_Ehdr& header() const { return header_; }
    const std::vector<Elf64_Phdr>& segments() const { return segments_; }
    const std::vector<ElfSection>& sections() const { return sections_; }
    /// The file without what lies behind it.
    Bytes bytes() const { return {file_.data, size_}; }
    Bytes content(const ElfSection& section) const;
    /// The symbols of the section of that type (SHT_DYNSYM, …); empty if there is none.
    std::vector<ElfSymbol> symbols(std::uint32_t section_type) const;
    /// The string at an offset of the string table that is section `table`.
    std::string text(std::uint32_t table, std::uint64_t offset) const;

private:
    void count_name(const std::string& name, std::uint64_t& all) const;

    Bytes file_;
    std::uint64_t size_ = 0;
    Elf64_Ehdr header_{};
    std::vector<Elf64_Phdr> segments_;
    std::vector<ElfSection> sections_;
};

}  // namespace ckdispatch::device_code
