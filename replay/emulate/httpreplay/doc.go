// Package httpreplay plays back HTTP exchanges: what the recording proxy recorded for a
// method and path, with status, header fields, bytes, chunks and timing; and
// streams of model providers (Anthropic, OpenAI, Gemini) that were recorded
// without a proxy, at the path where the provider serves them.
//
// # Which one is played
//
// Candidates are the exchanges with the request's method and path, and, if some
// of them have the same query, only those. The first candidate
// that this take has not played is next; with match=body only those whose
// request had the same body are candidates. When all were played, GET and HEAD, which
// clients poll, receive the last one again, and other methods start
// again at the first, so that a program can be run again; end=stop, again or last
// overrides this. After a stop the answer is 409; without any candidate it is 404 with
// a list of the recorded requests.
//
// Bodies are the same if they are the same JSON, in any order of members and
// with any white space, without the members that differ between runs of a program
// and do not affect the model: user, metadata, prompt_cache_key,
// safety_identifier, service_tier, request_id, client_request_id,
// idempotency_key and timestamp, at the top level. Other bodies are compared byte
// by byte. Values of the query, and texts of a JSON body, that were recorded as
// "[redacted]" or as the placeholder of a rule are equal to anything.
//
// # Resuming
//
// A request with a Last-Event-ID resumes an answer whose events have ids: after the
// event of that id (the last in a row that have it), on the recorded clock. Of the
// answers with that id it is the one that the take chose last, otherwise the first. It
// does not count as another playback. A client that has received everything is
// answered 204. Events without an id after the last one with an id are sent until the
// take has played them to the end once: clients that received them send the same id as
// clients that did not. If an answer broke off after the id, and the session has another
// one after it, that one is played, as recorded.
//
// If the recorded client sent the same id, its answer is played from its beginning. For
// an id that no answer has, the next answer in order is. A request without an id is
// answered with an exchange whose request had none, if there is any.
//
// # The answer
//
// Times count from the request's last byte, as they did when it was recorded.
// Header fields are sent as recorded, except those of the connection itself
// (RFC 9110, section 7.6.1), those that set lasting browser state for the recorded
// server (Strict-Transport-Security, Alt-Svc, Clear-Site-Data),
// redacted ones, and Content-Encoding and Content-Length where the body was
// recorded decoded. An answer that its server broke off in the recording breaks
// off. One that its client abandoned (schema.EndClientGone) does not: the
// server had not failed, so the body ends normally after the recorded bytes
// and lacks the protocol's last event. It breaks off only if the recorded
// Content-Length is larger.
package httpreplay
