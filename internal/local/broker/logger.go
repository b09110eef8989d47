package broker

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
)

// logger forwards the NATS server's messages. It logs notices (a dozen at each start) at level
// debug.
type logger struct {
	log *slog.Logger

	mu     sync.Mutex // guards all below
	died   error      // the first fatal message
	wrong  string     // the latest warning or error
	broken bool       // a stream refuses messages
}

func (l *logger) Noticef(format string, args ...any) {
	l.log.Debug("nats server: notice", "notice", fmt.Sprintf(format, args...))
}
func (l *logger) Debugf(format string, args ...any) {
	l.log.Debug("nats server: notice", "notice", fmt.Sprintf(format, args...))
}
func (l *logger) Tracef(format string, args ...any) {
	l.log.Debug("nats server: notice", "notice", fmt.Sprintf(format, args...))
}

func (l *logger) Warnf(format string, args ...any) {
	if strings.HasPrefix(format, "Maximum payloads over") {
		l.Debugf(format, args...) // MaxPayload is large on purpose
		return
	}
	l.log.Warn("nats server: warning", "notice", l.keep(format, args))
}

func (l *logger) Errorf(format string, args ...any) {
	l.log.Error("nats server: error", "error", l.keep(format, args))
}

// Fatalf records the error. It does not end the program, although the server expects that.
func (l *logger) Fatalf(format string, args ...any) {
	text := l.keep(format, args)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.died == nil {
		l.died = errors.New(text)
	}
}

func (l *logger) keep(format string, args []any) string {
	text := fmt.Sprintf(format, args...)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wrong = text
	l.broken = l.broken || brokenStore(format)
	return text
}

func (l *logger) fatal() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.died
}

func (l *logger) latest() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.wrong
}

func (l *logger) storeIsBroken() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.broken
}

func (l *logger) storeBroke()  { l.setBroken(true) }
func (l *logger) storeMended() { l.setBroken(false) }

func (l *logger) setBroken(is bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.broken = is
}
