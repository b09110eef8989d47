// Package anthropicagent speaks the protocol of servers built with the
// anthropic_agent library: POST /agent/run and /agent/tool_results, answered by
// SSE frames that have nothing but data: JSON envelopes, then [DONE].
//
// Each request is answered by the next connection that the session recorded, in
// order; after the last comes the first again, unless end=stop. A connection recorded as SSE goes out byte for byte, in whichever form
// the server spoke; one recorded as lines is framed, and envelopes above
// MaxChunk are cut up. [DONE] is added where the recording has none.
//
// # From the Messages API
//
// A session that recorded a provider's Messages API is converted as the
// library's own formatter does it: text and thinking as they come, calls and
// results of tools and citations when their block is complete, cut up at
// MaxChunk, and the results that later requests bring. Calls of the model that
// follow on tool_use belong to one connection. meta_init and meta_final are made
// of the requests and usages. Signatures are left out, as the library does.
//
// What cannot be said in envelopes is refused rather than left out: redacted
// thinking, blocks of other types, calls that overlap, and all other protocols.
package anthropicagent
