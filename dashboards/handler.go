package dashboards

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
)

// asset is a file as it is sent.
type asset struct {
	contentType string
	etag        string
	plain       []byte
	gzip        []byte // nil where it saves nothing
	brotli      []byte // as the build compressed it; nil where it saves nothing
}

// Handler serves the page. Every path that is none of its files is one of the
// page's own addresses (/sessions/…), and gets the page.
type Handler struct {
	assets map[string]asset // by path, with the slash before it
	page   []byte           // index.html; nil in a program without UI
}

// New reads what was built.
func New() *Handler {
	h, err := newHandler(files())
	if err != nil {
		panic(fmt.Errorf("the embedded UI: %w", err)) // it is part of the program
	}
	return h
}

func newHandler(from fs.FS) (*Handler, error) {
	h := &Handler{assets: map[string]asset{}}
	err := fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Base(name) == ".gitkeep" || path.Ext(name) == compressedExt {
			return err
		}
		text, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		if name == "index.html" {
			h.page = text
			return nil
		}
		a, err := newAsset(name, text)
		if packed, missing := fs.ReadFile(from, name+compressedExt); missing == nil {
			a.brotli = packed
		}
		h.assets["/"+name] = a
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return h, err
}

// compressedExt ends the names of files with the brotli form of the file without it. It takes seconds
// to make, so the build makes it.
const compressedExt = ".br"

func newAsset(name string, text []byte) (asset, error) {
	sum := sha256.Sum256(text)
	a := asset{
		contentType: mime.TypeByExtension(path.Ext(name)),
		etag:        `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`,
		plain:       text,
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return a, err
	}
	if _, err = w.Write(text); err == nil {
		err = w.Close()
	}
	if packed.Len() < len(text)*9/10 {
		a.gzip = packed.Bytes()
	}
	return a, err
}

// ServeHTTP answers GET and HEAD.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	if a, ok := h.assets[r.URL.Path]; ok {
		h.serveAsset(w, r, a)
		return
	}
	if strings.HasPrefix(r.URL.Path, "/assets/") { // of another version
		http.NotFound(w, r)
		return
	}
	h.servePage(w, http.StatusOK)
}

// ServeNotFound answers with the page, which says that nothing is at its address.
func (h *Handler) ServeNotFound(w http.ResponseWriter) { h.servePage(w, http.StatusNotFound) }

func (h *Handler) serveAsset(w http.ResponseWriter, r *http.Request, a asset) {
	header := w.Header()
	if strings.HasPrefix(r.URL.Path, "/assets/") { // named by what is in it
		header.Set("Cache-Control", "public, max-age=31536000, immutable")
	} else {
		header.Set("Cache-Control", "no-cache")
	}
	header.Set("ETag", a.etag)
	header.Set("Content-Type", a.contentType)
	header.Set("Vary", "Accept-Encoding")
	if r.Header.Get("If-None-Match") == a.etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := a.plain
	switch accepted := r.Header.Get("Accept-Encoding"); {
	case a.brotli != nil && accepts(accepted, "br"):
		header.Set("Content-Encoding", "br")
		body = a.brotli
	case a.gzip != nil && accepts(accepted, "gzip"):
		header.Set("Content-Encoding", "gzip")
		body = a.gzip
	}
	header.Set("Content-Length", fmt.Sprint(len(body)))
	_, _ = w.Write(body) // a client that has gone wants no error
}

// accepts reports whether a client names a coding in Accept-Encoding and does not exclude it.
func accepts(header, coding string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, weight, _ := strings.Cut(part, ";")
		if strings.EqualFold(strings.TrimSpace(name), coding) {
			q, given := strings.CutPrefix(strings.TrimSpace(weight), "q=")
			value, err := strconv.ParseFloat(q, 64)
			return !given || err == nil && value > 0
		}
	}
	return false
}

// policy is the page's content security policy. Pictures may be data, since
// frames hold them so; data is no script.
const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-%[1]s'; img-src 'self' data: blob:; " +
	"font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func (h *Handler) servePage(w http.ResponseWriter, status int) {
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	if h.page == nil {
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte("<!doctype html><title>tapedeck</title><p>This program was built without its pages. Run <code>make build</code>.</p>\n"))
		return
	}
	nonce := rand.Text()
	header.Set("Content-Security-Policy", fmt.Sprintf(policy, nonce))
	meta := `<meta property="csp-nonce" nonce="` + nonce + `">`
	w.WriteHeader(status)
	_, _ = w.Write(bytes.Replace(h.page, []byte("</head>"), []byte(meta+"</head>"), 1))
}
