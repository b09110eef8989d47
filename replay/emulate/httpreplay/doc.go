// Package httpreplay plays back HTTP exchanges: exchanges that the recording proxy recorded for a
// method and path, with status, header fields, bytes, chunks and timing; and streams of model
// providers (Anthropic, OpenAI, Gemini) that were recorded without a proxy, at the provider's path;
// and other streams of events that were recorded without a proxy, at the path of the address from
// which they were recorded, or, from a file, at any path that no proxy recorded.
//
// # Selection of the exchange
//
// Candidates are the exchanges with the request's method and path. If some of them have the same
// query, only those are candidates; with match=body, only those whose request had the same body.
// The first candidate that the take has not played is next. When all were played, GET and HEAD,
// which clients poll, receive the last one again, and other methods start again at the first, so
// that a program can be run again; end=stop, again or last overrides this. After a stop the answer
// is 409. Without any candidate it is 404 with a list of the recorded requests.
//
// Two bodies are equal if they are the same JSON, regardless of white space and the order of
// members, without the members that differ between runs of a program and do not affect the model:
// user, metadata, prompt_cache_key, safety_identifier, service_tier, request_id, client_request_id,
// idempotency_key and timestamp, at the top level. Other bodies are compared byte by byte. Values
// in the query, and texts in a JSON body, that were recorded as "[redacted]" or as the placeholder of
// a rule match any value.
//
// A process that records is a recording. Of a session that was recorded several times, one after the
// other, the newest recording that has the same body answers; if none has it, the newest.
//
// # JSON-RPC
//
// A JSON-RPC request, as of MCP and A2A, is answered with the recorded answer to the same method and
// params, whatever was asked before: without _meta; else without the id that an A2A client makes up
// for a message; else, unless match=body, that to the same method and name or uri of the params. The
// ids of the answer, and the tokens of progress notifications, are those of the client, also where
// the answer arrives on another stream. A request without a recorded answer is answered with a
// JSON-RPC error, a notification with 202.
//
// An MCP server that named a session in its answer to initialize names a new one for each
// initialize. A request that names an unknown or ended session is answered with 404; DELETE ends a
// session, with 204 if the recording has no answer.
//
// # Resuming
//
// A request with a Last-Event-ID resumes an answer whose events have ids: after the event with that
// id (the last of adjacent events that have it), on the recorded clock. If several answers have
// that id, the one that the take chose last is resumed, otherwise the first. Resuming does not
// count as another playback. A client that has received everything is answered with 204. Events
// without an id after the last event with an id are sent until the take has played them to the end
// once, since clients that received them send the same id as clients that did not. If an answer
// broke off after the id and another answer follows it in the session, the other answer is played
// as recorded.
//
// If the recorded client sent the same id, its answer is played from its beginning. For an id that
// no answer has, the next answer in order is played. A request without an id is answered with an
// exchange whose request had none, if there is any.
//
// # The answer
//
// Times count from the request's last byte, as in the recording. Header fields are sent as
// recorded, with addresses of the recorded server, in any field, replaced by those of the emulation,
// as in bodies below /.well-known/ (agent cards). Left out are fields of the connection itself (RFC 9110, section 7.6.1), fields that set
// lasting browser state for the recorded server (Strict-Transport-Security, Alt-Svc,
// Clear-Site-Data), redacted fields, and Content-Encoding and Content-Length if the body was
// recorded decoded. An answer that its server broke off in the recording breaks off here too. An
// answer that its client abandoned (schema.EndClientGone) does not: the server had not failed, so
// the body ends normally after the recorded bytes, without the protocol's last event. It breaks off
// only if the recorded Content-Length is larger.
//
// A WebSocket has the recorded subprotocol if the client offers it, else none. Messages of the
// server follow as many messages of the client as in the recording. The server's close frame is
// played with its code and reason; without one, the connection breaks off. If the recorded client
// closed first, the server waits for the client. An upgrade that was refused is refused as recorded.
package httpreplay
