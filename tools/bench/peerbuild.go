package bench

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// buildLimit bounds the building of the peer, which fetches some hundred modules.
const buildLimit = 20 * time.Minute

// buildPeer returns the path of the peer's program. It builds the program once for each
// state of its source, in the user's cache.
func buildPeer(ctx context.Context, w *workshop) (string, error) {
	source := map[string][]byte{}
	sum := sha256.New()
	for _, name := range []string{"go.mod", "main.go"} {
		data, err := os.ReadFile(filepath.Join(w.Peer, name))
		if err != nil {
			return "", fmt.Errorf("source of the peer: %w", err)
		}
		source[name] = data
		fmt.Fprintf(sum, "%s %d\n%s", name, len(data), data)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("place for the peer: %w", err)
	}
	home := filepath.Join(cache, "tapedeck", "bench")
	program := filepath.Join(home, "benthos-"+hex.EncodeToString(sum.Sum(nil))[:12])
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	if err := os.MkdirAll(home, 0o755); err != nil {
		return "", fmt.Errorf("place for the peer: %w", err)
	}
	dir, err := w.room("peer-build") // a copy: building writes a go.sum
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	for name, data := range source {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return "", err
		}
	}
	w.Say("building the peer, which takes some minutes …")
	ctx, cancel := context.WithTimeout(ctx, buildLimit)
	defer cancel()
	// Built under another name first, so that an interrupted build leaves no incomplete
	// program.
	part := program + ".part"
	cmd := exec.CommandContext(ctx, "go", "build", "-o", part, ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build of the peer: %w\n%s", err, out)
	}
	return program, os.Rename(part, program)
}
