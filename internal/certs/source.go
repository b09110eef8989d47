// Package certs reads the certificates and authorities of TLS from files, and reads the
// files again when they change, so that a renewed certificate needs no restart.
package certs

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"
)

// Files are the PEM files of one side of TLS. A path of "" means no file.
type Files struct {
	Use string // purpose of the files: server, nats, clickhouse or client; a label of metrics
	// Cert contains the certificate, followed by the certificates of intermediate authorities; Key
	// its private key.
	Cert, Key string
	CA        string // the authorities that must have signed the peer's certificate
	AlsoCA    bool   // trust the authorities of the system as well
}

// check returns an error for a certificate without its key.
func (f *Files) check() error {
	switch {
	case f.Cert != "" && f.Key == "":
		return fmt.Errorf("the certificate %s needs its private key", f.Cert)
	case f.Key != "" && f.Cert == "":
		return fmt.Errorf("the private key %s needs its certificate", f.Key)
	}
	return nil
}

// checkEvery is the minimum interval between two checks of the files.
const checkEvery = time.Second

// Source is the content of files. Its methods may be called from any goroutine.
type Source struct {
	files Files

	mu      sync.Mutex // guards the fields below
	log     *slog.Logger
	checked time.Time // when the files were last read
	seen    [sha256.Size]byte
	broken  bool // the last content of the files could not be used
	content content
	errors  int // changed files that could not be used
	reloads int // changed files that were used
}

// content is the last usable content of the files.
type content struct {
	cert *tls.Certificate // nil without one
	pool *x509.CertPool   // nil for the authorities of the system
	ends time.Time        // expiry of the certificate
	cas  []*x509.Certificate
}

// sources are the certificate sources of this process. Connections that are opened by address share
// them.
var sources = struct {
	sync.Mutex
	by map[Files]*Source
}{by: map[Files]*Source{}}

// Open reads files. Calls with the same files return the same source. log receives later changes
// and errors of the files; nil for no log.
func Open(f Files, log *slog.Logger) (*Source, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	sources.Lock()
	defer sources.Unlock()
	s := sources.by[f]
	if s == nil {
		s = &Source{files: f, log: slog.New(slog.DiscardHandler)}
		text, err := s.read()
		if err != nil {
			return nil, err
		}
		if s.content, err = s.parse(text); err != nil {
			return nil, err
		}
		s.seen, s.checked = sumOf(text), time.Now()
		sources.by[f] = s
	}
	if log != nil {
		s.mu.Lock()
		s.log = log
		s.mu.Unlock()
	}
	return s, nil
}

// texts are the contents of the files of the certificate, the key and the authorities.
type texts [3][]byte

// sumOf returns a hash of the texts. The texts are not kept, since one is a private key.
func sumOf(t texts) [sha256.Size]byte {
	h := sha256.New()
	for _, text := range t {
		one := sha256.Sum256(text)
		h.Write(one[:])
	}
	return [sha256.Size]byte(h.Sum(nil))
}

func (s *Source) read() (t texts, err error) {
	for i, path := range []string{s.files.Cert, s.files.Key, s.files.CA} {
		if path == "" {
			continue
		}
		if t[i], err = os.ReadFile(path); err != nil {
			if at, ok := errors.AsType[*fs.PathError](err); ok {
				err = at.Err
			}
			return t, fmt.Errorf("the file %s cannot be read: %w", path, err)
		}
	}
	return t, nil
}

func (s *Source) parse(t texts) (c content, err error) {
	if s.files.Cert != "" {
		pair, err := tls.X509KeyPair(t[0], t[1])
		if err != nil {
			return c, fmt.Errorf("certificate %s with key %s: %w", s.files.Cert, s.files.Key, err)
		}
		c.cert, c.ends = &pair, pair.Leaf.NotAfter
	}
	if s.files.CA == "" {
		return c, nil
	}
	c.pool = x509.NewCertPool()
	if s.files.AlsoCA {
		if system, err := x509.SystemCertPool(); err == nil { // a system may have no authorities
			c.pool = system
		}
	}
	if c.cas, err = authorities(t[2]); err != nil {
		return c, fmt.Errorf("authorities in %s: %w", s.files.CA, err)
	}
	for _, ca := range c.cas {
		c.pool.AddCert(ca)
	}
	return c, nil
}

var errNoCertificate = errors.New("the file holds no certificate (PEM)")

// current returns the content of the files. It reads changed files. If they cannot be used, the
// content does not change, which is logged and counted once for each change.
func (s *Source) current() content {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.checked) < checkEvery {
		return s.content
	}
	s.checked = time.Now()
	text, err := s.read()
	sum := sumOf(text)
	if err == nil && sum == s.seen && !s.broken {
		return s.content
	}
	var next content
	if err == nil {
		if next, err = s.parse(text); err == nil && !next.ends.IsZero() && next.ends.Before(s.checked) && s.content.ends.After(s.checked) {
			err = fmt.Errorf("the new certificate %s expired at %s", s.files.Cert, next.ends.Format(time.RFC3339))
		}
	}
	if err != nil {
		if !s.broken || sum != s.seen {
			s.errors++
			s.log.Error("tls: changed files are not usable, those before stay in use", "use", s.files.Use, "error", err)
		}
		s.seen, s.broken = sum, true
		return s.content
	}
	if sum != s.seen || s.broken {
		s.reloads++
		s.log.Info("tls: read changed files", "use", s.files.Use, "certificate", s.files.Cert, "expires", next.ends)
	}
	s.seen, s.broken, s.content = sum, false, next
	return s.content
}
