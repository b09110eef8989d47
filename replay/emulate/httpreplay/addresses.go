package httpreplay

import (
	"net/http"
	"net/url"
	"strings"

	"tapedeck/replay/emulate/isolate"
)

// addressesOf returns a replacer that replaces the addresses of the recorded server by addresses of
// the emulation, so that a client that follows an address in an answer stays in the recording. It
// returns nil if the address of the recorded server is unknown.
func addressesOf(r *http.Request, x *exchange, path string) *strings.Replacer {
	_, source, _ := strings.Cut(x.stream.Source, " ") // the method comes first
	u, err := url.Parse(source)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil
	}
	asked, _, _ := strings.Cut(r.RequestURI, "?")
	asked, err = url.PathUnescape(asked)
	if err != nil {
		return nil
	}
	base, below := strings.CutSuffix(asked, path)
	if !below {
		return nil
	}
	own := r.Header.Get(isolate.OwnOrigin) // "tapedeck emulate" forwards the request
	switch {
	case strings.HasPrefix(own, "http://"):
		base = own
	case r.TLS != nil:
		base = "https://" + r.Host + (&url.URL{Path: base}).EscapedPath()
	default:
		base = "http://" + r.Host + (&url.URL{Path: base}).EscapedPath()
	}
	var pairs []string
	replace := func(address string) {
		pairs = append(pairs, address, base, strings.ReplaceAll(address, "/", `\/`), strings.ReplaceAll(base, "/", `\/`))
	}
	origin := u.Scheme + "://" + u.Host
	if prefix, ok := strings.CutSuffix(u.Path, x.path); ok && prefix != "" { // the path of --upstream
		replace(origin + prefix)
	}
	replace(origin)
	return strings.NewReplacer(pairs...)
}

// describesServer reports whether the answer at a path describes the server and its addresses, as
// an agent card does (RFC 8615).
func describesServer(path string) bool { return strings.Contains(path, "/.well-known/") }
