#!/bin/sh
# An executable in lib/leader_election, for ros2 run and launch: runs the command leader_election with
# this file's name. That command is beside it (colcon) or in bin (pip); its Python is the right one,
# but for a virtual environment that is active and adds packages to the system's, as mcap: then the
# Python of that environment has both.
folder=$(dirname "$0")
# A Ctrl-C while Python starts would end in a traceback: it waits until the command handles it.
block=
! env --block-signal=INT true 2> /dev/null || block='env --block-signal=INT'
if [ -x "$folder/leader_election" ] &&
        grep -qs 'include-system-site-packages = true' "${VIRTUAL_ENV:-}/pyvenv.cfg"; then
    exec $block "$VIRTUAL_ENV/bin/python3" "$folder/leader_election" "$(basename "$0")" "$@"
fi
for command in "$folder/leader_election" "$folder/../../bin/leader_election"; do
    [ ! -x "$command" ] || exec $block "$command" "$(basename "$0")" "$@"
done
echo "error: the command leader_election is not installed beside $0; build or install the package" >&2
exit 2
