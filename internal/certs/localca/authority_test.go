package localca

import (
	"bytes"
	"crypto/x509"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// All that open a directory have one authority, whose key only its owner may read.
func TestOpen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "dir")
	var all sync.WaitGroup
	list := make([]*Authority, 8)
	for i := range list {
		all.Go(func() {
			var err error
			if list[i], err = Open(dir); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if t.Failed() {
		return
	}
	for _, a := range list {
		if !bytes.Equal(a.PEM, list[0].PEM) {
			t.Error("two authorities")
		}
	}
	for name, mode := range map[string]os.FileMode{keyFile: 0o600, certFile: 0o644, ".": 0o700} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".ca-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	public, err := os.ReadFile(list[0].Path)
	if err != nil || !bytes.Equal(public, list[0].PEM) || bytes.Contains(public, []byte("PRIVATE")) {
		t.Errorf("the file for clients: %q, %v", public, err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(public)
	for _, name := range []string{"api.example.com", "127.0.0.1", "::1"} {
		c, err := list[0].Leaf(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: name}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := c.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: "other.example.com"}); err == nil {
			t.Errorf("the certificate of %s is valid for another name", name)
		}
	}
	key := filepath.Join(dir, keyFile)
	if err := os.Chmod(key, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a key that others can read: %v", err)
	}
}
