package har

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"tapedeck/schema"
)

// exchange is the content of one stream of the proxy.
type exchange struct {
	stream   *schema.StreamState
	request  *head
	response *head
	asked    []byte // body of the request
	answered []byte

	sent     int64 // when the request was complete, ns
	first    int64 // when the answer's head arrived
	last     int64 // when the last frame arrived
	messages []message
}

// head is a start line with its fields.
type head struct {
	at     int64
	start  [3]string // request: method, target, protocol; answer: protocol, status, reason
	fields []pair
}

type pair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// message is a WebSocket message in the form of Chrome's HAR.
type message struct {
	Type   string  `json:"type"` // send or receive
	Time   float64 `json:"time"` // s since 1970
	Opcode int     `json:"opcode"`
	Data   string  `json:"data"`
}

// add adds the stream's next frame. It returns false if the stream is not an exchange.
func (x *exchange) add(f *schema.Frame) bool {
	note := f.Flags.Has(schema.FlagNote)
	switch {
	case f.Transport == schema.HTTP && note:
		return x.head(f)
	case x.request == nil:
		return false // the stream does not begin with the head of a request
	case f.Transport == schema.WebSocket && note:
	case f.Transport == schema.WebSocket:
		x.message(f)
	case f.Direction == schema.Send:
		x.asked = append(x.asked, f.Raw...)
		x.sent = f.At
	default:
		x.answered = append(x.answered, f.Raw...)
	}
	if f.Direction == schema.Receive {
		x.last = f.At
	}
	return true
}

// head parses a note: a head, trailers, or a note of the proxy. Of several answers (1xx) the last
// one is kept.
func (x *exchange) head(f *schema.Frame) bool {
	text, rest, _ := strings.Cut(string(f.Raw), "\r\n")
	parts := strings.SplitN(text, " ", 3)
	h := &head{at: f.At}
	copy(h.start[:], parts)
	switch {
	case f.Direction == schema.Send && x.request == nil:
		if len(parts) != 3 || !strings.HasPrefix(parts[2], "HTTP/") {
			return false
		}
		x.request, x.sent = h, f.At
	case f.Direction == schema.Receive && strings.HasPrefix(text, "HTTP/"):
		x.response, x.last = h, f.At
		if x.first == 0 {
			x.first = f.At
		}
	default:
		if f.Direction == schema.Receive {
			x.last = f.At
		}
		return x.request != nil
	}
	for line := range strings.SplitSeq(rest, "\r\n") {
		if name, value, ok := strings.Cut(line, ":"); ok {
			h.fields = append(h.fields, pair{name, strings.TrimSpace(value)})
		}
	}
	return true
}

func (x *exchange) message(f *schema.Frame) {
	m := message{Type: f.Direction.String(), Time: float64(f.At) / 1e9, Opcode: 1, Data: string(f.Raw)}
	if f.Flags.Has(schema.FlagBinary) || !utf8.Valid(f.Raw) {
		m.Opcode, m.Data = 2, base64.StdEncoding.EncodeToString(f.Raw)
	}
	x.messages = append(x.messages, m)
}

// field returns a header field of a head, which may be nil.
func (h *head) field(name string) string {
	if h == nil {
		return ""
	}
	for _, f := range h.fields {
		if strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

// status returns the status of an answer. It is 0 if no answer arrived, as HAR specifies.
func (h *head) status() (code int, reason string) {
	if h == nil {
		return 0, ""
	}
	code, _ = strconv.Atoi(h.start[1]) // 0 if the line has another form
	if reason = h.start[2]; reason == "" {
		reason = http.StatusText(code)
	}
	return code, reason
}

// text returns a body as text, or as Base64 if it is not text.
func text(body []byte) (text, encoding string) {
	if utf8.Valid(body) && !bytes.ContainsRune(body, 0) {
		return string(body), ""
	}
	return base64.StdEncoding.EncodeToString(body), "base64"
}
