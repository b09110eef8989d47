package httpreplay

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"

	"tapedeck/schema"
)

// isHead reports whether a frame is a head, trailers, or a note that is stored like a head.
func isHead(f *schema.Frame) bool {
	return f.Transport == schema.HTTP && f.Flags.Has(schema.FlagNote)
}

// requestLine parses the first line of a recorded request.
func requestLine(raw []byte) (method string, u *url.URL, ok bool) {
	line, _, _ := bytes.Cut(raw, []byte("\r\n"))
	parts := strings.Split(string(line), " ")
	if len(parts) != 3 || !strings.HasPrefix(parts[2], "HTTP/") {
		return "", nil, false
	}
	u, err := url.ParseRequestURI(parts[1])
	return parts[0], u, err == nil
}

// statusLine parses the status of a recorded answer; it returns false for any other note.
func statusLine(raw []byte) (int, bool) {
	line, _, _ := bytes.Cut(raw, []byte("\r\n"))
	proto, rest, _ := bytes.Cut(line, []byte(" "))
	code, _, _ := bytes.Cut(rest, []byte(" "))
	n, err := strconv.Atoi(string(code))
	return n, err == nil && bytes.HasPrefix(proto, []byte("HTTP/")) && n >= 100 && n <= 999
}

// fields parses the header fields of a head or of trailers. startLine is set if the first line is a
// start line.
func fields(raw []byte, startLine bool) (http.Header, error) {
	if startLine {
		_, raw, _ = bytes.Cut(raw, []byte("\r\n"))
	}
	h, err := textproto.NewReader(bufio.NewReader(bytes.NewReader(raw))).ReadMIMEHeader()
	if err != nil {
		return nil, fmt.Errorf("read a recorded head: %w", err)
	}
	return http.Header(h), nil
}

// decodedField marks a body that was recorded decoded.
const decodedField = "Tapedeck-Decoded"

// ofConnection lists fields of the recorded connection, which the server sets itself for each
// connection, and fields that would set browser state for the recorded server.
var ofConnection = []string{
	"Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate",
	"Te", "Trailer", "Transfer-Encoding", "Upgrade",
	"Strict-Transport-Security", "Alt-Svc", "Clear-Site-Data",
}

// carry copies recorded header fields to an answer.
func carry(to, recorded http.Header) {
	drop := map[string]bool{decodedField: true}
	for _, name := range ofConnection {
		drop[name] = true
	}
	for _, list := range recorded["Connection"] {
		for name := range strings.SplitSeq(list, ",") {
			drop[textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(name))] = true
		}
	}
	if len(recorded[decodedField]) > 0 {
		drop["Content-Encoding"], drop["Content-Length"] = true, true
	}
	for name, values := range recorded {
		if drop[name] {
			continue
		}
		for _, v := range values {
			if !strings.Contains(v, redacted) {
				to[name] = append(to[name], v)
			}
		}
	}
}
