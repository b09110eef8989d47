package har

import (
	"net/http"
	"net/url"
	"strings"
)

// The form of an entry: HTTP Archive 1.2.
type (
	entry struct {
		Started  string    `json:"startedDateTime"`
		Time     float64   `json:"time"` // ms, like all durations
		Request  request   `json:"request"`
		Response response  `json:"response"`
		Cache    struct{}  `json:"cache"`
		Timings  timings   `json:"timings"`
		Comment  string    `json:"comment,omitempty"` // id of the stream
		Kind     string    `json:"_resourceType,omitempty"`
		Messages []message `json:"_webSocketMessages,omitempty"`
	}
	request struct {
		Method      string  `json:"method"`
		URL         string  `json:"url"`
		Version     string  `json:"httpVersion"`
		Cookies     []pair  `json:"cookies"`
		Headers     []pair  `json:"headers"`
		Query       []pair  `json:"queryString"`
		Posted      *posted `json:"postData,omitempty"`
		HeadersSize int     `json:"headersSize"` // -1: unknown
		BodySize    int     `json:"bodySize"`
	}
	posted struct {
		Media    string `json:"mimeType"`
		Params   []pair `json:"params"`
		Text     string `json:"text"`
		Encoding string `json:"_encoding,omitempty"` // base64; HAR has no member for this encoding here
	}
	response struct {
		Status      int     `json:"status"`
		Reason      string  `json:"statusText"`
		Version     string  `json:"httpVersion"`
		Cookies     []pair  `json:"cookies"`
		Headers     []pair  `json:"headers"`
		Content     content `json:"content"`
		Redirect    string  `json:"redirectURL"`
		HeadersSize int     `json:"headersSize"`
		BodySize    int     `json:"bodySize"`
		Error       string  `json:"_error,omitempty"`
	}
	content struct {
		Size     int    `json:"size"`
		Media    string `json:"mimeType"`
		Text     string `json:"text"`
		Encoding string `json:"encoding,omitempty"`
	}
	timings struct {
		Send    float64 `json:"send"`
		Wait    float64 `json:"wait"`
		Receive float64 `json:"receive"`
	}
)

// entry returns the exchange as a HAR entry.
func (x *exchange) entry() *entry {
	first := max(x.first, x.sent) // an answer may begin before the end of the request
	e := &entry{
		Started: stamp(x.request.at), Request: x.asks(), Response: x.answers(), Comment: x.stream.StreamID,
		Timings: timings{Send: millis(x.sent - x.request.at), Wait: millis(first - x.sent),
			Receive: millis(x.last - first)},
	}
	e.Time = e.Timings.Send + e.Timings.Wait + e.Timings.Receive
	if strings.EqualFold(x.request.field("Upgrade"), "websocket") {
		e.Kind, e.Messages = "websocket", x.messages
	}
	return e
}

func (x *exchange) asks() request {
	h := x.request
	r := request{
		Method: h.start[0], URL: x.url(), Version: h.start[2], Headers: orNone(h.fields), Query: []pair{},
		Cookies: h.cookies("Cookie"), HeadersSize: -1, BodySize: len(x.asked),
	}
	if u, err := url.Parse(r.URL); err == nil {
		for part := range strings.SplitSeq(u.RawQuery, "&") {
			name, value, _ := strings.Cut(part, "=")
			if name != "" {
				r.Query = append(r.Query, pair{unescaped(name), unescaped(value)})
			}
		}
	}
	if len(x.asked) > 0 {
		r.Posted = &posted{Media: h.field("Content-Type"), Params: []pair{}}
		r.Posted.Text, r.Posted.Encoding = text(x.asked)
	}
	return r
}

func (x *exchange) answers() response {
	r := response{
		Headers: []pair{}, Cookies: x.response.cookies("Set-Cookie"), HeadersSize: -1, BodySize: -1,
		Content:  content{Size: len(x.answered), Media: x.response.field("Content-Type")},
		Redirect: x.response.field("Location"),
	}
	r.Status, r.Reason = x.response.status()
	if x.response != nil {
		r.Version, r.Headers = x.response.start[0], orNone(x.response.fields)
	}
	if x.response.field("Tapedeck-Decoded") == "" {
		r.BodySize = len(x.answered) // if the transferred body was not compressed
	}
	r.Content.Text, r.Content.Encoding = text(x.answered)
	if reason, broke := strings.CutPrefix(x.stream.EndReason, "error: "); broke {
		r.Error = reason
	}
	return r
}

// url returns the complete address: the address of the upstream, if the stream's source has it with
// the method, else the address in the Host field.
func (x *exchange) url() string {
	target := x.request.start[1]
	if _, source, ok := strings.Cut(x.stream.Source, " "); ok {
		if u, err := url.Parse(source); err == nil && u.Host != "" {
			return u.Scheme + "://" + u.Host + target
		}
	}
	if strings.HasPrefix(target, "/") {
		return "http://" + x.request.field("Host") + target
	}
	return target
}

// cookies returns the cookies in a head's fields.
func (h *head) cookies(field string) []pair {
	list := []pair{}
	if h == nil {
		return list
	}
	for _, f := range h.fields {
		if !strings.EqualFold(f.Name, field) {
			continue
		}
		if field == "Set-Cookie" {
			if c, err := http.ParseSetCookie(f.Value); err == nil {
				list = append(list, pair{c.Name, c.Value})
			}
			continue
		}
		if cookies, err := http.ParseCookie(f.Value); err == nil {
			for _, c := range cookies {
				list = append(list, pair{c.Name, c.Value})
			}
		}
	}
	return list
}

func orNone(list []pair) []pair {
	if list == nil {
		return []pair{}
	}
	return list
}

// unescaped unescapes a part of a query. A part with invalid escapes is returned unchanged.
func unescaped(s string) string {
	if text, err := url.QueryUnescape(s); err == nil {
		return text
	}
	return s
}
