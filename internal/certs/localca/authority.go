// Package localca keeps a certificate authority of one user, which signs certificates for the names
// that a program on this machine stands in for. Clients that trust the authority trust everyone who
// has its key, so the key never leaves its file.
package localca

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const (
	keyFile  = "ca-key.pem" // the private key and the certificate, mode 0600
	certFile = "ca.pem"     // the certificate, for clients

	authorityLife = 10 * 365 * 24 * time.Hour
	// leafLife is short, since each process makes a new leaf; browsers and Apple accept 398 days.
	leafLife = 7 * 24 * time.Hour
	// skew is how far the clock of a client may be behind.
	skew = time.Hour
)

// Authority signs certificates. Its methods may be called from any goroutine.
type Authority struct {
	Path string // file of the certificate, for clients
	PEM  []byte // the certificate

	cert *x509.Certificate
	key  crypto.Signer

	mu     sync.Mutex // guards leaves
	leaf   *ecdsa.PrivateKey
	leaves map[string]*tls.Certificate // by name
}

// Open reads the authority in a directory. If there is none it makes one, with a key that only the
// user can read. Of several processes that make one at once, all use the same.
func Open(dir string) (*Authority, error) {
	private, public := filepath.Join(dir, keyFile), filepath.Join(dir, certFile)
	if _, err := os.Stat(private); errors.Is(err, fs.ErrNotExist) {
		if err := create(dir, private); err != nil {
			return nil, fmt.Errorf("make a certificate authority in %s: %w", dir, err)
		}
	}
	a, err := Load(private, private)
	if err != nil {
		return nil, err
	}
	a.Path = public
	if text, err := os.ReadFile(public); err != nil || !bytes.Equal(text, a.PEM) {
		if err := writeWhole(public, a.PEM, 0o644, os.Rename); err != nil {
			return nil, fmt.Errorf("write the certificate of the authority: %w", err)
		}
	}
	return a, nil
}

// Load reads the files of an authority: its certificate and its private key. The key must be
// readable by its owner alone.
func Load(cert, key string) (*Authority, error) {
	info, err := os.Stat(key)
	if err != nil {
		return nil, fmt.Errorf("read the key of the authority: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("other users can read the authority's key in %s (mode %04o): chmod 600 it, or make another authority if they may have read it", key, info.Mode().Perm())
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("read the authority in %s with the key in %s: %w", cert, key, err)
	}
	signer, ok := pair.PrivateKey.(crypto.Signer)
	if c := pair.Leaf; !ok || !c.IsCA || c.KeyUsage != 0 && c.KeyUsage&x509.KeyUsageCertSign == 0 {
		return nil, fmt.Errorf("%s is no certificate of an authority: it may not sign others", cert)
	}
	if now := time.Now(); now.After(pair.Leaf.NotAfter) {
		return nil, fmt.Errorf("the authority in %s expired at %s: remove its files, so that another one is made", cert, pair.Leaf.NotAfter.Format(time.RFC3339))
	}
	leaf, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	return &Authority{
		Path: cert, PEM: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Leaf.Raw}),
		cert: pair.Leaf, key: signer, leaf: leaf, leaves: map[string]*tls.Certificate{},
	}, nil
}

// create writes a new authority to the file private. A file that exists by then stays.
func create(dir, private string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	serial, err := newSerial()
	if err != nil {
		return err
	}
	host, _ := os.Hostname() // only a help for people who look at their trusted authorities
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "tapedeck proxy on " + host, Organization: []string{"tapedeck proxy"}},
		NotBefore: now.Add(-skew), NotAfter: now.Add(authorityLife),
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	text := append(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}),
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	err = writeWhole(private, text, 0o600, os.Link)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// writeWhole writes a file beside path and has put move it there.
func writeWhole(path string, text []byte, mode fs.FileMode, put func(from, to string) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".ca-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails once it was moved
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return put(f.Name(), path)
}

func newSerial() (*big.Int, error) {
	return rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
}

// Leaf returns a certificate for a host name or an IP address. The caller decides which names there
// are: all leaves are kept.
func (a *Authority) Leaf(name string) (*tls.Certificate, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	if c := a.leaves[name]; c != nil && now.Add(leafLife/2).Before(c.Leaf.NotAfter) {
		return c, nil
	}
	serial, err := newSerial()
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{Organization: []string{"tapedeck proxy"}},
		NotBefore: now.Add(-skew), NotAfter: now.Add(leafLife), BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if ip := net.ParseIP(name); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{name}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, a.leaf.Public(), a.key)
	if err != nil {
		return nil, fmt.Errorf("sign a certificate for %s: %w", name, err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	c := &tls.Certificate{Certificate: [][]byte{der, a.cert.Raw}, PrivateKey: a.leaf, Leaf: parsed}
	a.leaves[name] = c
	return c, nil
}
