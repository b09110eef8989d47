// Package loom implements the protocol of the Loom WebSocket server, with the runs that a session
// recorded: over a WebSocket, as lines, or in the single-key form (protocol specification, section
// 6).
//
// # Runs
//
// Runs, their requests and replies, usages and tools come from the session's facts. frames.go reads
// the values that facts lack from the frames. In a stream without facts, as in a tape file that was
// cut off, each run and session in the envelopes of its frames is a run.
// docs/adr/0008-emulators-and-facts.md lists the source of each value.
//
// Every run request is answered with the next recorded run, in the order of their starts. A new
// connection begins with the first run, unless it names a take. match=body plays the next run whose
// recorded request had the same message. Ids are the recorded ones; the id and the thread in the
// request are ignored, as by the real server. Frames recorded on a WebSocket are sent byte for
// byte. Events recorded as lines are sent in run_stream_event, and their reply line becomes
// run_end. A run that was recorded without an end, as in the single-key form, ends with the text of
// its last node or, if it broke off, with an error.
//
// After the error that ends a run the connection is closed (guideline, section 2), unless the
// recorded connection continued; the next connection continues with the next run. When all runs
// were played, the answer is an error and the connection stays open, unless end=again or end=last.
//
// # The other requests
//
// tools_list and tool_show return the session's recorded answers. Without recorded answers they
// return what tool calls show: names of tools, and names and types of arguments. user_messages
// returns the requests and replies of the thread's runs; its cursor before counts them from 1.
// Requests about agents, models and workspaces, which Loom's code has and the guideline lacks
// (agent_list, list_models, set_model, workspace_…), are answered with the recorded answer. Without
// one, the answer has the agents and models that the requests of the runs name, and one workspace
// with the threads of the runs. cancel_run ends the current run. Any other request is a parse
// error, and the connection stays open.
package loom
