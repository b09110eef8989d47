package origin

import (
	"errors"
	"net/http"
)

// redirectsMost bounds the redirects of one request, as net/http does by default.
const redirectsMost = 10

// GuardRedirects returns a function for http.Client.CheckRedirect. A request that is redirected to
// another host or port, or from https to http, loses its Referer and the header fields in header.
// The user gave these fields for the first server, and they may hold credentials. net/http alone
// removes only fields with standard names, such as Authorization.
func GuardRedirects(header http.Header) func(*http.Request, []*http.Request) error {
	return func(req *http.Request, via []*http.Request) error {
		if len(via) >= redirectsMost {
			return errors.New("stopped after 10 redirects")
		}
		first := via[0].URL
		if req.URL.Host == first.Host && (req.URL.Scheme == first.Scheme || first.Scheme == "http") {
			return nil
		}
		for name := range header {
			req.Header.Del(name)
		}
		req.Header.Del("Referer")
		return nil
	}
}
