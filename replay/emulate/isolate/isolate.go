// Package isolate prevents recordings from acting on the origin from which they are served. The
// server has its pages and its API at the same origin as emulated recordings. A recorded page,
// script or worker that a browser ran there could read and delete every recording. So only
// programs, fetch, EventSource and WebSocket are answered there, and requests whose answer a
// browser would run or show are refused. "tapedeck emulate" serves a recording on a separate port,
// and so at a separate origin, where pages work as recorded.
package isolate

import (
	"net/http"
	"slices"
	"strings"

	"tapedeck/internal/problem"
)

// OwnOrigin is the request header with which "tapedeck emulate" requests answers as recorded, since
// it serves them on a separate port. Its value is the address of that port, http://HOST. It is
// ignored in requests with Sec-Fetch fields: a browser always sends these fields, and no page can
// omit them.
const OwnOrigin = "Tapedeck-Own-Origin"

// passive are the destinations (Sec-Fetch-Dest) whose answers a browser neither runs nor
// shows as a document. "empty" is the destination of fetch, XMLHttpRequest, EventSource
// and navigator.sendBeacon.
var passive = []string{"empty", "websocket", "image", "audio", "video", "track", "font", "json"}

// dropped are response header fields that act on the origin rather than on the one
// answer that they came with:
//
//	Set-Cookie, Set-Login                      state of the origin in the browser
//	Service-Worker-Allowed                     widens what a worker controls
//	Clear-Site-Data                            deletes the origin's storage
//	Refresh                                    navigates to an address of the recording's choice
//	Link, Speculation-Rules                    have the browser load, connect or navigate ahead
//	Strict-Transport-Security, Public-Key-Pins,
//	Expect-CT, Alt-Svc                         bind the browser to the recorded server
//	Reporting-Endpoints, Report-To, Nel        report about the origin to others
//	Content-Security-Policy-Report-Only        the same; what it asks for has no effect here
//	Accept-Ch, Critical-Ch                     ask for client hints of the origin
//	Origin-Agent-Cluster, Use-As-Dictionary,
//	Activate-Storage-Access,
//	Observe-Browsing-Topics,
//	Attribution-Reporting-Register-Source,
//	Attribution-Reporting-Register-Trigger     other state of the origin
var dropped = []string{
	"Set-Cookie", "Set-Login", "Service-Worker-Allowed", "Clear-Site-Data", "Refresh", "Link", "Speculation-Rules",
	"Strict-Transport-Security", "Public-Key-Pins", "Expect-Ct", "Alt-Svc",
	"Reporting-Endpoints", "Report-To", "Nel", "Content-Security-Policy-Report-Only",
	"Accept-Ch", "Critical-Ch", "Origin-Agent-Cluster", "Use-As-Dictionary", "Activate-Storage-Access",
	"Observe-Browsing-Topics", "Attribution-Reporting-Register-Source", "Attribution-Reporting-Register-Trigger",
}

// forProxies are response header fields that control a proxy in front of the server: the proxy
// would send a file or another address instead (nginx, Apache, lighttpd, Perlbal), or cache the
// answer for other clients. They are removed from all answers, since the recorded application chose
// them.
var forProxies = []string{
	"X-Sendfile", "X-Lighttpd-Send-File", "X-Reproxy-Url", "X-Reproxy-File",
	"Surrogate-Control", "Surrogate-Key", "Cdn-Cache-Control", "Cloudflare-Cdn-Cache-Control", "Edge-Control",
}

// proxyPrefix is the prefix of fields that nginx interprets: X-Accel-Redirect, X-Accel-Expires and
// others.
const proxyPrefix = "X-Accel-"

// Handler returns a handler that answers like next, without effects on the origin of the server.
func Handler(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(OwnOrigin) != "" && !fromBrowser(r) {
			as := &writer{ResponseWriter: w, own: true}
			next(as, r)
			as.end()
			return
		}
		isolated := &writer{ResponseWriter: w}
		if bad := refuse(r); bad != nil {
			problem.Write(isolated, bad)
			return
		}
		next(isolated, r)
		isolated.end()
	}
}

