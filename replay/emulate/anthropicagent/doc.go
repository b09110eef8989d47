// Package anthropicagent implements the protocol of servers built with the anthropic_agent library:
// POST /agent/run and /agent/tool_results, answered by SSE events that have only a data field. The
// events are JSON envelopes, then [DONE].
//
// Each request is answered with the next connection that the session recorded, in order. After the
// last one it starts again at the first, unless end=stop. A connection recorded as SSE is sent byte
// for byte; one recorded as lines is framed, and envelopes above MaxChunk are split. [DONE] is
// added if the recording has none.
//
// # From the Messages API
//
// A session that recorded a provider's Messages API is converted in the same way as by the
// library's own formatter: text and thinking as they arrive; tool calls, tool results and citations
// when their block is complete, split at MaxChunk; and the tool results in later requests. Model
// calls that follow tool_use belong to one connection. meta_init and meta_final are built from the
// requests and usages. Signatures are omitted, as in the library.
//
// Content that envelopes cannot represent is refused rather than omitted: redacted thinking, blocks
// of other types, overlapping calls, and all other protocols.
package anthropicagent
