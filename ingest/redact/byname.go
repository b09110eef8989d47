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

// ByName masks values that are secrets by their name: values of header fields, cookies, parameters
// of URLs, members of JSON bodies and arguments of commands. A Masker masks values that have the
// format of a secret, wherever they are.
type ByName struct {
	names secrets.Names
	off   bool
}

// NewByName returns a ByName. also are further names of secrets. keep are names that are not masked
// although they contain words that denote secrets. If off is set, nothing is masked.
func NewByName(also, keep []string, off bool) *ByName {
	return &ByName{secrets.Names{Also: also, Keep: keep}, off}
}

// urlFields are header fields that hold a URL, whose query may hold a secret.
var urlFields = map[string]bool{"Location": true, "Content-Location": true, "Referer": true}

// keyProtocols are prefixes of WebSocket subprotocols that carry a key after a dot. Browsers use
// such subprotocols because they cannot set header fields for WebSockets.
var keyProtocols = []string{"base64url.bearer.authorization.k8s.io."}

// Field returns the value of a header field for recording. The name is case-insensitive.
func (x *ByName) Field(name, value string) string {
	name = textproto.CanonicalMIMEHeaderKey(name) // header names in NATS are case-sensitive
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

// cookies masks the values of all cookies and keeps their names, since any cookie may identify a
// login.
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

// Body masks secrets in a frame that is a JSON body, or the beginning of one. It sets FlagRedacted
// if it masked any.
func (x *ByName) Body(f *schema.Frame) { x.mask(f, x.names.MaskMembers) }

// Answer does the same as Body for a JSON body that a server sends.
func (x *ByName) Answer(f *schema.Frame) { x.mask(f, x.names.MaskAnswer) }

// Form does the same as Body for a frame that is a form (application/x-www-form-urlencoded), or
// JSON, which curl sends with that content type.
func (x *ByName) Form(f *schema.Frame) {
	if bytes.HasPrefix(bytes.TrimLeft(f.Raw, " \t\r\n"), []byte("{")) {
		x.Body(f)
		return
	}
	x.mask(f, x.names.MaskForm)
}

// Part does the same as Body for a frame that is a part of a multipart body, or the beginning of
// one. The frame begins with the line of the part's delimiter.
func (x *ByName) Part(f *schema.Frame) { x.mask(f, x.names.MaskPart) }

// PartOf describes the part that a text begins with. A part is not a secret if nothing is masked.
func (x *ByName) PartOf(text []byte) secrets.Part {
	part := x.names.Part(text)
	part.Secret = part.Secret && !x.off
	return part
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
	for i := range f.Cuts { // move the ends of reads to their offsets in the masked frame
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

// protocols masks the keys in a list of WebSocket subprotocols: the text after the name of a
// secret, whether separated by a dot or as the next item of the list, and items that do not look
// like names of subprotocols.
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
		case text != "" && before != "" && x.names.Header(before),
			len(text) >= protocolLeast && !strings.Contains(text, ".") && random([]byte(text)):
			items[i] = space + redacted
		}
		if before = strings.TrimRight(text, " \t"); strings.Contains(before, ".") {
			before = ""
		}
	}
	return strings.Join(items, ",")
}

// protocolLeast is the minimum length, in bytes, of a subprotocol of letters and digits without a
// dot that is treated as a key.
const protocolLeast = 24

// protocolName returns the prefix of a subprotocol before its key, including the dot; "" for a
// subprotocol without a key.
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

// URL masks the parameters in the path, query and fragment of a request target or a URL, and leaves
// everything else unchanged.
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

// hidePassword replaces the user information of a URL by "redacted".
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

// path masks the parameters that follow ";" in the segments of a path.
func (x *ByName) path(path string) string {
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		if at := strings.IndexByte(segment, ';'); at >= 0 {
			segments[i] = x.values(segment, at+1)
		}
	}
	return strings.Join(segments, "/")
}

// values masks the first secret among the parameters that are separated by ";", from the given
// offset on, and everything after it, since the secret itself may contain ";".
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
