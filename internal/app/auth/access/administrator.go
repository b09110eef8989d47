package access

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/nats-io/nats.go/jetstream"
)

// ensureAdmin creates a token for the administration of all tenants if none is valid, and writes
// its text to AdminFile. If several servers start at once, one of them creates it.
func (s *Store) ensureAdmin(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, natsTimeout)
	defer cancel()
	kv, err := s.bucket()
	if err != nil {
		return err
	}
	var revision uint64
	had, err := kv.Get(ctx, adminKey)
	if err == nil {
		revision = had.Revision()
	} else if !errors.Is(err, jetstream.ErrKeyNotFound) {
		return fmt.Errorf("read %s in %s: %w", adminKey, Bucket, err)
	}
	if s.hasAdmin() {
		return nil
	}
	// The file is written first, so that the file that a killed server has left is used.
	text, own, err := s.adminText()
	if err != nil {
		return err
	}
	sum := digestOf(text)
	claim := fmt.Sprintf("%x", sum[:4])
	if revision == 0 {
		_, err = kv.Create(ctx, adminKey, []byte(claim))
	} else if string(had.Value()) != claim {
		_, err = kv.Update(ctx, adminKey, []byte(claim), revision)
	}
	if errors.Is(err, jetstream.ErrKeyExists) || isStale(err) { // another server creates the token
		if own {
			return os.Remove(s.opts.AdminFile)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("write %s in %s: %w", adminKey, Bucket, err)
	}
	// Servers with the same file create the same token, once.
	made := stored{Token: Token{ID: wordOf(sum)}}
	t, err := s.create(ctx, Request{Name: "first administrator", Tenant: AllTenants, Scopes: []Scope{Admin}}, text,
		made)
	if errors.Is(err, jetstream.ErrKeyExists) {
		return nil
	}
	if err != nil {
		return err
	}
	s.opts.Log.Info("access: made the administrator's token", "file", s.opts.AdminFile, "token", t.ID)
	return nil
}

// hasAdmin reports whether a token for the administration of all tenants is valid.
func (s *Store) hasAdmin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.copy.byID {
		p := Principal{Tenant: t.Tenant, Scopes: t.Scopes}
		if p.Operates() && t.valid(s.now()) == nil {
			return true
		}
	}
	return false
}

// wordOf returns an id that is derived from a text's digest.
func wordOf(sum digest) string {
	id := make([]byte, idLength)
	for i := range id {
		id[i] = base62[int(sum[len(sum)-1-i])%len(base62)]
	}
	return string(id)
}

// adminText returns the text in AdminFile if no token has it yet; otherwise it writes a new text to
// the file. own reports whether this server wrote the file, as opposed to an operator.
func (s *Store) adminText() (text string, own bool, err error) {
	path := s.opts.AdminFile
	if had, err := os.ReadFile(path); err == nil {
		text := strings.TrimSpace(string(had))
		s.mu.Lock()
		_, taken := s.copy.byHash[digestOf(text)]
		s.mu.Unlock()
		if checkText(s.storage.prefix, text) == nil && !taken {
			// The mode of a file of another owner, or on a read-only file system, is unchanged.
			err := os.Chmod(path, 0o600)
			if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
				return text, false, nil
			}
			return text, err == nil, err
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", false, fmt.Errorf("the administrator's token: %w", err)
	}
	text = newText(s.storage.prefix)
	f, err := os.CreateTemp(filepath.Dir(path), ".admin-token-*") // created with mode 0600
	if err != nil {
		return "", false, fmt.Errorf("the administrator's token: %w", err)
	}
	_, err = f.WriteString(text + "\n")
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return "", false, errors.Join(fmt.Errorf("write the administrator's token to %s: %w", path, err),
			os.Remove(f.Name()))
	}
	return text, true, nil
}
