// Package keys makes ingestion idempotent. A client sends data under a key. Everything that is
// recorded under a key is written to a log of that key in JetStream before it is forwarded to the
// sink, so that any node can resume the stream after any failure. The node reads the log, compares
// repeated input with it, and records the input that follows.
//
// A log is the messages of one subject. The first message opens the stream, a claim begins each
// later attempt, and the other messages are blocks. When a stream was recorded to its end, a
// message with its result replaces the log. Every message names the previous one
// (Nats-Expected-Last-Subject-Sequence), so a writer fails as soon as another attempt has claimed
// the key. docs/adr/0006-idempotent-ingest.md explains the design.
package keys

import (
	"errors"
	"fmt"
	"strings"
)

const (
	// StreamName is the JetStream stream that holds the logs.
	StreamName = "TAPEDECK_KEYS"
	// SubjectPrefix begins the subject of every log.
	SubjectPrefix = "tapedeck.key."

	// MaxLength is the longest key, bytes.
	MaxLength = 128
)

var (
	// ErrSuperseded ends an attempt after another request claimed its key.
	ErrSuperseded = errors.New("another request with the same idempotency key took over")
	// ErrMismatch reports a request that differs from the earlier ones with its key.
	ErrMismatch = errors.New("the idempotency key was used for something else")
	// ErrOffset reports a request that begins beyond the durable input.
	ErrOffset = errors.New("the offset is beyond what is durable")
	// ErrExpired reports a key whose log is no longer complete.
	ErrExpired = errors.New("the idempotency key is too old to be resumed")
	// ErrTooLong reports a log that has reached its limit.
	ErrTooLong = errors.New("too much was sent under one idempotency key")
	// ErrUnknown reports a key without a log.
	ErrUnknown = errors.New("nothing was recorded under this idempotency key")
)

// Check returns an error for an invalid key. A valid key has 1 to MaxLength letters, digits and
// characters of "-._~:", and is neither "ws", "." nor "..", which a URL could not address.
func Check(key string) error {
	bad := strings.ContainsFunc(key, func(r rune) bool {
		return !('0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || strings.ContainsRune("-._~:",
			r))
	})
	if key == "" || len(key) > MaxLength || bad || key == "ws" || key == "." || key == ".." {
		return fmt.Errorf("idempotency key %.*q: it must have 1 to %d letters, digits or characters of \"-._~:\", such as a UUID",
			MaxLength, key, MaxLength)
	}
	return nil
}
