// Package proxy is a transparent recording proxy: agents and UIs use it in place of one
// upstream server, and it records every exchange in both directions while it forwards it.
//
// # Forwarding
//
// net/http/httputil.ReverseProxy forwards the requests. What is read is written and flushed at
// once, and a copy is queued for recording. The recorder is notified after the write, so that
// recording delays nothing. Method, path and query, header fields, status, body and trailers are
// forwarded unchanged, except for changes that a proxy must make (RFC 9110, sections 7.2 and
// 7.6.1). Fields of the connection itself are not forwarded. Host becomes the upstream's host.
// net/http determines the case and order of header fields and the framing of bodies.
// Content-Encoding is not changed. Fields that name the client (X-Forwarded-For and similar) are
// added only on request. Addresses in responses of the upstream (such as Location) are not
// rewritten.
//
// Trailers that a client sends must be announced in its Trailer field, as RFC 9110 section 6.6.2
// requires. The first 4 KiB of a request body with a Content-Length may be delayed until more of
// the body arrives.
//
// CONNECT and requests to other hosts are refused: this is a proxy to one server, not one
// for HTTP_PROXY.
//
// # Overload
//
// Copies wait in a queue that is bounded for each exchange (Options.QueueBytes) and over all
// exchanges (TotalBytes). A fast transfer that fills its queue is slowed to the speed of the
// recorder. Once the recorder makes no progress for Options.Timeout (1 s), or if all queues
// together are full, the recording of this exchange ends with the reason "error: recorder
// overloaded: …". The end is counted and logged, and the exchange continues at full speed. A stream
// of events is not delayed unless megabytes wait. With Options.Strict forwarding waits without a
// limit, and an exchange that cannot be recorded is cut off.
//
// # What is recorded
//
// An exchange is a stream of its own. Its frames, ordered by the time at which their last byte was
// forwarded, are:
//   - The head of the request, then the head of the response, and any 1xx before it:
//     Transport HTTP, FlagNote; start line and fields as text, lines ended by
//     CRLF, a blank line at the end. The head of the request is recorded as the
//     client sent it. Values of fields, query parameters and cookies that hold
//     secrets by their names (package secrets, Options.Redact) are replaced by
//     "[redacted]".
//   - Bodies, by their Content-Type. text/event-stream is split into events, the
//     NDJSON types are split into lines, and a body of application/json or a similar
//     type is one frame of the transport HTTP. In a multipart request each part is
//     a frame, and each read of a file. In a body of any other type each read is a
//     frame of the transport HTTP. A body that is cut off ends in a frame that is
//     marked FlagUnterminated, if there was an incomplete frame.
//   - Secrets in bodies: strings in JSON bodies, JSON lines and JSON parts, and fields
//     of forms that the client sends, are replaced in the same way if they hold
//     secrets by their names. All other bytes stay, and the frame is marked
//     FlagRedacted. The forwarded bytes are not changed.
//   - Trailers, as a note like a head, without a start line.
//   - After an upgrade to WebSocket: messages; and close frames as notes, such
//     as "close 1000 bye". Pings and pongs are not recorded. After an upgrade
//     to another protocol: every read is a frame of the transport HTTP.
//
// A body with a Content-Encoding of gzip, deflate, zstd or br is decoded for recording, read by
// read, so that events are recorded as they arrive: frames hold the decoded bytes, and their
// boundaries are the boundaries of the compressed reads. The head then has one more field at its
// end, "Tapedeck-Decoded: gzip", which means that its Content-Encoding and Content-Length do not
// describe the frames. If decoding fails, a note says so and the rest is recorded undecoded. With
// Options.KeepCoding such bodies are recorded undecoded from the start.
//
// The stream's end reason is "closed" for a WebSocket that was closed normally, and for a response
// whose client disconnected after the protocol's last event; "error: …" after a failure; and
// otherwise "eof". The dialect determines which event is the last (dialect.Dialect.Ends).
//
// # WebSocket
//
// Upgraded connections are tunnelled byte by byte, extensions included; a passive reader
// decodes messages from the copies of both directions. Removing Sec-WebSocket-Extensions
// from the handshake would have been simpler, but would change what the two ends send. So
// permessage-deflate is decoded in the copy (RFC 7692), with context takeover. Messages of
// connections that negotiated another extension are recorded as their payloads.
package proxy
