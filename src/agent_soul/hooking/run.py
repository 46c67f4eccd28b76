"""From the call of a hook to what it prints."""

from __future__ import annotations

from agent_soul.hooking import envelope
from agent_soul.hooking.call import SESSION_END, SESSION_START, STOP, Call
from agent_soul.hooking.place import Place


def run(call: Call, place: Place, already_read: str = "", *, unsure: bool = False) -> str:
    """Return what the hook of a call has to print, mostly nothing. `already_read` is what the agent read at the start.

    `unsure`: its files were changed so lately that it may have read them as they were before.
    Raises what the hub's own files may raise; a remote that fails is told to the agent.
    """
    if call.is_subagent:
        return ""  # the main agent hears it, and hands on what a sub-agent needs
    # Each imports what it needs: the end of a session has a second or two for all.
    if call.event == SESSION_START:
        from agent_soul.hooking.starting import start

        return envelope.at_start(start(call, place, already_read, unsure=unsure), call.runtime)
    if call.event == STOP:
        from agent_soul.hooking.stopping import stop

        return envelope.at_stop(stop(call, place), call.runtime)
    if call.event == SESSION_END:
        from agent_soul.hooking.ending import end

        end(call, place)
    return ""
