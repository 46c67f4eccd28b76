"""From the call of a hook to what it prints."""

from __future__ import annotations

from agent_soul.hooking import envelope
from agent_soul.hooking.call import SESSION_END, SESSION_START, STOP, Call
from agent_soul.hooking.place import Answer, Place


def run(call: Call, place: Place, already_read: str = "", *, unsure: bool = False) -> Answer:
    """Return what the hook of a call has to print, mostly nothing, and to keep then.

    `already_read` is what the agent read at the start.

    `unsure`: its files were changed so lately that it may have read them as they were before.
    Raises what the hub's own files may raise; a remote that fails is told to the agent.
    """
    if call.is_subagent:
        return Answer()  # the main agent hears it, and hands on what a sub-agent needs
    # Each imports what it needs: the end of a session has a second or two for all.
    if call.event == SESSION_START:
        from agent_soul.hooking.starting import start

        answer = start(call, place, already_read, unsure=unsure)
        return answer._replace(text=envelope.at_start(answer.text, call.runtime))
    if call.event == STOP:
        from agent_soul.hooking.stopping import stop

        answer = stop(call, place)
        return answer._replace(text=envelope.at_stop(answer.text, call.runtime))
    if call.event == SESSION_END:
        from agent_soul.hooking.ending import end

        end(call, place)
    return Answer()
