# Read by the other .sh files, in any POSIX shell: `start SCRIPT ARGUMENTS...` becomes the file SCRIPT beside this
# one, run by a Python. Whether that Python is new enough is for SCRIPT to see; it finds a newer one by itself.

unset PYTHONHOME PYTHONPATH # those of another Python would keep ours from starting

start() {
    for python in python3 python3.14 python3.13 python3.12 python3.11 python; do
        if command -v "$python" >/dev/null; then
            script=$1
            shift
            exec "$python" "$here/$script" "$@"
        fi
    done
    echo "error: agent-soul needs Python 3.11 or newer, and PATH has no Python" >&2
    echo "  install one (Debian, Ubuntu: apt install python3 python3-venv; macOS: brew install python)" >&2
    exit 5
}
