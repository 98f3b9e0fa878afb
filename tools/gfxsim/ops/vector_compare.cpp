// SPDX-License-Identifier: MIT
// Compares of vector registers: v_cmp writes a mask, v_cmpx also changes EXEC. The names are made from a condition and
// a type.
#include <deque>
#include <string>

#include "gfxsim/core/float16.hpp"
#include "gfxsim/core/lanes.hpp"
#include "gfxsim/ops/isas.hpp"
#include "gfxsim/ops/tables.hpp"

namespace gfxsim {
namespace {

// Comparison happens in a type that the host has.
template <class T> auto host(T value) { return value; }
inline f32 host(f16 value) { return to_f32(value); }

template <class T> bool never(T, T) { return false; }
template <class T> bool always(T, T) { return true; }
template <class T> bool lt(T a, T b) { return host(a) < host(b); }
template <class T> bool eq(T a, T b) { return host(a) == host(b); }
template <class T> bool le(T a, T b) { return host(a) <= host(b); }
template <class T> bool gt(T a, T b) { return host(a) > host(b); }
template <class T> bool ge(T a, T b) { return host(a) >= host(b); }
/// Less or greater: false for a NaN.
template <class T> bool lg(T a, T b) { return host(a) < host(b) || host(a) > host(b); }
template <class T> bool ordered(T a, T b) { return host(a) == host(a) && host(b) == host(b); }
template <class T, bool (*compare)(T, T)> bool negated(T a, T b) { return !compare(a, b); }

// The classes of numbers that v_cmp_class asks for, one bit each.
enum NumberClass : u32 {
    kSignallingNan,
    kQuietNan,
    kNegativeInfinity,
    kNegativeNormal,
    kNegativeDenormal,
    kNegativeZero,
    kPositiveZero,
    kPositiveDenormal,
    kPositiveNormal,
    kPositiveInfinity,
};

/// On bits, because a denormal is one here even if arithmetic takes it for zero.
template <class T, int mantissa, class M>
bool has_class(T bits, M mask) {
    constexpr T kSign = T(T(1) << (8 * sizeof(T) - 1)), kFraction = T((T(1) << mantissa) - 1),
                kExponent = T(~kSign & ~kFraction);
    const bool negative = bits & kSign;
    const T fraction = bits & kFraction, exponent = bits & kExponent;
    u32 found;
    if (exponent == kExponent && fraction) found = fraction >> (mantissa - 1) & 1 ? kQuietNan : kSignallingNan;
    else if (exponent == kExponent) found = negative ? kNegativeInfinity : kPositiveInfinity;
    else if (exponent) found = negative ? kNegativeNormal : kPositiveNormal;
    else if (fraction) found = negative ? kNegativeDenormal : kPositiveDenormal;
    else found = negative ? kNegativeZero : kPositiveZero;
    return mask >> found & 1;
}

/// Keeps the names that are made here, for as long as the program runs.
const char* kept(std::string name) {
    static std::deque<std::string> names;
    return names.emplace_back(std::move(name)).c_str();
}

class Maker {
public:
    explicit Maker(const char* type) : type_(type) {}

    /// v_cmp and v_cmpx of one condition. gfx9's v_cmpx writes EXEC and a mask that it names, the later one EXEC alone.
    template <auto F>
    void add(const char* condition, u8 isas = kAllIsas) {
        const char* plain = kept("v_cmp_" + std::string(condition) + type_);
        const char* exec = kept("v_cmpx_" + std::string(condition) + type_);
        push(lanes<F, Into::mask>(plain, {}, isas));
        if (isas & kGfx9) push(lanes<F, Into::mask_and_exec>(exec, {}, isas & kGfx9));
        if (isas & kGfx11And12) push(lanes<F, Into::exec>(exec, {}, isas & kGfx11And12));
    }

    /// How constants are read, if not as the function's own types.
    void constants_are(Type type) { constants_ = type; }

    Table table;

private:
    void push(Definition def) {
        if (constants_ != Type::none) def.src[0] = constants_;
        table.push_back(def);
    }

    const char* type_;
    Type constants_ = Type::none;
};

template <class T>
Table integers(const char* type) {
    // Conditions without a choice went with gfx12; for 16 bits earlier.
    const u8 constant = sizeof(T) == 2 ? kGfx9 : kGfx9And11;
    Maker maker(type);
    maker.add<never<T>>("f", constant);
    maker.add<lt<T>>("lt");
    maker.add<eq<T>>("eq");
    maker.add<le<T>>("le");
    maker.add<gt<T>>("gt");
    maker.add<negated<T, eq<T>>>("ne");
    maker.add<ge<T>>("ge");
    maker.add<always<T>>("t", constant);
    return maker.table;
}

template <class T>
Table floats(const char* type) {
    Maker maker(type);
    maker.add<never<T>>("f", kGfx9And11);
    maker.add<lt<T>>("lt");
    maker.add<eq<T>>("eq");
    maker.add<le<T>>("le");
    maker.add<gt<T>>("gt");
    maker.add<lg<T>>("lg");
    maker.add<ge<T>>("ge");
    maker.add<ordered<T>>("o");
    maker.add<negated<T, ordered<T>>>("u");
    maker.add<negated<T, ge<T>>>("nge");
    maker.add<negated<T, lg<T>>>("nlg");
    maker.add<negated<T, gt<T>>>("ngt");
    maker.add<negated<T, le<T>>>("nle");
    maker.add<negated<T, eq<T>>>("neq");
    maker.add<negated<T, lt<T>>>("nlt");
    maker.add<always<T>>("tru", kGfx9);
    maker.add<always<T>>("t", kGfx11);
    return maker.table;
}

template <class T, int mantissa, class M>
Table classes(const char* type, Type constants) {
    Maker maker(type);
    maker.constants_are(constants);
    maker.add<has_class<T, mantissa, M>>("class");
    return maker.table;
}

}  // namespace

Table vector_compare_table() {
    Table all;
    const auto append = [&all](const Table& part) { all.insert(all.end(), part.begin(), part.end()); };
    append(integers<i16>("_i16"));
    append(integers<u16>("_u16"));
    append(integers<i32>("_i32"));
    append(integers<u32>("_u32"));
    append(integers<i64>("_i64"));
    append(integers<u64>("_u64"));
    append(floats<f16>("_f16"));
    append(floats<f32>("_f32"));
    append(floats<f64>("_f64"));
    append(classes<u16, 10, u16>("_f16", Type::f16));
    append(classes<u32, 23, u32>("_f32", Type::f32));
    append(classes<u64, 52, u32>("_f64", Type::f64));
    return all;
}

}  // namespace gfxsim
