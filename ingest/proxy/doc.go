// Package proxy is a transparent recording proxy: agents and UIs are pointed at
// it in place of one upstream server, and every exchange is recorded in both
// directions while it passes by.
//
// # Forwarding
//
// Forwarding is net/http/httputil.ReverseProxy's. What is read is written and
// flushed at once, and a copy is queued for recording, whose turn it is once that
// is done, so that recording delays nothing. Method, path and query, header fields, status, body and trailers
// pass as they are, with these exceptions, all of which a proxy owes (RFC 9110,
// sections 7.2 and 7.6.1): the fields of the connection itself are not
// forwarded, Host becomes that of the upstream, the case and order of header
// fields is net/http's, and so is the framing of bodies. Content-Encoding is
// not touched. Fields that name the client (X-Forwarded-For and its like) are
// added only if asked for. Addresses in what the upstream says (Location, for
// one) are not rewritten.
//
// Trailers that a client sends must be announced in its Trailer field, as RFC
// 9110 section 6.6.2 wants them to be. A request body with a Content-Length may
// have its first 4 KiB held until more of it comes.
//
// CONNECT and requests to other hosts are refused: this is a proxy to one
// server, not one for HTTP_PROXY.
//
// # Overload
//
// Copies wait in a queue that is bounded for each exchange (Options.QueueBytes)
// and over all (TotalBytes). A fast transfer that fills its queue goes at the
// pace of the recorder; but once the recorder does not move for
// Options.Timeout (1 s), or if all queues together are full, the recording of
// this exchange ends, with the reason "error: recorder overloaded: …", counted
// and logged, and the exchange goes on at full speed. A stream of events is not
// held up at all, short of megabytes that wait. With Options.Strict forwarding
// waits for as long as it takes, and an exchange that cannot be recorded is cut
// off.
//
// # What is recorded
//
// An exchange is a stream of its own. Its frames, in the order in which their
// last byte passed:
//
//   - The head of the request, then that of the answer, and any 1xx before it:
//     Transport HTTP, FlagNote; start line and fields as text, lines ended by
//     CRLF, a blank line at the end. The request's is as the client sent it.
//     Values of fields, query parameters and cookies that hold secrets by their
//     names (package secrets, Options.Redact) are replaced by "[redacted]".
//   - Bodies, by their Content-Type: text/event-stream is cut into events, the
//     NDJSON types into lines; application/json and its like is one frame of
//     the transport HTTP; of any other type every read is a frame of the
//     transport HTTP. A body that is cut off ends in a frame that is marked
//     FlagUnterminated, if anything of a frame was left. In a JSON body that the
//     client sends the object's own members that hold secrets are replaced in the
//     same way, where they are strings; all other bytes stay, and the frame is
//     marked FlagRedacted. What is forwarded is not changed.
//   - Trailers, as a note like a head, without a start line.
//   - After an upgrade to WebSocket: messages; and close frames as notes, such
//     as "close 1000 bye". Pings and pongs are not recorded. After an upgrade
//     to anything else: every read is a frame of the transport HTTP.
//
// A body with a Content-Encoding of gzip, deflate, zstd or br is decoded for
// recording, read by read, so that events show as they arrive: frames hold the
// decoded bytes, their boundaries are those of the compressed reads. The head
// then has one more field at its end, "Tapedeck-Decoded: gzip", which tells
// that its Content-Encoding and Content-Length are not those of the frames.
// Where decoding fails, a note says so and the rest is recorded as it came.
// With Options.KeepCoding such bodies are recorded as they came from the start.
//
// The stream's end reason is "eof"; for a WebSocket that was closed in good
// order, and for an answer whose client hung up after the protocol's last event,
// "closed"; otherwise "error: …". Which event is the last its dialect knows
// (dialect.Dialect.Ends).
//
// # WebSocket
//
// Upgraded connections are tunnelled byte by byte, extensions included; a
// passive reader makes messages of the copies of both directions. Stripping
// Sec-WebSocket-Extensions from the handshake would have been simpler, but then
// the two ends would speak otherwise than without the proxy. So
// permessage-deflate is decoded in the copy (RFC 7692), with context takeover.
// Messages of connections that negotiated another extension are recorded as
// their payloads.
package proxy
