# What a command in the sealed root sees: the system folders of the root, and everything else of the
# machine at its own path, so that workspaces, checkouts and Bazel's output open from both sides.

# Variables that would lead tools to the host's own compilers, libraries and locales.
readonly host_variables=(
    C_INCLUDE_PATH CC CPATH CPLUS_INCLUDE_PATH CXX
    DEVICE_LIB_PATH HIP_CLANG_PATH HIP_DEVICE_LIB_PATH HIP_PATH HIP_PLATFORM
    CKDISPATCH_HIPCC HIPCC_COMPILE_FLAGS_APPEND HIPCC_LINK_FLAGS_APPEND ROCM_PATH
    JAVA_HOME JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS
    LANGUAGE LC_ALL LC_COLLATE LC_CTYPE LC_MESSAGES LC_MONETARY LC_NUMERIC LC_TIME
    LD_LIBRARY_PATH LD_PRELOAD LIBRARY_PATH
    PYTHONHOME PYTHONPATH PYTHONSTARTUP VIRTUAL_ENV
    # Inside, bazelw is to notice where it is.
    CKDISPATCH_SEALED
)

# Variables that name a certificate file or folder.
readonly certificate_variables=(
    CURL_CA_BUNDLE GIT_SSL_CAINFO NODE_EXTRA_CA_CERTS PIP_CERT PIP_CLIENT_CERT
    REQUESTS_CA_BUNDLE SSL_CERT_DIR SSL_CERT_FILE
)

# Files of the host's /etc that take the place of the root's.
readonly host_etc=(group hostname hosts passwd pip.conf resolv.conf)

# Sets $arguments, bubblewrap's options. Needs $root, $cache and $workspace.
bwrap_arguments() {
    local name paths
    arguments=()
    add_system_folders
    add_host_folders
    add_host_etc
    mapfile -t paths < <(
        readlink -e -- "$cache" "$repository" "$workspace" "$PWD" "${HOME:-/}" "${TEST_TMPDIR:-/}"
    )
    for name in "${paths[@]}"; do
        add_folder "$name"
    done
    paths=()
    for name in "${certificate_variables[@]}"; do
        [[ -z ${!name-} ]] || paths+=("${!name}")
    done
    collect_pip_paths
    for name in "${paths[@]}"; do
        add_input "$name"
    done
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

# /usr of the root, and its /etc entry by entry, so that files of the host can be put among them.
# /proc is bound and not mounted anew because Bazel's own sandbox needs one without covered parts.
add_system_folders() {
    local path link
    arguments+=(
        --ro-bind "$root/usr" /usr --tmpfs /usr/local --tmpfs /usr/src
        --tmpfs /var --dir /var/tmp --ro-bind-try "$root/var/lib/dpkg" /var/lib/dpkg
        --tmpfs /run --bind-try "/run/user/$EUID" "/run/user/$EUID"
        --bind /proc /proc --ro-bind /sys /sys --dev /dev --bind-try /dev/shm /dev/shm
        --dev-bind-try /dev/kfd /dev/kfd --dev-bind-try /dev/dri /dev/dri
    )
    while IFS=$'\t' read -r path link; do
        if [[ -n $link ]]; then
            arguments+=(--symlink "$link" "/$path")
        elif [[ $path == @(bin|sbin|lib*|etc/*) ]]; then
            arguments+=(--ro-bind-try "$root/$path" "/$path")
        fi
    done < <(
        cd -- "$root" &&
            find . -mindepth 1 -maxdepth 2 '(' -path './etc/*' -o ! -path './*/*' ')' -printf '%P\t%l\n'
    )
}

# Every other folder of the machine's own root, writable as far as its permissions go.
add_host_folders() {
    local folder
    for folder in /*; do
        case $folder in
            /bin | /boot | /dev | /etc | /lib* | /lost+found | /proc | /run | /sbin | /sys) ;;
            /usr | /var) ;;
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

# The resolver, the names of users, pip's settings and the certificates that this machine trusts.
add_host_etc() {
    local file users=
    for file in "${host_etc[@]}"; do
        [[ ! -e /etc/$file ]] || arguments+=(--ro-bind "/etc/$file" "/etc/$file")
    done
    IFS= read -r -d '' users </etc/passwd || true
    if [[ ! $'\n'$users =~ $'\n'[^:]*:[^:]*:$EUID: ]]; then
        # A user that only a directory service knows.
        exec {users_fd}< <(printf '%s' "$users" && getent passwd "$EUID")
        arguments+=(--ro-bind-data "$users_fd" /etc/passwd)
    fi
    if [[ -e /etc/ssl/certs/ca-certificates.crt ]]; then
        arguments+=(
            --ro-bind /etc/ssl/certs /etc/ssl/certs
            --ro-bind-try /usr/share/ca-certificates /usr/share/ca-certificates
        )
    fi
    arguments+=(--ro-bind-try /usr/local/share/ca-certificates /usr/local/share/ca-certificates)
}

# add_folder PATH: shows a folder that commands write to, where add_host_folders did not.
add_folder() {
    case $1 in
        /opt/* | /run/* | /usr/local/* | /usr/src/* | /var/*) arguments+=(--bind "$1" "$1") ;;
        /boot/* | /etc/* | /usr/*)
            fail "the folder $1 cannot be used from the sealed root because it is part of the" \
                "system's own folders; move it elsewhere."
            ;;
    esac
}

# add_input PATH: shows a file or folder that commands only read, where nothing else did. An entry
# of /etc is shown as a whole, because nothing can be added to one that comes from the root.
add_input() {
    local entry
    [[ -e $1 ]] || return 0
    case $1 in
        /etc/ssl/certs | /etc/ssl/certs/*) ;;
        /run/* | /usr/local/* | /usr/src/* | /var/*) arguments+=(--ro-bind "$1" "$1") ;;
        /etc/*)
            entry=${1#/etc/}
            entry=/etc/${entry%%/*}
            arguments+=(--ro-bind "$entry" "$entry")
            ;;
        /usr/*)
            [[ -e $root$1 ]] ||
                say "$1 is not visible in the sealed root because it is inside /usr; move it elsewhere."
            ;;
    esac
}

# Adds to $paths the local files and folders that pip is told to use.
collect_pip_paths() {
    local file line word
    local words="${PIP_CONSTRAINT-} ${PIP_EXTRA_INDEX_URL-} ${PIP_FIND_LINKS-}"
    words+=" ${PIP_INDEX_URL-}"
    for file in "${PIP_CONFIG_FILE-}" /etc/pip.conf /etc/xdg/pip/pip.conf \
        "${XDG_CONFIG_HOME:-${HOME-}/.config}/pip/pip.conf" "${HOME-}/.pip/pip.conf"; do
        [[ -f $file && -r $file ]] || continue
        paths+=("$file")
        while IFS= read -r line || [[ -n $line ]]; do
            words+=" ${line#*=}"
        done <"$file"
    done
    set -f
    for word in $words; do
        word=${word#file://}
        [[ $word != /* ]] || paths+=("$word")
    done
    set +f
}
