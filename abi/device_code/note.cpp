// SPDX-License-Identifier: MIT
#include "device_code/note.hpp"

namespace ckdispatch::device_code {
namespace {

using nlohmann::json;

constexpr std::uint32_t kMetadataType = 32;  // NT_AMDGPU_METADATA
// Metadata has five levels. A reader that calls itself for each one must not be led further.
constexpr int kMostLevels = 32;

// Looks how deep the levels are and keeps nothing.
class Levels : public nlohmann::json_sax<json> {
public:
    bool exceeded() const { return exceeded_; }

    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool key(string_t&) override { return true; }
    bool start_object(std::size_t) override { return enter(); }
    bool end_object() override { return leave(); }
    bool start_array(std::size_t) override { return enter(); }
    bool end_array() override { return leave(); }
    bool parse_error(std::size_t, const std::string&, const json::exception&) override { return false; }

private:
    bool enter() {
        exceeded_ = exceeded_ || ++level_ > kMostLevels;
        return !exceeded_;
    }
    bool leave() {
        --level_;
        return true;
    }
    int level_ = 0;
    bool exceeded_ = false;
};

json parse(Bytes packed) {
    if (packed.size > limits::kMetadata)
        throw std::runtime_error("its metadata has " + std::to_string(packed.size) + " bytes; there can be at most " +
                                 std::to_string(limits::kMetadata));
    Levels levels;
    const bool whole = json::sax_parse(packed.data, packed.data + packed.size, &levels, json::input_format_t::msgpack);
    if (levels.exceeded())
        throw std::runtime_error("its metadata is nested more than " + std::to_string(kMostLevels) + " levels deep");
    if (!whole) throw std::runtime_error("its metadata is not valid MessagePack");
    return json::from_msgpack(packed.data, packed.data + packed.size);
}

std::uint64_t padded(std::uint64_t size) { return (size + 3) / 4 * 4; }

// The first note with metadata among others.
bool find(Bytes notes, Bytes& found) {
    for (std::uint64_t at = 0; at < notes.size && notes.size - at >= sizeof(Elf64_Nhdr);) {
        const auto note = notes.read<Elf64_Nhdr>(at, "notes");
        const std::uint64_t content = at + sizeof(note) + padded(note.n_namesz);
        if (note.n_type == kMetadataType) {
            found = notes.part(content, note.n_descsz, "metadata");
            return true;
        }
        at = content + padded(note.n_descsz);
    }
    return false;
}

}  // namespace

json read_note(const ElfFile& elf) {
    Bytes found;
    for (const Elf64_Phdr& segment : elf.segments()) {
        if (segment.p_type == PT_NOTE && find(elf.bytes().part(segment.p_offset, segment.p_filesz, "notes"), found))
            return parse(found);
    }
    for (const auto& section : elf.sections()) {
        if (section.header.sh_type == SHT_NOTE && find(elf.content(section), found)) return parse(found);
    }
    return nullptr;
}

}  // namespace ckdispatch::device_code
