// SPDX-License-Identifier: MIT
// A linked code object, loaded and decoded.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device_code/elf.hpp"
#include "gfxsim/core/memory.hpp"
#include "gfxsim/core/program.hpp"
#include "gfxsim/loader/bytes.hpp"
#include "gfxsim/loader/region.hpp"

namespace gfxsim {

using ckdispatch::device_code::ElfFile;
using ckdispatch::device_code::ElfSection;
using ckdispatch::device_code::ElfSymbol;

/// A variable of a code object, in the memory of this process.
struct Variable {
    std::string name;
    u64 address = 0;
    u64 size = 0;
};

/// Its segments are part of a memory map while it lives: kernels can read all of them and write those that are data.
class CodeObject {
public:
    /// Throws std::runtime_error with a sentence if the image is damaged or not for the GPU. `memory` outlives the
    /// object.
    static std::unique_ptr<CodeObject> load(const Image& image, const Gpu& gpu, MemoryMap& memory);
    ~CodeObject();
    CodeObject(const CodeObject&) = delete;
    CodeObject& operator=(const CodeObject&) = delete;

    /// nullptr if there is none of that name.
    const Kernel* kernel(const std::string& name) const;
    const Variable* variable(const std::string& name) const;

    const std::map<std::string, Kernel>& kernels() const { return kernels_; }
    const std::map<std::string, Variable>& variables() const { return variables_; }
    /// All code of all functions; offsets of its instructions count from `code_begin()` in the ELF file's addresses.
    const Program& program() const { return *program_; }
    u64 code_begin() const { return code_begin_; }
    /// Where functions begin, from an offset into the code.
    const std::map<u64, std::string>& functions() const { return functions_; }

private:
    CodeObject(MemoryMap& memory) : memory_(memory) {}
    void map_segments(const ElfFile& elf);
    void relocate(const ElfFile& elf);
    void decode_code(const ElfFile& elf, const Gpu& gpu, const std::string& file);
    void find_variables(const ElfFile& elf);
    void find_kernels(const ElfFile& elf, const Gpu& gpu);
    void describe(Kernel& kernel, u64 descriptor, const Gpu& gpu) const;
    void publish(const ElfFile& elf);
    /// Where an address of the ELF file lies in memory; throws if `bytes` from it on are not all in the object.
    u8* at(u64 address, u64 bytes, const char* what) const;

    MemoryMap& memory_;
    Region region_;
    std::vector<u64> mapped_;
    u64 code_begin_ = 0;
    std::unique_ptr<Program> program_;
    std::map<std::string, Kernel> kernels_;
    std::map<std::string, Variable> variables_;
    std::map<u64, std::string> functions_;
};

}  // namespace gfxsim
