package engine

import (
	"strings"
	"sync"
)

// tailSize bounds the part of the child's standard error that is kept.
const tailSize = 8 << 10

// tail is a writer that keeps the last tailSize bytes.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write never fails, so that messages never block the child.
func (t *tail) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, text...)
	if extra := len(t.text) - tailSize; extra > 0 {
		t.text = append(t.text[:0], t.text[extra:]...)
	}
	return len(text), nil
}

// contains reports whether the kept text contains part.
func (t *tail) contains(part string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Contains(string(t.text), part)
}

// summary returns the last lines as one line, for a log or an error.
func (t *tail) summary() string {
	const lines, size = 6, 600
	t.mu.Lock()
	defer t.mu.Unlock()
	var kept []string
	for _, line := range strings.Split(string(t.text), "\n") {
		line = strings.TrimSpace(line)
		// clickhouse-local prints these lines at every start and end.
		if line != "" && line != "Empty query" && !strings.HasPrefix(line, "Logging ") {
			kept = append(kept, line)
		}
	}
	text := strings.Join(kept[max(0, len(kept)-lines):], " | ")
	if len(text) > size {
		text = "…" + strings.ToValidUTF8(text[len(text)-size:], "")
	}
	return text
}
