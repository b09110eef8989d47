// Package loom speaks the Loom WebSocket server's protocol, with the runs that a
// session recorded: over a WebSocket, as lines, or in the single-key form
// (protocol specification, section 6).
//
// # Runs
//
// Runs, their requests and replies, usages and tools come from the session's facts;
// frames.go reads from the frames what facts do not have. A stream without facts, as in
// a tape file that was cut off, has a run for each run and session in the envelopes of
// its frames. docs/adr/0008-emulators-and-facts.md says what is read from where.
//
// Every run request is answered by the next recorded run, in the order in which
// they began; a new connection begins with the first, unless it names a take.
// match=body plays the next run whose recorded request had the same message. Ids
// are the recorded ones; the request's own id and thread are not looked at, as
// in the real server. Frames recorded on a WebSocket go out byte for byte;
// events recorded as lines are put into run_stream_event, and their reply line
// becomes run_end. A run that was recorded without an end, as the single-key
// form has none, ends with the text of its last node; if it broke off, with an
// error.
//
// After the error that ends a run the connection is closed (guideline, section
// 2), unless the recorded one went on; the next connection then goes on with the
// next run. With all runs played, an error says so and the connection stays, unless end=again
// or end=last.
//
// # The other requests
//
// tools_list and tool_show return what the session recorded of such answers, else
// what its tool calls show: names, and the arguments' names and types.
// user_messages returns the requests and replies of the thread's runs; the
// cursor before counts them from 1. Requests of the code's that the guideline
// does not have (list_models, …) are answered if an answer is recorded.
// cancel_run ends the run that is playing. Anything else is a parse error, and
// the connection stays.
package loom
