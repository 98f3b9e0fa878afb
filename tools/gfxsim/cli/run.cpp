// SPDX-License-Identifier: MIT
// Starts programs so that they find the simulated runtime in place of the toolchain's.
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "gfxsim/cli/options.hpp"
#include "gfxsim/cli/times.hpp"
#include "gfxsim/core/gpu.hpp"

namespace gfxsim {
namespace {

constexpr int kFoundBugs = 3;

// The runtime lies beside this program, or where a caller says.
std::string runtime_folder() {
    if (const char* folder = std::getenv("GFXSIM_RUNTIME_DIR")) return folder;
    char path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    if (length < 0)
        throw std::runtime_error(
            "The folder of this program cannot be found; set GFXSIM_RUNTIME_DIR to the runtime's.");
    path[length] = 0;
    *std::strrchr(path, '/') = 0;
    return path;
}

void set(const char* name, const std::string& value) { setenv(name, value.c_str(), 1); }

void set_gpu(const Parsed& parsed) {
    if (!parsed.has("--gpu")) return;
    if (!find_gpu(parsed.get("--gpu")))
        usage_error("'" + parsed.get("--gpu") + "' is no GPU that is simulated (" + std::string(known_gpus()) + ")");
    set("GFXSIM_GPU", parsed.get("--gpu"));
}

int start(const std::vector<std::string>& command) {
    const std::string folder = runtime_folder();
    const char* before = std::getenv("LD_LIBRARY_PATH");
    set("LD_LIBRARY_PATH", before && *before ? folder + ":" + before : folder);
    std::vector<char*> values;
    values.reserve(command.size() + 1);
    for (const std::string& value : command) values.push_back(const_cast<char*>(value.c_str()));
    values.push_back(nullptr);
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("No process could be started.");
    if (child == 0) {
        execvp(values[0], values.data());
        std::fprintf(stderr, "gfxsim: %s cannot be run: %s.\n", values[0], std::strerror(errno));
        _exit(127);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// A file of this process, which goes with it.
struct TemporaryFile {
    explicit TemporaryFile(const std::string& what) {
        const char* folder = std::getenv("TMPDIR");
        path = std::string(folder && *folder ? folder : "/tmp") + "/gfxsim-" + what + "-XXXXXX";
        const int descriptor = mkstemp(path.data());
        if (descriptor < 0) throw std::runtime_error("No temporary file could be made for the " + what + ".");
        close(descriptor);
    }
    ~TemporaryFile() { unlink(path.c_str()); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    std::string path;
};

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

bool file_has_content(const std::string& path) {
    std::FILE* file = std::fopen(path.c_str(), "rb");
    const bool some = file && std::fgetc(file) != EOF;
    if (file) std::fclose(file);
    return some;
}

}  // namespace

int run_command(const Arguments& arguments) {
    const Parsed parsed = parse(arguments, {"--gpu", "--threads", "--report", "--limit"}, {"--check"});
    if (parsed.rest.empty()) usage_error("run wants a program");
    set_gpu(parsed);
    if (parsed.has("--threads")) set("GFXSIM_THREADS", std::to_string(parsed.number("--threads", 0)));
    if (parsed.has("--limit")) set("GFXSIM_INSTRUCTION_LIMIT", std::to_string(parsed.number("--limit", 0)));
    if (parsed.has("--report")) set("GFXSIM_REPORT", parsed.get("--report"));
    if (!parsed.has("--check")) return start(parsed.rest);

    const TemporaryFile found("findings");
    set("GFXSIM_CHECK", "1");
    set("GFXSIM_FINDINGS", found.path);
    const int code = start(parsed.rest);
    const bool bugs = file_has_content(found.path);
    return code == 0 && bugs ? kFoundBugs : code;
}

int trace_command(const Arguments& arguments) {
    const Parsed parsed = parse(arguments, {"--gpu", "--group", "--wave"}, {});
    if (parsed.rest.empty()) usage_error("trace wants a program");
    set_gpu(parsed);
    set("GFXSIM_TRACE", std::to_string(parsed.number("--group", 0)) + ":" + std::to_string(parsed.number("--wave", 0)));
    set("GFXSIM_THREADS", "1");
    return start(parsed.rest);
}

int time_command(const Arguments& arguments) {
    const Parsed parsed =
        parse(arguments, {"--gpu", "--threads", "--instructions", "--lines", "--trace"}, {"--sample", "--json"});
    if (parsed.rest.empty()) usage_error("time wants a program");
    TimeDetails details;
    details.json = parsed.has("--json");
    if (parsed.has("--instructions")) details.instructions = parsed.number("--instructions", 0);
    if (parsed.has("--lines")) details.lines = parsed.number("--lines", 0);
    // What cannot be written is found out before a program runs for minutes.
    if (parsed.has("--trace") && access(folder_of(parsed.get("--trace")).c_str(), W_OK) != 0)
        usage_error("--trace names " + parsed.get("--trace") + ", which cannot be written");
    set_gpu(parsed);
    if (parsed.has("--threads")) set("GFXSIM_THREADS", std::to_string(parsed.number("--threads", 0)));
    const TemporaryFile report("report"), events("trace");
    set("GFXSIM_TIMING", parsed.has("--sample") ? "sample" : "1");
    set("GFXSIM_REPORT", report.path);
    if (details.instructions || details.lines) set("GFXSIM_TIMING_INSTRUCTIONS", "1");
    if (parsed.has("--trace")) set("GFXSIM_TIMING_TRACE", events.path);
    const int code = start(parsed.rest);
    print_times(report.path, details);
    if (parsed.has("--trace")) finish_trace(events.path, parsed.get("--trace"));
    return code;
}

}  // namespace gfxsim
