package redact

import (
	"bytes"
	"net/textproto"
	"net/url"
	"strings"

	"tapedeck/internal/secrets"
	"tapedeck/schema"
)

const redacted = secrets.Mask

// ByName masks what is a secret by its name: values of header fields, cookies, parameters of
// URLs, members of JSON bodies, arguments of commands. What has the format of a secret is
// masked by a Masker, wherever it is.
type ByName struct {
	names secrets.Names
	off   bool
}

// NewByName returns the masking by name: also has further names of secrets, keep those that
// are none although they have words of secrets; off masks nothing.
func NewByName(also, keep []string, off bool) *ByName {
	return &ByName{secrets.Names{Also: also, Keep: keep}, off}
}

// urlFields are header fields that hold a URL, whose query may hold a secret.
var urlFields = map[string]bool{"Location": true, "Content-Location": true, "Referer": true}

// keyProtocols are WebSocket subprotocols that carry a key after their name, which has a dot: browsers use
// such protocols because they cannot set header fields for WebSockets.
var keyProtocols = []string{"base64url.bearer.authorization.k8s.io."}

// Field returns a header field's value for recording. The case of its name does not matter.
func (x *ByName) Field(name, value string) string {
	name = textproto.CanonicalMIMEHeaderKey(name) // headers of NATS have any case
	switch {
	case x.off:
		return value
	case name == "Cookie":
		return cookies(value)
	case name == "Set-Cookie":
		cookie, attributes, _ := strings.Cut(value, ";")
		if cookie = cookies(cookie); attributes != "" {
			cookie += ";" + attributes
		}
		return cookie
	case x.names.Header(name):
		return redacted
	case urlFields[name]:
		return x.URL(value)
	case name == "Sec-Websocket-Protocol":
		return x.protocols(value)
	}
	return value
}

// cookies masks the values of all cookies and keeps their names: any cookie may
// identify a login.
func cookies(list string) string {
	items := strings.Split(list, ";")
	for i, item := range items {
		name, _, ok := strings.Cut(item, "=")
		if items[i] = name + "=" + redacted; !ok { // a value without a name
			items[i] = redacted
		}
	}
	return strings.Join(items, ";")
}

// Body masks secrets in a frame that is a JSON body, or its beginning, and sets
// FlagRedacted if there were any.
func (x *ByName) Body(f *schema.Frame) { x.mask(f, x.names.MaskMembers) }

// Answer is Body for a JSON body that a server sends.
func (x *ByName) Answer(f *schema.Frame) { x.mask(f, x.names.MaskAnswer) }

// Form is Body for a frame that is a form (application/x-www-form-urlencoded), or JSON, which curl sends
// as one.
func (x *ByName) Form(f *schema.Frame) {
	if bytes.HasPrefix(bytes.TrimLeft(f.Raw, " \t\r\n"), []byte("{")) {
		x.Body(f)
		return
	}
	x.mask(f, x.names.MaskForm)
}

func (x *ByName) mask(f *schema.Frame, by func([]byte) ([]byte, []secrets.Cut)) {
	if x.off {
		return
	}
	masked, cuts := by(f.Raw)
	if cuts == nil {
		return
	}
	f.Raw = masked
	f.Flags |= schema.FlagRedacted
	for i := range f.Cuts { // move the ends of reads to their places in the masked frame
		at, shift := int(f.Cuts[i].Offset), 0
		for _, c := range cuts {
			if at < c.To {
				at = min(at, c.From+c.Length) // the read ended within the secret
				break
			}
			shift += c.Length - (c.To - c.From)
		}
		f.Cuts[i].Offset = uint32(at + shift)
	}
}

// protocols masks the keys in a list of WebSocket subprotocols: what follows the name of a secret, behind a dot
// or as the next item, and what is no name of a protocol by its look.
func (x *ByName) protocols(list string) string {
	items := strings.Split(list, ",")
	before := ""
	for i, item := range items {
		text := strings.TrimLeft(item, " \t")
		space := item[:len(item)-len(text)]
		name := x.protocolName(text)
		switch {
		case name != "":
			items[i] = space + name + redacted
		case text != "" && before != "" && x.names.Header(before), len(text) >= protocolLeast && !strings.Contains(text, ".") && random([]byte(text)):
			items[i] = space + redacted
		}
		if before = strings.TrimRight(text, " \t"); strings.Contains(before, ".") {
			before = ""
		}
	}
	return strings.Join(items, ",")
}

// protocolLeast is the length from which on a subprotocol of letters and digits without a dot is a key.
const protocolLeast = 24

// protocolName returns the name before the key of a subprotocol, with its dot; "" for a subprotocol without a key.
func (x *ByName) protocolName(text string) string {
	for _, prefix := range keyProtocols {
		if strings.HasPrefix(text, prefix) {
			return prefix
		}
	}
	if name, key, ok := strings.Cut(text, "."); ok && key != "" && x.names.Header(name) {
		return name + "."
	}
	return ""
}

// URL redacts the parameters of a request target or a URL, in its path, query and
// fragment, and leaves everything else unchanged.
func (x *ByName) URL(s string) string {
	if x.off {
		return s
	}
	s = hidePassword(s)
	path, rest, ok := strings.Cut(s, "?")
	if !ok {
		path, rest, ok = strings.Cut(s, "#") // as in an implicit OAuth grant
		if !ok {
			return x.path(s)
		}
		return x.path(path) + "#" + x.parameters(rest)
	}
	query, fragment, hasFragment := strings.Cut(rest, "#")
	s = x.path(path) + "?" + x.parameters(query)
	if hasFragment {
		s += "#" + x.parameters(fragment)
	}
	return s
}

// hidePassword replaces the user information of a URL.
func hidePassword(s string) string {
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok || strings.ContainsAny(scheme, "/?#") {
		return s
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	if at := strings.LastIndexByte(rest[:end], '@'); at >= 0 {
		return scheme + "://redacted" + rest[at:] // still a valid URL
	}
	return s
}

func (x *ByName) parameters(query string) string {
	pairs := strings.Split(query, "&")
	for i, pair := range pairs {
		pairs[i] = x.values(pair, 0)
	}
	return strings.Join(pairs, "&")
}

// path redacts the parameters that follow ";" in the segments of a path.
func (x *ByName) path(path string) string {
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		if at := strings.IndexByte(segment, ';'); at >= 0 {
			segments[i] = x.values(segment, at+1)
		}
	}
	return strings.Join(segments, "/")
}

// values masks the first secret among the parameters that ";" separates from the given
// offset on, and all that follows it: the secret may itself have a ";".
func (x *ByName) values(list string, at int) string {
	for item := range strings.SplitSeq(list[at:], ";") {
		name, _, ok := strings.Cut(item, "=")
		if plain, err := url.QueryUnescape(name); err == nil && ok && x.names.Query(plain) {
			return list[:at+len(name)+1] + redacted
		}
		at += len(item) + 1
	}
	return list
}
