// Package httpreplay plays back recorded HTTP exchanges, with status, header fields, bytes, chunks
// and timing:
//
//   - An exchange that the recording proxy recorded is played at its method and path.
//   - A stream of a model provider (Anthropic, OpenAI, Gemini) that was recorded without a proxy is
//     played at the provider's path, one answer for each request: an answer ends with its last event.
//   - Any other stream of events that was recorded without a proxy is played at the path from which
//     it was recorded. If it was read from a file, it is played at any path that no proxy recorded.
//
// # Selection of the exchange
//
// Candidates are the exchanges with the request's method and path. If some candidates have the same
// query, the others are dropped. With match=body, candidates whose request had another body are
// dropped. The first remaining candidate that the take has not played is next. When all were
// played, GET and HEAD, which clients poll, receive the last one again; other methods start again
// at the first, so that a program can be run again. The setting end (stop, again or last) overrides
// this. After a stop the answer is 409. Without any candidate the answer is 404 with a list of the
// recorded requests.
//
// Two JSON bodies are equal if they have the same members, regardless of white space and order. The
// comparison ignores members of the top level that differ between runs of a program and do not
// affect the model: user, metadata, prompt_cache_key, safety_identifier, service_tier, request_id,
// client_request_id, idempotency_key and timestamp. Other bodies are compared byte by byte. A value
// in the query or a text in a JSON body that was recorded as "[redacted]", or as the placeholder of
// a rule, matches any value.
//
// Each process that records makes one recording. If a session was recorded several times, one after
// the other, the newest recording that has the same body answers. If no recording has the body, the
// newest recording answers.
//
// # JSON-RPC
//
// A JSON-RPC request, as in MCP and A2A, is answered with the recorded answer to the most similar
// recorded request, regardless of the order of requests:
//
//   - one with the same method and params, ignoring _meta;
//   - otherwise one that also differs in the message id that an A2A client generates;
//   - otherwise, unless match=body is set, one with the same method and the same name or uri in its
//     params.
//
// The ids in the answer and the tokens of progress notifications are replaced by the client's, even
// if the answer arrives on another stream. A request without a recorded answer is answered with a
// JSON-RPC error, a notification with 202.
//
// If the recorded MCP server returned a session id in its answer to initialize, each initialize is
// answered with a new session id. A request with an unknown or ended session id is answered with
// 404. DELETE ends a session; the answer is 204 if none was recorded.
//
// If only the answers of a server were recorded, its requests are answered in the recorded order, a
// message that is no request with 202. A GET to such an MCP server is answered with events that the
// server sent by itself; without any, GET and DELETE are answered with 405, as by a server without
// these features.
//
// # Resuming
//
// A request with a Last-Event-ID resumes an answer whose events have ids. The answer continues
// after the event with that id, or after the last of several adjacent events with that id, on the
// recorded clock. If several answers have that id, the one that the take chose last is resumed; if
// the take chose none of them, the first. Resuming does not count as another playback. A client
// that has received everything is answered with 204. Events without an id after the last event with
// an id are sent until the take has played them to the end once, since clients that received them
// send the same id as clients that did not. If an answer broke off after the id and another answer
// follows it in the session, the other answer is played as recorded.
//
// A GET also resumes an answer to POST at its path, as in MCP, if no answer to a GET has the id. The
// answer then has the id of the client's message.
//
// If the recorded client sent the same id, its answer is played from its beginning. For an id that
// no answer has, the next answer in order is played. A request without an id is answered with an
// exchange whose request had none, if there is any.
//
// # The answer
//
// Times count from the last byte of the request, as in the recording. Header fields are sent as
// recorded. Addresses of the recorded server are replaced by addresses of the emulation in all
// header fields, and in bodies below /.well-known/ (agent cards). These header fields are left out:
//
//   - fields of the connection itself (RFC 9110, section 7.6.1);
//   - fields that set lasting browser state for the recorded server (Strict-Transport-Security,
//     Alt-Svc, Clear-Site-Data);
//   - redacted fields;
//   - Content-Encoding and Content-Length if the body was recorded decoded.
//
// If the server broke off an answer in the recording, the answer breaks off here too. If the client
// abandoned an answer in the recording (schema.EndClientGone), the server had not failed: the body
// ends normally after the recorded bytes, without the protocol's last event. It breaks off only if
// the recorded Content-Length is larger. A stream of events that answers a GET stays open instead,
// since clients would connect again and receive it once more.
//
// An answer that was recorded without its request has the provider's end marker, such as [DONE], also
// if the recording has none, unless the answer broke off, was abandoned, or was cut off inside of an
// event.
//
// A WebSocket has the recorded subprotocol if the client offers it, otherwise none. The server
// sends each message after as many client messages as in the recording. It sends the recorded close
// frame with its code and reason; if none was recorded, the connection breaks off. If the recorded
// client closed first, the server waits for the client to close. A recorded refusal of an upgrade
// is played as recorded.
package httpreplay
