// Package anthropicagent implements the protocol of servers built with the anthropic_agent library:
// POST /agent/run and /agent/tool_results are answered with SSE events that have only a data field.
// The events are JSON envelopes, followed by [DONE].
//
// Each request is answered with the next connection that the session recorded, in order. After the
// last one it starts again at the first, unless end=stop. A connection that was recorded as SSE is
// sent byte for byte. A connection that was recorded as lines is framed as SSE, and envelopes
// larger than MaxChunk are split. [DONE] is added if the recording has none.
//
// # From the Messages API
//
// A session that recorded a provider's Messages API is converted like the library's own formatter
// does: text and thinking as they arrive; tool calls, tool results and citations when their block
// is complete, split at MaxChunk. The tool results in later requests are converted as well. Model
// calls that follow tool_use belong to the same connection. meta_init and meta_final are built from
// the requests and usages. Signatures are omitted, as in the library.
//
// Requests that call no model (tokens counted, models listed, batches) are left out.
//
// Content that envelopes cannot represent is refused and not omitted: redacted thinking, blocks of
// other types, overlapping calls, and all other protocols.
package anthropicagent
