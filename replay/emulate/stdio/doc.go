// Package stdio plays the agent, or the server of tools, of a session that was recorded by
// "tapedeck record --stdio", to a client over standard input and output. Both sides send JSON-RPC
// messages, one on each line.
//
// # Turns
//
// A request or a notification of the recorded client begins a turn. To the turn of a request belong
// its answer, and what the agent sent because of it: other messages of the agent belong to
//
//   - the request with their progress token (MCP);
//   - otherwise the turn with the same turn, session or thread in its params or its result. If
//     several are without an answer, the first of them; if none is, the latest;
//   - otherwise the latest request without an answer; if there is none, the latest turn.
//
// What the agent sent before any message of the client belongs to the start of the process.
//
// A turn is played when a client sends a message that is similar to the recorded one. The messages of
// the turn have their recorded distance from it. Where the recorded client answered a request of
// the agent (a permission, a file), the turn waits for the answer of the client, and distances count
// from there.
//
// # Selection of the turn
//
// A message of the client is compared with recorded messages of the same method (package jsonrpc).
// The most similar one is chosen: the same params, otherwise the same tool, prompt or resource. Of
// several that are equally similar the first that was not played comes next: of the same session or
// thread, then of the process of the message before, then of the process that was recorded last. If
// all were played, one with the same params is played again, and any other is refused; Pacing.End
// changes this. initialize is compared by method only.
//
// A request without a recorded one is answered by an error that names what was recorded.
//
// # Cancellation
//
// A message that cancels a turn (session/cancel, $/cancel_request, notifications/cancelled,
// turn/interrupt) is part of the turn that it cancels. If the recorded client cancelled the turn, the
// client's message leads to what followed the recorded one. Otherwise the turn ends as the protocol
// says. A turn whose recorded client cancelled it ends as recorded if the client does not cancel.
//
// # Messages
//
// The bytes are those of the recording. The id of an answer and a progress token are replaced by the
// client's if they differ; then the message is written as JSON without white space. A batch is
// taken apart: each of its messages is a line.
package stdio
