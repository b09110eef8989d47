package proxy

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tapedeck/internal/contentcoding"
)

// rewriteLimit bounds the bytes of a body, also decoded, in which addresses are replaced. A larger
// body passes unchanged.
const rewriteLimit = 4 << 20

// rewriteAnswer replaces the upstream's addresses by the proxy's in an answer, with
// Options.RewriteAddresses: in header fields, and in JSON bodies of a stated length or below
// /.well-known/, where agents describe themselves. Other bodies are streams, which would have to
// wait for their end. The answer was recorded as the upstream sent it.
func (p *Proxy) rewriteAnswer(res *http.Response) error {
	own := exchangeOf(res.Request).own
	if !p.opts.RewriteAddresses || own == "" {
		return nil
	}
	by := p.addresses(own)
	for name, values := range res.Header {
		if name == "Set-Cookie" {
			continue
		}
		for i := range values {
			if changed, ok := by.replace([]byte(values[i])); ok {
				values[i] = string(changed)
			}
		}
	}
	media, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	isJSON := media == "application/json" || strings.HasSuffix(media, "+json")
	described := strings.Contains(res.Request.URL.Path, "/.well-known/")
	switch {
	case res.StatusCode < 200 || res.StatusCode == http.StatusPartialContent || !isJSON || len(res.Trailer) > 0:
		return nil
	case res.ContentLength < 0 && !described || res.ContentLength > rewriteLimit:
		return nil
	case res.Request.Method == http.MethodHead:
		res.Header.Del("Content-Length") // the length of the replaced body is not known
		return nil
	}
	return by.replaceBody(res)
}

// replaceBody replaces addresses in the body of an answer.
func (by addresses) replaceBody(res *http.Response) error {
	text, err := io.ReadAll(io.LimitReader(res.Body, rewriteLimit+1))
	if errors.Is(err, errUnrecorded) {
		return errors.Join(err, res.Body.Close())
	}
	upstream := res.Body
	res.Body = readCloser{io.MultiReader(bytes.NewReader(text), upstream), upstream} // which returns its error again
	if err != nil || len(text) > rewriteLimit {
		return nil
	}
	coding := strings.TrimSpace(strings.Join(res.Header.Values("Content-Encoding"), ","))
	plain := text
	if coding != "" && !strings.EqualFold(coding, "identity") {
		if plain, err = decoded(coding, text); err != nil {
			return nil // the client is to see what the upstream sent
		}
	}
	changed, ok := by.replace(plain)
	if !ok {
		return nil
	}
	for _, name := range []string{"Content-Encoding", "Content-Md5", "Content-Digest", "Digest", "Repr-Digest"} {
		res.Header.Del(name)
	}
	res.Body = readCloser{bytes.NewReader(changed), upstream}
	if res.ContentLength >= 0 {
		res.ContentLength = int64(len(changed))
		res.Header.Set("Content-Length", strconv.Itoa(len(changed)))
	}
	return nil
}

type readCloser struct {
	io.Reader
	io.Closer
}

var errNotDecoded = errors.New("the body cannot be decoded")

// decoded returns a whole body without its content coding.
func decoded(coding string, text []byte) (plain []byte, err error) {
	if !contentcoding.Known(coding) {
		return nil, errNotDecoded
	}
	d := contentcoding.New(coding)
	defer d.Stop()
	out := func(p []byte) error {
		if plain = append(plain, p...); len(plain) > rewriteLimit {
			return errNotDecoded
		}
		return nil
	}
	if err := d.Decode(text, out); err != nil {
		return nil, err
	}
	return plain, d.End(out)
}

// addresses maps base URLs of the upstream to base URLs of the proxy.
type addresses []struct{ from, to []byte }

// addresses returns the replacements for clients that call the proxy at a base URL. Addresses
// outside of the upstream's path cannot be reached through the proxy and are not replaced.
func (p *Proxy) addresses(own string) (by addresses) {
	path := strings.TrimSuffix(p.upstream.EscapedPath(), "/")
	hosts := []string{p.upstream.Host, strings.ToLower(p.upstream.Host)}
	for scheme, port := range map[string]string{"http": ":80", "https": ":443"} {
		if p.upstream.Scheme != scheme {
			continue
		}
		if name, ok := strings.CutSuffix(p.upstream.Host, port); ok {
			hosts = append(hosts, name)
		} else if p.upstream.Port() == "" {
			hosts = append(hosts, p.upstream.Host+port)
		}
	}
	slices.Sort(hosts)
	add := func(from, to string) {
		by = append(by, struct{ from, to []byte }{[]byte(from), []byte(to)})
	}
	// Backward, so that a host with a port precedes the same host without one.
	for _, host := range slices.Backward(slices.Compact(hosts)) {
		for _, pair := range [][2]string{
			{p.upstream.Scheme + "://" + host + path, own},
			{strings.Replace(p.upstream.Scheme, "http", "ws", 1) + "://" + host + path, strings.Replace(own, "http", "ws", 1)},
		} {
			add(pair[0], pair[1])
			add(strings.ReplaceAll(pair[0], "/", `\/`), strings.ReplaceAll(pair[1], "/", `\/`)) // in JSON
		}
	}
	return by
}

// replace returns a text with all addresses replaced, and whether there were any. An address is
// replaced only if it ends at the end of its host or of a segment of its path.
func (by addresses) replace(text []byte) (changed []byte, ok bool) {
	done := 0 // the text before this offset is in changed
	for i := 0; i < len(text); i++ {
		for _, pair := range by {
			if !bytes.HasPrefix(text[i:], pair.from) || !endsHere(text[i+len(pair.from):]) || !startsHere(text[:i]) {
				continue
			}
			changed = append(append(changed, text[done:i]...), pair.to...)
			done = i + len(pair.from)
			i = done - 1
			break
		}
	}
	return append(changed, text[done:]...), done > 0
}

// endsHere reports whether a base URL may end before a text.
func endsHere(rest []byte) bool {
	return len(rest) == 0 || !isWord(rest[0]) && !bytes.ContainsRune([]byte(".:-_@%~"), rune(rest[0])) && rest[0] < 0x80
}

// startsHere reports whether a scheme may begin after a text.
func startsHere(before []byte) bool {
	return len(before) == 0 || !isWord(before[len(before)-1])
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// ownAddress returns the base URL by which a client called the proxy.
func ownAddress(r *http.Request) string {
	u := url.URL{Scheme: "http", Host: r.Host}
	if r.TLS != nil {
		u.Scheme = "https"
	}
	return u.String()
}