func fromBrowser(r *http.Request) bool {
	return slices.ContainsFunc([]string{"Sec-Fetch-Site", "Sec-Fetch-Mode", "Sec-Fetch-Dest", "Service-Worker"},
		func(name string) bool {
			return r.Header.Get(name) != ""
		})
}

// refuse returns a problem if a request must not be answered, else nil.
func refuse(r *http.Request) *problem.Problem {
	to := strings.ToLower(r.Header.Get("Sec-Fetch-Dest"))
	mode := strings.ToLower(r.Header.Get("Sec-Fetch-Mode"))
	switch {
	case r.Header.Get("Service-Worker") != "":
		to = "serviceworker"
	case strings.Contains(mode, "navigate"):
		if to == "" {
			to = "document"
		}
	case to == "" || slices.Contains(passive, to):
		return nil
	}
	return &problem.Problem{
		Title: "Recordings are not opened here", Status: http.StatusForbidden,
		Parameter: "Sec-Fetch-Dest", Allowed: passive,
		Detail: "A browser asks for this as a " + to +
			", and what was recorded could then act as this server's own page.",
		Hint: `"tapedeck emulate http SESSION" serves the recording on a port of its own, where it opens as recorded. ` +
			`Here it is read with fetch, EventSource, WebSocket, or by a program.`,
	}
}

// writer removes header fields that act on the origin from answers.
type writer struct {
	http.ResponseWriter
	begun bool // the final head was written
	own   bool // "tapedeck emulate" forwards the answer
}

// end must be called when the answer has ended.
func (w *writer) end() {
	if !w.begun { // net/http writes the header
		w.strip()
	}
}

// Unwrap returns the wrapped writer, for http.ResponseController.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader implements http.ResponseWriter. It is also called for every 1xx answer, which may
// have Link fields.
func (w *writer) WriteHeader(status int) {
	w.begun = w.begun || status >= http.StatusOK
	w.strip()
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *writer) Write(p []byte) (int, error) {
	if !w.begun {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(p)
}

func (w *writer) strip() {
	h := w.Header()
	for name := range h {
		if canonical := http.CanonicalHeaderKey(name); slices.Contains(forProxies, canonical) ||
			strings.HasPrefix(canonical, proxyPrefix) {
			delete(h, name)
		}
	}
	w.keepPrivate()
	if w.own {
		return
	}
	for _, name := range dropped {
		h.Del(name)
	}
	const expose = "Access-Control-Expose-Headers"
	if lists := h[expose]; len(lists) > 0 {
		names := slices.DeleteFunc(strings.Split(strings.Join(lists, ","), ","), func(name string) bool {
			return slices.Contains(dropped, http.CanonicalHeaderKey(strings.TrimSpace(name)))
		})
		h.Set(expose, strings.TrimSpace(strings.Join(names, ",")))
	}
	h.Set("Content-Security-Policy", "sandbox")
	h.Set("X-Content-Type-Options", "nosniff")
}

// keepPrivate adds private to Cache-Control, since an answer belongs to one tenant and a shared
// cache must not store it. On a separate port it does so only if a shared cache would store the
// answer to a request with a token (RFC 9111, section 3.5).
func (w *writer) keepPrivate() {
	h := w.Header()
	stated := strings.ToLower(strings.Join(h["Cache-Control"], ","))
	has := func(directive string) bool { return strings.Contains(stated, directive) }
	switch {
	case has("no-store"), has("private") && !has("private="):
	case w.own && !has("public") && !has("s-maxage") && !has("must-revalidate"):
	case stated == "":
		h.Set("Cache-Control", "private")
	default:
		h.Set("Cache-Control", strings.Join(h["Cache-Control"], ", ")+", private")
	}
}
