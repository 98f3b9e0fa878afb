// SPDX-License-Identifier: MIT
#include "gfxsim/loader/code_object.hpp"

#include <algorithm>
#include <new>

#include "gfxsim/decode/decoder.hpp"
#include "gfxsim/loader/comgr.hpp"
#include "gfxsim/loader/metadata.hpp"
#include "gfxsim/loader/target.hpp"

namespace gfxsim {
namespace {

constexpr u16 kMostPreloaded = 32;
// Scalar loads are widened to whole aligned groups of registers and may read this far behind the last constant.
constexpr u64 kWidestLoad = 64;

enum Relocation : u32 {
    kNone = 0,
    kAbs32Lo = 1,
    kAbs32Hi = 2,
    kAbs64 = 3,
    kRel32 = 4,
    kRel64 = 5,
    kAbs32 = 6,
    kRelative64 = 13
};

// What the hardware reads to start a kernel.
struct Descriptor {
    u32 group_segment_bytes;
    u32 private_segment_bytes;
    u32 kernarg_bytes;
    u32 reserved0;
    i64 entry_offset;
    u8 reserved1[20];
    u32 rsrc3;
    u32 rsrc1;
    u32 rsrc2;
    u16 properties;
    u16 kernarg_preload;
    u32 reserved2;
};
static_assert(sizeof(Descriptor) == 64, "a kernel descriptor has 64 bytes");
constexpr u16 kWave32Property = 1 << 10;
constexpr u16 kDynamicStackProperty = 1 << 11;

void check_target(const ElfFile& elf, const Gpu& gpu) {
    if (elf.header().e_machine != EM_AMDGPU) throw std::runtime_error("it is an ELF file, but not one for an AMD GPU");
    if (elf.header().e_type != ET_DYN) throw std::runtime_error("it is a code object that has not been linked");
    const std::string isa = comgr::isa_name(elf.bytes());
    if (isa.empty()) throw std::runtime_error("it is for a GPU that the code object manager does not know");
    const Target target = parse_target(isa);
    if (!runs_on(target, gpu))
        throw std::runtime_error("it is code for " + isa.substr(isa.rfind("--") + 2) + ", not for " + target_id(gpu));
}

template <class T>
void store(u8* place, T value) {
    std::memcpy(place, &value, sizeof(T));
}

}  // namespace

std::unique_ptr<CodeObject> CodeObject::load(const Image& image, const Gpu& gpu, MemoryMap& memory) {
    try {
        const ElfFile elf(image.bytes);
        check_target(elf, gpu);
        std::unique_ptr<CodeObject> object(new CodeObject(memory));
        object->map_segments(elf);
        object->relocate(elf);
        object->find_variables(elf);
        object->decode_code(elf, gpu, image.file);
        object->find_kernels(elf, gpu);
        object->publish(elf);
        return object;
    } catch (const std::runtime_error& error) {
        throw std::runtime_error(image.file + ": the code object cannot be loaded: " + error.what() + ".");
    }
}

CodeObject::~CodeObject() {
    for (u64 begin : mapped_) memory_.remove(begin);
}

const Kernel* CodeObject::kernel(const std::string& name) const {
    const auto found = kernels_.find(name);
    return found == kernels_.end() ? nullptr : &found->second;
}

const Variable* CodeObject::variable(const std::string& name) const {
    const auto found = variables_.find(name);
    return found == variables_.end() ? nullptr : &found->second;
}

u8* CodeObject::at(u64 address, u64 bytes, const char* what) const {
    if (address > region_.size() || bytes > region_.size() - address)
        throw std::runtime_error(std::string("it has a ") + what + " outside its segments");
    return region_.data() + address;
}

void CodeObject::map_segments(const ElfFile& elf) {
    u64 end = 0, copied = 0;
    for (const Elf64_Phdr& segment : elf.segments()) {
        if (segment.p_type != PT_LOAD) continue;
        if (segment.p_vaddr > limits::kSegments || segment.p_memsz > limits::kSegments - segment.p_vaddr ||
            segment.p_filesz > segment.p_memsz)
            throw std::runtime_error("it has a segment of an impossible size");
        end = std::max(end, segment.p_vaddr + segment.p_memsz);
        copied += segment.p_filesz;
    }
    if (end == 0) throw std::runtime_error("it has nothing to load");
    if (copied > elf.bytes().size) throw std::runtime_error("its segments overlap in the file");
    region_ = Region(end + kWidestLoad, Region::Fill::zero);
    for (const Elf64_Phdr& segment : elf.segments()) {
        if (segment.p_type != PT_LOAD) continue;
        std::memcpy(region_.data() + segment.p_vaddr, elf.bytes().data + segment.p_offset, segment.p_filesz);
    }
}

void CodeObject::relocate(const ElfFile& elf) {
    const std::vector<ElfSymbol> symbols = elf.symbols(SHT_DYNSYM);
    for (const ElfSection& section : elf.sections()) {
        if (section.header.sh_type != SHT_RELA || !(section.header.sh_flags & SHF_ALLOC)) continue;
        const Bytes table = elf.content(section);
        for (u64 offset = 0; offset + sizeof(Elf64_Rela) <= table.size; offset += sizeof(Elf64_Rela)) {
            const auto entry = table.read<Elf64_Rela>(offset, "relocations");
            const u64 index = ELF64_R_SYM(entry.r_info), type = ELF64_R_TYPE(entry.r_info);
            u64 value = region_.address() + u64(entry.r_addend);
            if (index) {
                if (index >= symbols.size()) throw std::runtime_error("it has a relocation against no symbol");
                if (!symbols[index].defined())
                    throw std::runtime_error("it uses the symbol '" + shortened(symbols[index].name) +
                                             "', which it does not define");
                value += symbols[index].symbol.st_value;
            }
            const u64 bytes = type == kAbs64 || type == kRel64 || type == kRelative64 ? 8 : 4;
            u8* const place = at(entry.r_offset, bytes, "relocation");
            const u64 origin = reinterpret_cast<u64>(place);
            switch (type) {
                case kNone: break;
                case kAbs32Lo:
                case kAbs32: store(place, u32(value)); break;
                case kAbs32Hi: store(place, u32(value >> 32)); break;
                case kRelative64:
                case kAbs64: store(place, value); break;
                case kRel32: store(place, u32(value - origin)); break;
                case kRel64: store(place, value - origin); break;
                default: throw std::runtime_error("it has a relocation of the unknown type " + std::to_string(type));
            }
        }
    }
}

void CodeObject::find_variables(const ElfFile& elf) {
    for (const ElfSymbol& symbol : elf.symbols(SHT_DYNSYM)) {
        if (!symbol.defined() || symbol.type() != STT_OBJECT) continue;
        Variable variable{symbol.name, 0, symbol.symbol.st_size};
        variable.address = reinterpret_cast<u64>(at(symbol.symbol.st_value, symbol.symbol.st_size, "variable"));
        variables_[symbol.name] = variable;
    }
}

void CodeObject::decode_code(const ElfFile& elf, const Gpu& gpu, const std::string& file) {
    u64 begin = ~u64(0), end = 0;
    for (const ElfSection& section : elf.sections()) {
        if (!(section.header.sh_flags & SHF_EXECINSTR) || section.header.sh_size == 0) continue;
        at(section.header.sh_addr, section.header.sh_size, "code section");
        begin = std::min(begin, section.header.sh_addr),
        end = std::max(end, section.header.sh_addr + section.header.sh_size);
    }
    if (end == 0) begin = 0;
    // Every word becomes an instruction of some hundred bytes, so there can be no more of them than words of the file.
    if (end - begin > elf.bytes().size) throw std::runtime_error("its code is longer than itself");
    code_begin_ = begin;
    program_ = decode(gpu, file, region_.data() + begin, end - begin);
    const auto& sections = elf.sections();
    if (std::any_of(sections.begin(), sections.end(),
                    [](const ElfSection& one) { return one.name == ".debug_line" && one.header.sh_size; })) {
        program_->debug_file.assign(elf.bytes().data, elf.bytes().data + elf.bytes().size);
        program_->debug_address = begin;
    }
    for (const ElfSymbol& symbol : elf.symbols(SHT_DYNSYM)) {
        if (symbol.defined() && symbol.type() == STT_FUNC) functions_[symbol.symbol.st_value - begin] = symbol.name;
    }
    for (const ElfSymbol& symbol : elf.symbols(SHT_SYMTAB)) {
        if (symbol.defined() && symbol.type() == STT_FUNC) functions_[symbol.symbol.st_value - begin] = symbol.name;
    }
}

void CodeObject::find_kernels(const ElfFile& elf, const Gpu& gpu) {
    for (DescribedKernel& described : read_metadata(elf)) {
        const Variable* descriptor = variable(described.descriptor);
        if (!descriptor || descriptor->size < sizeof(Descriptor))
            throw std::runtime_error("its kernel '" + shortened(described.kernel.name) + "' has no kernel descriptor");
        describe(described.kernel, descriptor->address, gpu);
        kernels_[described.kernel.name] = std::move(described.kernel);
    }
}

void CodeObject::describe(Kernel& kernel, u64 address, const Gpu& gpu) const {
    const auto fail = [&](const std::string& why) {
        throw std::runtime_error("its kernel '" + shortened(kernel.name) + "' " + why);
    };
    Descriptor descriptor;
    std::memcpy(&descriptor, reinterpret_cast<const void*>(address), sizeof(descriptor));
    kernel.program = program_.get();
    kernel.entry = program_->index_of(address + u64(descriptor.entry_offset));
    if (kernel.entry == Program::kNowhere) fail("begins where no instruction begins");
    kernel.lds_bytes = descriptor.group_segment_bytes;
    kernel.scratch_bytes = descriptor.private_segment_bytes;
    kernel.kernarg_bytes = std::max(kernel.kernarg_bytes, descriptor.kernarg_bytes);
    kernel.rsrc1 = descriptor.rsrc1, kernel.rsrc2 = descriptor.rsrc2, kernel.rsrc3 = descriptor.rsrc3;
    kernel.properties = descriptor.properties, kernel.kernarg_preload = descriptor.kernarg_preload;
    kernel.dynamic_stack = kernel.dynamic_stack || (descriptor.properties & kDynamicStackProperty);

    const u32 wave_size = descriptor.properties & kWave32Property ? 32 : 64;
    if (kernel.wave_size != wave_size) fail("has different wave sizes in its metadata and in its descriptor");
    if (wave_size == 32 && gpu.isa == Isa::gfx9)
        fail("has waves of 32 lanes, which " + std::string(gpu.name()) + " has not");
    if ((kernel.kernarg_preload & 0x7f) > kMostPreloaded)
        fail("has more arguments in registers than there are registers for them");
    if (kernel.kernarg_bytes > limits::kArguments)
        fail("has arguments of " + std::to_string(kernel.kernarg_bytes) + " bytes");
    for (const KernelArg& arg : kernel.args) {
        if (u64(arg.offset) + arg.size > kernel.kernarg_bytes)
            fail("has the argument '" + shortened(arg.name) + "' outside its arguments");
    }
}

void CodeObject::publish(const ElfFile& elf) {
    std::vector<Allocation> made;
    for (const Elf64_Phdr& segment : elf.segments()) {
        if (segment.p_type != PT_LOAD || segment.p_memsz == 0) continue;
        Allocation allocation;
        allocation.begin = region_.address() + segment.p_vaddr;
        allocation.end = allocation.begin + segment.p_memsz;
        allocation.kind = MemoryKind::code;
        allocation.writable = segment.p_flags & PF_W;
        made.push_back(allocation);
    }
    std::sort(made.begin(), made.end(), [](const Allocation& a, const Allocation& b) { return a.begin < b.begin; });
    for (std::size_t i = 0; i < made.size(); ++i) {
        const u64 limit = i + 1 < made.size() ? made[i + 1].begin : region_.address() + region_.size();
        if (made[i].end > limit) throw std::runtime_error("its segments overlap");
        if (!made[i].writable) made[i].end = std::min(made[i].end + kWidestLoad, limit);
    }
    for (Allocation& allocation : made) {
        mapped_.push_back(allocation.begin);
        memory_.add(std::move(allocation));
    }
}

}  // namespace gfxsim
