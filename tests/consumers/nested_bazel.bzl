"""What tests that start Bazel have in common."""

# What a Bazel that a test starts needs of the user: the cache folder and the way to the network.
NEEDED_OF_THE_USER = [
    "CKDISPATCH_CACHE",
    "HOME",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "PATH",
    "PIP_CERT",
    "PIP_CONFIG_FILE",
    "PIP_INDEX_URL",
    "ROCM_PATH",
    "SSL_CERT_FILE",
    "XDG_CACHE_HOME",
    "http_proxy",
    "https_proxy",
    "no_proxy",
]
