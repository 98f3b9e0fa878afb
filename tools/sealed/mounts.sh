# What a command in the sealed root sees: the system folders of the root, and everything else of the
# machine at its own path, so that workspaces, checkouts and Bazel's output open from both sides.

# Variables that lead tools to the host's own compilers and libraries.
readonly host_variables=(
    C_INCLUDE_PATH CC CPATH CPLUS_INCLUDE_PATH CXX
    DEVICE_LIB_PATH HIP_CLANG_PATH HIP_DEVICE_LIB_PATH HIP_PATH HIP_PLATFORM
    HIPCC_COMPILE_FLAGS_APPEND HIPCC_LINK_FLAGS_APPEND ROCM_PATH
    JAVA_HOME JDK_JAVA_OPTIONS JAVA_TOOL_OPTIONS
    LD_LIBRARY_PATH LD_PRELOAD LIBRARY_PATH
    LANGUAGE LC_ADDRESS LC_ALL LC_COLLATE LC_CTYPE LC_IDENTIFICATION LC_MEASUREMENT LC_MESSAGES
    LC_MONETARY LC_NAME LC_NUMERIC LC_PAPER LC_TELEPHONE LC_TIME
    PYTHONHOME PYTHONPATH PYTHONSTARTUP VIRTUAL_ENV
    CKDISPATCH_SEALED
)

# Variables that name a certificate file or folder.
readonly certificate_variables=(
    CURL_CA_BUNDLE GIT_SSL_CAINFO NODE_EXTRA_CA_CERTS PIP_CERT PIP_CLIENT_CERT
    REQUESTS_CA_BUNDLE SSL_CERT_DIR SSL_CERT_FILE
)

# Sets $arguments, bubblewrap's options. Needs $root, $cache and $workspace.
bwrap_arguments() {
    arguments=()
    add_system_folders
    add_host_folders
    add_network_files
    add_user_files
    local name
    for name in "$cache" "$repository" "$workspace" "$(pwd -P)" "${HOME-}" "${TEST_TMPDIR-}"; do
        add_path --bind "$name"
    done
    for name in "${certificate_variables[@]}"; do
        add_path --ro-bind "${!name-}"
    done
    while IFS= read -r name; do
        add_path --ro-bind "$name"
    done < <(pip_paths)
    for name in "${host_variables[@]}"; do
        arguments+=(--unsetenv "$name")
    done
    arguments+=(
        --setenv PATH /usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
        --setenv LANG C.UTF-8
        --setenv PYTHONNOUSERSITE 1
        --remount-ro /
        --chdir "$PWD"
    )
}

# /usr of the root, and /etc entry by entry, so that files of the host can be put among them.
# /proc is bound and not mounted anew because Bazel's own sandbox needs one without covered parts.
add_system_folders() {
    local entry name
    for entry in "$root"/*; do
        name=${entry##*/}
        if [[ -L $entry ]]; then
            arguments+=(--symlink "$(readlink -- "$entry")" "/$name")
        elif [[ $name == lib* || $name == bin || $name == sbin ]]; then
            arguments+=(--ro-bind "$entry" "/$name")
        fi
    done
    arguments+=(
        --ro-bind "$root/usr" /usr --tmpfs /usr/local --tmpfs /usr/src
        --tmpfs /var --dir /var/tmp --ro-bind "$root/var/lib/dpkg" /var/lib/dpkg
        --tmpfs /run
        --bind /proc /proc --dev /dev --ro-bind /sys /sys
        --dev-bind-try /dev/kfd /dev/kfd --dev-bind-try /dev/dri /dev/dri
        --bind-try /dev/shm /dev/shm
    )
    for entry in "$root"/etc/* "$root"/etc/.[!.]*; do
        name=${entry##*/}
        case $name in
            resolv.conf | hosts | hostname | passwd | group | pip.conf) ;;
            *)
                if [[ -L $entry ]]; then
                    arguments+=(--symlink "$(readlink -- "$entry")" "/etc/$name")
                else
                    arguments+=(--ro-bind-try "$entry" "/etc/$name")
                fi
                ;;
        esac
    done
}

# Every other folder of the machine's own root, writable as far as its permissions go.
add_host_folders() {
    local folder
    for folder in /*; do
        case $folder in
            /bin | /boot | /dev | /etc | /lib* | /proc | /run | /sbin | /sys | /usr | /var) ;;
            /lost+found) ;;
            /opt) arguments+=(--ro-bind /opt /opt) ;;
            *)
                if [[ -L $folder ]]; then
                    arguments+=(--symlink "$(readlink -- "$folder")" "$folder")
                elif [[ -d $folder ]]; then
                    arguments+=(--bind "$folder" "$folder")
                fi
                ;;
        esac
    done
}

# The resolver, and the certificates that this machine trusts.
add_network_files() {
    local file
    for file in /etc/resolv.conf /etc/hosts /etc/hostname /etc/pip.conf /etc/xdg/pip; do
        if [[ -e $file ]]; then
            arguments+=(--ro-bind "$file" "$file")
        fi
    done
    if [[ -e /etc/ssl/certs/ca-certificates.crt ]]; then
        arguments+=(
            --ro-bind /etc/ssl/certs /etc/ssl/certs
            --ro-bind-try /usr/share/ca-certificates /usr/share/ca-certificates
        )
    fi
    arguments+=(
        --ro-bind-try /usr/local/share/ca-certificates /usr/local/share/ca-certificates
    )
}

# Names for the ids, also for a user that only a directory service knows.
add_user_files() {
    local database data
    for database in passwd group; do
        exec {data}< <(
            cat "/etc/$database"
            if [[ $database == passwd ]]; then
                grep -qE "^[^:]*:[^:]*:$EUID:" /etc/passwd || getent passwd "$EUID" || true
            fi
        )
        arguments+=(--ro-bind-data "$data" "/etc/$database")
    done
}

# add_path OPTION PATH: shows a path of the host that lies in one of the folders that come from the
# root; all others are visible already.
add_path() {
    local path
    [[ $2 == /* && -e $2 ]] || return 0
    path=$(readlink -f -- "$2")
    case $path in
        /var/* | /run/* | /usr/local/* | /usr/src/*) arguments+=("$1" "$path" "$path") ;;
        /etc/ssl/certs | /etc/ssl/certs/*) ;;
        /etc/*) [[ -e $root$path ]] || arguments+=("$1" "$path" "$path") ;;
        /usr/*)
            [[ $1 == --ro-bind ]] || fail "the folder $path cannot be used from the sealed root" \
                "because it is inside /usr; move it elsewhere."
            ;;
    esac
}

# Local folders and files that pip is told to use, by its variables or its configuration.
pip_paths() {
    local file value
    {
        printf '%s\n' "${PIP_FIND_LINKS-}" "${PIP_INDEX_URL-}" "${PIP_EXTRA_INDEX_URL-}" \
            "${PIP_CONSTRAINT-}" "${PIP_CONFIG_FILE-}"
        for file in "${PIP_CONFIG_FILE-}" /etc/pip.conf /etc/xdg/pip/pip.conf \
            "${XDG_CONFIG_HOME:-${HOME-}/.config}/pip/pip.conf" "${HOME-}/.pip/pip.conf"; do
            [[ -n $file && -r $file && -f $file ]] || continue
            sed -nE 's/^(([a-z-]*index-url|find-links|cert|client-cert)[[:space:]]*=)?[[:space:]]+//p' "$file"
        done
    } | tr -s ' \t,' '\n' | sed -nE 's#^(file://)?(/.*)$#\2#p' | sort -u
}
